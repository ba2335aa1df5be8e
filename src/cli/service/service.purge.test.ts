import { expect, test } from 'bun:test';
import { memoryStorage } from '../../../test/doubles/fake-host.ts';
import { removeForGood } from './service.purge.ts';

test('directories with our name are removed; others are left to the user; missing ones are not named', () => {
  const files = { '/h/.config/hostler': '', '/h/.config/hostler/settings.json': '{}', '/h': '', '/h/diary': 'x' };
  const storage = memoryStorage(files);
  const lines = removeForGood({ storage }, ['/h/.config/hostler', '/h', '/nowhere/hostler']);
  expect(lines).toEqual(['/h/.config/hostler was removed', expect.stringContaining('/h was not removed')]);
  expect(storage.contents.has('/h/.config/hostler/settings.json')).toBe(false);
  expect(storage.contents.has('/h/diary')).toBe(true);
});
