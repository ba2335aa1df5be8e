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

/** Writes about 3 MB of numbered lines, reports it, and ends with a last line on request. */
const writer = `${open}
  for (let number = 0; number < 3000; number += 1) line(number);
  process.stdout.write('written\\n');
  process.stdin.once('data', async () => {
    write('last\\n');
    await written();
    process.exit(7);
  });
`;

/** The same amount in portions that may wait; ends as the service does. */
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

test('without a reader the writer is not blocked, and lines beyond a limit are lost', async () => {
  const child = start();
  await written(child);
  let received = '';
  child.stderr.on('data', (chunk) => {
    received += chunk;
  });
  await once(child.stderr, 'data');
  child.stdin.write('end\n');
  expect(await child.exited).toEqual([7, null]);
  if (!child.stderr.closed) await once(child.stderr, 'close');
  const numbers = received.split('\n').map((line) => Number(line.split(' ')[0]));
  expect(numbers.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, index) => index));
  expect(received).not.toContain('\n2999 ');
});

test('a reader gets everything, including the last lines, however far behind it is at the end', async () => {
  const child = start(patientWriter);
  let received = '';
  child.stderr.on('data', (chunk) => {
    received += chunk;
    // Slower than it writes.
    if (received.length > 2_950_000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  });
  await written(child);
  expect(await child.exited).toEqual([7, null]);
  if (!child.stderr.closed) await once(child.stderr, 'close');
  const lines = received.split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual([
    ...Array.from({ length: 3900 }, (_, n) => `${n}`),
    'last',
    '',
  ]);
});

test.each([1000, 5000])('a full disk does not end the process, at lines of %d bytes', async (length) => {
  const full = fs.openSync('/dev/full', 'w');
  const script = writer.replace('repeat(1000)', `repeat(${length})`);
  const child = spawn(process.execPath, [...flags, script], { stdio: ['pipe', 'ignore', full] });
  fs.closeSync(full);
  // It ends when its input closes, with another code if an error was not caught.
  child.stdin?.end('end\n');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('a closed pipe does not end the process', async () => {
  const child = start();
  child.stderr.destroy();
  await written(child);
  child.stdin.write('end\n');
  expect(await child.exited).toEqual([7, null]);
});
