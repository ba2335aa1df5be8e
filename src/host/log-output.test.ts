import { expect, test } from 'bun:test';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';

/** Writes some 3 MB of numbered lines, says so, and ends with a last line when it is told to. */
const writer = `
  const { openLogOutput } = await import(${JSON.stringify(path.join(import.meta.dirname, 'log-output.ts'))});
  const write = openLogOutput();
  for (let line = 0; line < 3000; line += 1) write(line + ' ' + 'x'.repeat(1000) + '\\n');
  process.stdout.write('written\\n');
  process.stdin.once('data', () => {
    write('last\\n');
    process.exit(7);
  });
`;

const flags = ['--no-env-file', '--config=/dev/null', '-e'];

function start() {
  const child = spawn(process.execPath, [...flags, writer], { stdio: ['pipe', 'pipe', 'pipe'] });
  return Object.assign(child, { exited: once(child, 'exit') });
}

const written = ({ stdout }: Pick<ChildProcessByStdio<null, Readable, null>, 'stdout'>) => once(stdout, 'data');

test('what nobody reads holds nobody up, and is lost beyond a limit', async () => {
  const child = start();
  await written(child);
  let heard = '';
  child.stderr.on('data', (chunk) => {
    heard += chunk;
  });
  await once(child.stderr, 'data');
  child.stdin.write('end\n');
  expect(await child.exited).toEqual([7, null]);
  if (!child.stderr.closed) await once(child.stderr, 'close');
  const numbers = heard.split('\n').map((line) => Number(line.split(' ')[0]));
  expect(numbers.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, index) => index));
  expect(heard).not.toContain('\n2999 ');
});

test('one who reads gets everything, the last words included', async () => {
  const child = start();
  let heard = '';
  child.stderr.on('data', (chunk) => {
    heard += chunk;
  });
  await written(child);
  child.stdin.write('end\n');
  expect(await child.exited).toEqual([7, null]);
  if (!child.stderr.closed) await once(child.stderr, 'close');
  expect(heard.endsWith('\nlast\n')).toBe(true);
});

test.each([1000, 5000])('a full disk is no reason to end, at lines of %d bytes', async (length) => {
  const full = fs.openSync('/dev/full', 'w');
  const script = writer.replace('repeat(1000)', `repeat(${length})`);
  const child = spawn(process.execPath, [...flags, script], { stdio: ['pipe', 'ignore', full] });
  fs.closeSync(full);
  // It ends by itself when nobody can tell it anything any more, with another code if something was not caught.
  child.stdin?.end('end\n');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('a closed pipe is no reason to end', async () => {
  const child = start();
  child.stderr.destroy();
  await written(child);
  child.stdin.write('end\n');
  expect(await child.exited).toEqual([7, null]);
});
