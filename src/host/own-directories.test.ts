import { expect, test } from 'bun:test';
import path from 'node:path';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createOwnPlaces } from './own-directories.ts';

const root = path.resolve('/no/such/home');
const isOurs = createOwnPlaces(
  { config: path.join(root, '.config/hostler'), state: path.join(root, '.local/state/hostler'), runtime: null },
  fakeClock(),
);

test.each([
  ['.config/hostler', true],
  ['.local/state/hostler/tokens.json', true],
  ['.local/STATE/Hostler/tokens.json', true],
  ['.local/state/ho\u017ftler/tokens.json', true],
  ['.local/state/hos\u200dtler/tokens.json', true],
  ['.local/state/hostler-other/notes.txt', false],
  ['.local/state', false],
  ['Müsik/lied.mp3', false],
])('%s belongs to the service, also where a file system ignores case: %p', (place, ours) => {
  expect(isOurs(path.join(root, place))).toBe(ours);
});
