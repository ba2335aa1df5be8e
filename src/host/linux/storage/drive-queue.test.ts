import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { readFromDrive } from './drive-queue.ts';

test('drives are read one after another, and each read gets its result', async () => {
  const answers = new Map<string, () => void>();
  const files = {
    ...machineFiles({ '/one': '1\n', '/two': '2\n' }),
    textLater: (file: string) =>
      new Promise<string>((resolve) => void answers.set(file, () => resolve(`answer of ${file}`))),
  };
  const one = readFromDrive(files, '/one');
  const two = readFromDrive(files, '/two');
  await new Promise((resolve) => setImmediate(resolve));
  expect([...answers.keys()]).toEqual(['/one']);
  answers.get('/one')?.();
  expect(await one).toBe('answer of /one');
  await new Promise((resolve) => setImmediate(resolve));
  answers.get('/two')?.();
  expect(await two).toBe('answer of /two');
});

test('simultaneous reads of a file share the result, and a later read is new', async () => {
  const asked: (() => void)[] = [];
  const files = {
    ...machineFiles({}),
    textLater: () => new Promise<string>((resolve) => void asked.push(() => resolve(`answer ${asked.length}`))),
  };
  const both = [readFromDrive(files, '/one'), readFromDrive(files, '/one')];
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked.length).toBe(1);
  asked[0]?.();
  expect(await Promise.all(both)).toEqual(['answer 1', 'answer 1']);
  const third = readFromDrive(files, '/one');
  await new Promise((resolve) => setImmediate(resolve));
  asked[1]?.();
  expect(await third).toBe('answer 2');
});

test('a missing file does not block the next read, and machines do not block each other', async () => {
  const files = machineFiles({ '/two': '2\n' });
  const silent = { ...files, textLater: () => new Promise<null>(() => {}) };
  void readFromDrive(silent, '/two');
  expect(await Promise.all([readFromDrive(files, '/one'), readFromDrive(files, '/two')])).toEqual([null, '2\n']);
});
