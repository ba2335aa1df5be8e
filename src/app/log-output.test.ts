// Not on Windows: it is about pipes of Unix, /dev/full among them.
import { expect, test } from 'bun:test';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';

const open = `
  const { openLogOutput } = await import(${JSON.stringify(path.join(import.meta.dirname, 'log-output.ts'))});
  const { write, written } = openLogOutput();
  const line = (number) => write(number + ' ' + 'x'.repeat(1000) + '\\n');
`;

/** Writes some 3 MB of numbered lines, says so, and ends with a last line when it is told to. */
const writer = `${open}
  for (let number = 0; number < 3000; number += 1) line(number);
  process.stdout.write('written\\n');
  process.stdin.once('data', async () => {
    write('last\\n');
    await written();
    process.exit(7);
  });
`;

/** The same in portions that may wait, as much in all, and ends as the service does. */
const patientWriter = `${open}
  for (let number = 0; number < 3000; number += 1) {
    line(number);
    if (number % 500 === 499) await written();
  }
  for (let number = 3000; number < 3900; number += 1) line(number);
  write('last\\n');
  process.stdout.write('written\\n');
  await written();
  process.exit(7);
`;

const flags = ['--no-env-file', '--config=/dev/null', '-e'];

function start(script = writer) {
  const child = spawn(process.execPath, [...flags, script], { stdio: ['pipe', 'pipe', 'pipe'] });
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

test('one who reads gets everything, the last words included, however far behind when it ends', async () => {
  const child = start(patientWriter);
  let heard = '';
  child.stderr.on('data', (chunk) => {
    heard += chunk;
    // Slower than it writes.
    if (heard.length > 2_950_000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  });
  await written(child);
  expect(await child.exited).toEqual([7, null]);
  if (!child.stderr.closed) await once(child.stderr, 'close');
  const lines = heard.split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual([
    ...Array.from({ length: 3900 }, (_, n) => `${n}`),
    'last',
    '',
  ]);
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
