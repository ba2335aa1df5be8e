import { expect, test } from 'bun:test';
import type { Storage } from '../host/storage.ts';
import { tellOfFullDisk } from './disk-full-warning.ts';

function start() {
  const said: string[] = [];
  const disk = { code: '' };
  const fill = () => {
    if (disk.code !== '') throw Object.assign(new Error('no'), { code: disk.code });
  };
  const storage = { write: fill, append: fill, read: () => 'kept' } as unknown as Storage;
  const note = (message: string) => void said.push(message);
  return { told: tellOfFullDisk(storage, { error: note, info: note }), said, disk };
}

test.each(['ENOSPC', 'EDQUOT'])('a full disk (%s) is said once, and once that it has space again', (code) => {
  const { told, said, disk } = start();
  told.write('/state/a', '');
  disk.code = code;
  for (const file of ['/state/a', '/state/b']) expect(() => told.write(file, '')).toThrow();
  expect(() => told.append('/state/c', '', 1)).toThrow();
  expect(said).toEqual([
    'The disk with /state is full: what changes cannot be saved, and is lost at the next start. Free some space on it',
  ]);
  disk.code = '';
  told.append('/state/c', '', 1);
  told.write('/state/a', '');
  expect(said.slice(1)).toEqual(['There is space for /state again: what changes is saved']);
  expect(told.read('/state/a')).toBe('kept');
});

test('anything else that goes wrong is for whoever wrote', () => {
  const { told, said, disk } = start();
  disk.code = 'EACCES';
  expect(() => told.write('/state/a', '')).toThrow();
  expect(said).toEqual([]);
});
