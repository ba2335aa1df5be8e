import { expect, test } from 'bun:test';
import type { Storage } from '../host/storage.ts';
import { warnOfFullDisk } from './disk-full-warning.ts';

function start() {
  const said: string[] = [];
  const disk = { code: '' };
  const fill = () => {
    if (disk.code !== '') throw Object.assign(new Error('no'), { code: disk.code });
  };
  const storage = { write: fill, append: fill, read: () => 'kept' } as unknown as Storage;
  const note = (message: string) => void said.push(message);
  return { guarded: warnOfFullDisk(storage, { error: note, info: note }), said, disk };
}

test.each(['ENOSPC', 'EDQUOT'])('a full disk (%s) is logged once, and so is its recovery', (code) => {
  const { guarded, said, disk } = start();
  guarded.write('/state/a', '');
  disk.code = code;
  for (const file of ['/state/a', '/state/b']) expect(() => guarded.write(file, '')).toThrow();
  expect(() => guarded.append('/state/c', '', 1)).toThrow();
  expect(said).toEqual([
    'The disk with /state is full: changes cannot be saved, and are lost at the next start. Free some space on it',
  ]);
  disk.code = '';
  guarded.append('/state/c', '', 1);
  guarded.write('/state/a', '');
  expect(said.slice(1)).toEqual(['The disk with /state has space again: changes are saved']);
  expect(guarded.read('/state/a')).toBe('kept');
});

test('other errors are left to the caller', () => {
  const { guarded, said, disk } = start();
  disk.code = 'EACCES';
  expect(() => guarded.write('/state/a', '')).toThrow();
  expect(said).toEqual([]);
});
