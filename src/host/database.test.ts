import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lacks } from '../../test/harness/lacks.ts';
import { createDatabases, DatabaseError } from './database.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-database-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
const { open, setAside } = createDatabases();

test('written data is there after reopening, for the owner only', async () => {
  const file = path.join(directory, 'kept.db');
  const before = process.umask(0);
  const first = await open(file);
  process.umask(before);
  first.run('CREATE TABLE thing (name TEXT, data BLOB)');
  expect(first.run('INSERT INTO thing VALUES (?, ?)', 'one', new Uint8Array([1, 2]))).toBe(1);
  const suffixes = lacks('modes') ? [] : ['', '-wal', '-shm'];
  for (const suffix of suffixes) expect(fs.statSync(`${file}${suffix}`).mode & 0o777).toBe(0o600);
  first.close();
  const again = await open(file);
  expect(again.rows('SELECT name, data FROM thing')).toEqual([{ name: 'one', data: new Uint8Array([1, 2]) }]);
  again.close();
});

test('a failed transaction leaves nothing behind', async () => {
  const database = await open(path.join(directory, 'whole.db'));
  database.run('CREATE TABLE thing (name TEXT)');
  expect(() =>
    database.transaction(() => {
      database.run('INSERT INTO thing VALUES (?)', 'half');
      throw new Error('no more');
    }),
  ).toThrow('no more');
  expect(database.rows('SELECT * FROM thing')).toEqual([]);
  database.close();
});

test('a file that is not a database is broken, and can be set aside', async () => {
  const file = path.join(directory, 'broken.db');
  fs.writeFileSync(file, 'this is a letter, and a long one. '.repeat(200));
  const problem = await open(file).catch((error) => error);
  expect(problem).toBeInstanceOf(DatabaseError);
  expect(problem.trouble).toBe('broken');
  expect(setAside(file)).toBe(`${file}.broken`);
  const fresh = await open(file);
  expect(fresh.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  fresh.close();
});
