import { expect, test } from 'bun:test';
import { parseUtmp } from './utmp.ts';

const ada = { type: 7, pid: 1804, line: 'tty2', user: 'ada', host: 'far.example.org', seconds: 1_767_200_100 };
const login = { name: 'ada', terminal: 'tty2', host: 'far.example.org', started: 1_767_200_100, pid: 1804 };

test('records of both sizes are read on the machines that write them', () => {
  expect(parseUtmp(records(384, [ada]), 'x86_64')).toEqual([login]);
  expect(parseUtmp(records(400, [ada]), 'aarch64')).toEqual([login]);
});

test('a 32-bit system on a 64-bit kernel is recognised by the size of its file', () => {
  expect(parseUtmp(records(384, [ada]), 'aarch64')).toEqual([login]);
  expect(parseUtmp(records(400, [ada]), 'x86_64')).toEqual([login]);
});

test('where the size of the file fits both layouts, the records decide', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => ({ ...ada, user: `user${index}` }));
  const narrow = records(384, names(25));
  const wide = records(400, names(24));
  expect(narrow.length).toBe(wide.length);
  expect(parseUtmp(narrow, 'aarch64')?.map(({ name }) => name)).toEqual(names(25).map(({ user }) => user));
  expect(parseUtmp(wide, 'x86_64')?.map(({ name }) => name)).toEqual(names(24).map(({ user }) => user));
});

test('times beyond 2038 are read where the record has room for them', () => {
  expect(parseUtmp(records(400, [{ ...ada, seconds: 4_102_444_800 }]), 'aarch64')?.[0]?.started).toBe(4_102_444_800);
});

test('only logins count, not boots, waiting terminals or ended sessions', () => {
  const others = [1, 2, 5, 6, 8].map((type) => ({ ...ada, type }));
  expect(parseUtmp(records(384, [...others, ada]), 'x86_64')).toEqual([login]);
});

test('texts that fill their field have no terminator', () => {
  const long = { ...ada, user: 'u'.repeat(32), line: 'l'.repeat(32) };
  expect(parseUtmp(records(384, [long]), 'x86_64')).toMatchObject([{ name: 'u'.repeat(32), terminal: 'l'.repeat(32) }]);
});

test('an empty file has no logins, and other contents are not records', () => {
  expect(parseUtmp(new Uint8Array(0), 'x86_64')).toEqual([]);
  expect(parseUtmp(new Uint8Array(383), 'x86_64')).toBeNull();
  expect(parseUtmp(new Uint8Array(384).fill(0xff), 'x86_64')).toBeNull();
});

/** In the layout of struct utmp in glibc. */
function records(size: 384 | 400, entries: (typeof ada)[]): Uint8Array {
  const bytes = Buffer.alloc(size * entries.length);
  entries.forEach(({ type, pid, line, user, host, seconds }, index) => {
    const at = index * size;
    bytes.writeInt16LE(type, at);
    bytes.writeInt32LE(pid, at + 4);
    bytes.write(line, at + 8);
    bytes.write(user, at + 44);
    bytes.write(host, at + 76);
    if (size === 384) bytes.writeInt32LE(seconds, at + 340);
    else bytes.writeBigInt64LE(BigInt(seconds), at + 344);
  });
  return bytes;
}
