import { expect, test } from 'bun:test';
import { memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { createKeyJournal, keyJournalFile, parseKeyJournal } from './xtest.journal.ts';

const paths = { config: '/c', state: '/s', runtime: null };

test('journal entries are read back, and removed when all keys are restored', () => {
  const storage = memoryStorage();
  const journal = createKeyJournal({ storage, paths });
  const server = '/tmp/.X11-unix/X7';
  journal.note({ server, pressed: 38 });
  journal.note({ server, borrowed: [93, 0x0100_65e5] });
  journal.note({ server, capsLock: false });
  const text = storage.read(keyJournalFile({ paths })) ?? '';
  expect(parseKeyJournal(text)).toEqual([
    { server, pressed: 38 },
    { server, borrowed: [93, 0x0100_65e5] },
    { server, capsLock: false },
  ]);
  journal.clear();
  expect(storage.contents.size).toBe(0);
});

test('a disk that cannot be written does not prevent typing', () => {
  const refuse = () => {
    throw new Error('EROFS');
  };
  const journal = createKeyJournal({ storage: { ...memoryStorage(), append: refuse, remove: refuse }, paths });
  journal.note({ server: 's', pressed: 38 });
  journal.clear();
});

test.each([
  '',
  '{"server":"s","pres',
  'null',
  '[]',
  '{"pressed":38}',
  '{"server":"s","pressed":7}',
  '{"server":"s","pressed":256}',
  '{"server":"s","pressed":"38"}',
  '{"server":"s","borrowed":[38]}',
  '{"server":"s","borrowed":"38"}',
])('the invalid journal line %j is skipped', (line) => {
  expect(parseKeyJournal(`${line}\n{"server":"s","pressed":9}\n`)).toEqual([{ server: 's', pressed: 9 }]);
});
