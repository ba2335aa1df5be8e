import { expect, test } from 'bun:test';
import { memoryStorage } from '../../test/doubles/fake-host.ts';
import { NewerFile } from '../lib/file-version.ts';
import { checkStateVersion, migrateState, type StateStep } from './state-version.ts';

const paths = { state: '/state', config: '/config', runtime: null };
const file = '/state/version.json';
const stamp = (version: unknown) => ({ [file]: JSON.stringify({ version }) });

test('a state directory without a version counts as the first one, and gets a number at the first start', () => {
  const storage = memoryStorage();
  expect(checkStateVersion({ storage, paths })).toBe(1);
  migrateState({ storage, paths });
  expect(JSON.parse(storage.contents.get(file) ?? '')).toEqual({ version: 1 });
});

test.each([2, 99, 0, -1, 1.5, '1', null, {}, Number.MAX_SAFE_INTEGER])(
  'version %p is refused, and nothing is written',
  (version) => {
    const storage = memoryStorage(stamp(version));
    const before = new Map(storage.contents);
    expect(() => checkStateVersion({ storage, paths })).toThrow(NewerFile);
    expect(() => migrateState({ storage, paths })).toThrow(/move the directory \/state away/);
    expect(storage.contents).toEqual(before);
  },
);

test.each(['', '{', '[]', '{}', 'null'])('an unreadable number (%j) is an error', (text) => {
  const storage = memoryStorage({ [file]: text });
  expect(() => migrateState({ storage, paths })).toThrow('is damaged');
});

test('an older state is migrated step by step, each step once', () => {
  const done: string[] = [];
  const step =
    (name: string): StateStep =>
    ({ storage }) => {
      done.push(name);
      storage.write('/state/x', `${storage.read('/state/x') ?? ''}${name}`);
    };
  const steps = [step('a'), step('b'), step('c')];
  const storage = memoryStorage(stamp(2));
  migrateState({ storage, paths }, steps);
  migrateState({ storage, paths }, steps);
  expect(done).toEqual(['b', 'c']);
  expect(storage.contents.get('/state/x')).toBe('bc');
  expect(checkStateVersion({ storage, paths }, steps)).toBe(4);
});

test('after a failed step, the next start continues where it stopped', () => {
  let isFull = true;
  const done: string[] = [];
  const steps: StateStep[] = [
    () => void done.push('a'),
    () => {
      if (isFull) throw new Error('the disk is full');
      done.push('b');
    },
  ];
  const storage = memoryStorage();
  expect(() => migrateState({ storage, paths }, steps)).toThrow('the disk is full');
  expect(checkStateVersion({ storage, paths }, steps)).toBe(2);
  isFull = false;
  migrateState({ storage, paths }, steps);
  expect(done).toEqual(['a', 'b']);
});

test('a full disk does not prevent a start that needs no step', () => {
  const storage = {
    ...memoryStorage(),
    write() {
      throw new Error('the disk is full');
    },
  };
  migrateState({ storage, paths });
  expect(checkStateVersion({ storage, paths })).toBe(1);
});
