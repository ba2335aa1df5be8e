import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../test/harness/until.ts';
import { address, followSocket, followStream, openLibrary, pinned } from './ffi.ts';

const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1', '/usr/lib/libSystem.B.dylib'];
const libc = openLibrary(libraries, {
  getpid: { args: [], returns: 'i32' },
  uname: { args: ['ptr'], returns: 'i32' },
  memset: { args: ['ptr', 'i32', 'usize'], returns: 'ptr' },
  socketpair: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
});
/** The C library of Windows has other names for the functions that these tests use. */
const ucrt = openLibrary(['C:\\Windows\\System32\\ucrtbase.dll'], {
  _getpid: { args: [], returns: 'i32' },
  memset: { args: ['ptr', 'i32', 'usize'], returns: 'ptr' },
});
const everyLibc = [...libraries, 'C:\\Windows\\System32\\ucrtbase.dll'];
const getpid = libc?.symbols.getpid ?? ucrt?.symbols._getpid;
const memset = libc?.symbols.memset ?? ucrt?.symbols.memset;

test('functions of the C library can be called', () => {
  expect(getpid?.()).toBe(process.pid);
});

test.skipIf(os.platform() !== 'linux')('a struct that native code fills can be read', () => {
  const fieldBytes = 65;
  const utsname = pinned(6 * fieldBytes);
  expect(libc?.symbols.uname(address(utsname))).toBe(0);
  const field = (index: number) =>
    Buffer.from(utsname.subarray(index * fieldBytes, (index + 1) * fieldBytes))
      .toString()
      .split('\0')[0];
  expect([field(0), field(1), field(2)]).toEqual(['Linux', os.hostname(), os.release()]);
});

test('a missing library is null, and the next name is tried', () => {
  const functions = { memset: { args: ['ptr', 'i32', 'usize'], returns: 'ptr' } } as const;
  expect(openLibrary(['libhostler-has-none.so.1', '/no/such/lib.so'], functions)).toBeNull();
  expect(openLibrary([], functions)).toBeNull();
  expect(openLibrary(['libhostler-has-none.so.1', ...everyLibc], functions)).not.toBeNull();
});

test('a library without the required function is an error', () => {
  const functions = { hostler_has_none: { args: [], returns: 'i32' } } as const;
  expect(() => openLibrary(everyLibc, functions)).toThrow('hostler_has_none');
});

test('pinned memory keeps its address, whatever views are taken of it', () => {
  for (const bytes of [1, 8, 64, 1000]) {
    for (const memory of [pinned(bytes), new Uint8Array(bytes)]) {
      const before = address(memory);
      const view = new DataView(memory.buffer, memory.byteOffset);
      const part = memory.subarray(0, 1);
      memset?.(before, 0x5a, bytes);
      expect(address(memory)).toBe(before);
      expect([view.getUint8(bytes - 1), part[0], memory.every((byte) => byte === 0x5a)]).toEqual([0x5a, 0x5a, true]);
    }
  }
});

test('the address of a part is the address of its first byte', () => {
  const memory = pinned(16);
  memset?.(address(memory.subarray(4, 6)), 1, 2);
  expect([...memory]).toEqual([0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});

test.skipIf(os.platform() !== 'linux')('a library that lies in the working directory is not loaded', () => {
  const maps = fs.readFileSync('/proc/self/maps', 'utf8');
  const file = /\/\S*\/libc\.so\.6$/m.exec(maps)?.[0] ?? '';
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-ffi-'));
  try {
    fs.copyFileSync(file, path.join(directory, 'libplanted.so.1'));
    const script = path.join(directory, 'script.ts');
    fs.writeFileSync(
      script,
      `import { openLibrary } from ${JSON.stringify(path.join(import.meta.dirname, 'ffi.ts'))};
       const functions = { getpid: { args: [], returns: 'i32' } };
       for (const name of ['libplanted.so.1', './libplanted.so.1', import.meta.dirname + '/libplanted.so.1'])
         console.log(openLibrary([name], functions) !== null);`,
    );
    const { stdout } = spawnSync(process.execPath, [script], { cwd: directory, encoding: 'utf8' });
    expect(stdout).toBe('false\nfalse\ntrue\n');
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

describe.skipIf(os.platform() !== 'linux')('a socket that native code opened', () => {
  const AF_UNIX = 1;
  const SOCK_DGRAM = 2;

  /** Two ends; what is written to one arrives at the other. */
  function socketPair(): [near: number, far: number] {
    const memory = pinned(8);
    expect(libc?.symbols.socketpair(AF_UNIX, SOCK_DGRAM | fs.constants.O_NONBLOCK, 0, address(memory))).toBe(0);
    const words = new DataView(memory.buffer);
    return [words.getInt32(0, true), words.getInt32(4, true)];
  }
  const isOpen = (descriptor: number) => fs.existsSync(`/proc/self/fd/${descriptor}`);

  test('is read message by message, until it is stopped', async () => {
    const [near, far] = socketPair();
    const received: string[] = [];
    const stop = await followSocket(near, (bytes) => received.push(Buffer.from(bytes).toString()), expect.unreachable);
    fs.writeSync(far, 'one');
    fs.writeSync(far, 'two');
    await until(() => received.length === 2, 'both messages');
    expect(received).toEqual(['one', 'two']);
    stop();
    await until(() => !isOpen(near), 'the descriptor is closed');
    fs.closeSync(far);
  });

  test('is closed, and reports it once, when the listener throws', async () => {
    const [near, far] = socketPair();
    const problems: string[] = [];
    await followSocket(
      near,
      () => {
        throw new Error('not understood');
      },
      (problem) => problems.push(problem),
    );
    fs.writeSync(far, 'x');
    await until(() => !isOpen(near), 'the descriptor is closed');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(problems).toEqual(['Error: not understood']);
    fs.closeSync(far);
  });

  test('is read as a stream until it is stopped', async () => {
    const [near, far] = socketPair();
    let received = '';
    const stop = followStream(
      near,
      (bytes) => {
        received += Buffer.from(bytes).toString();
      },
      expect.unreachable,
    );
    for (const word of ['one ', 'two ', 'three']) {
      fs.writeSync(far, word);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => received === 'one two three', 'all messages');
    stop();
    expect(isOpen(near)).toBe(false);
    stop();
    fs.closeSync(far);
  });

  test('is closed as a stream, and reports it once, when the listener throws', async () => {
    const [near, far] = socketPair();
    const problems: string[] = [];
    followStream(
      near,
      () => {
        throw new Error('not understood');
      },
      (problem) => problems.push(problem),
    );
    fs.writeSync(far, 'x');
    await until(() => problems.length > 0, 'the problem');
    expect(isOpen(near)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(problems).toEqual(['Error: not understood']);
    fs.closeSync(far);
  });
});
