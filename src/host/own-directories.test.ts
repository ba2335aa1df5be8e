import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { identitiesOf } from './contained/contained.opened.ts';
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

describe('the same directory by another path', () => {
  let home = '';
  const inHome = (...names: string[]) => path.join(home, ...names);
  beforeAll(() => {
    home = fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-own-')));
    for (const name of ['config', 'state/history', 'music/bound']) fs.mkdirSync(inHome(name), { recursive: true });
    fs.writeFileSync(inHome('state', 'tokens.json'), 'secret');
  });
  afterAll(() => fs.rmSync(home, { recursive: true }));

  test('is recognised by device and inode', () => {
    const places = { config: inHome('config'), state: inHome('state'), runtime: null };
    const isOursHere = createOwnPlaces(places, fakeClock());
    const other = inHome('music', 'bound', 'tokens.json');
    expect(isOursHere(other, identitiesOf(inHome('state', 'tokens.json')))).toBe(true);
    expect(isOursHere(other, identitiesOf(inHome('state', 'history')))).toBe(true);
    expect(isOursHere(other, identitiesOf(inHome('state')))).toBe(true);
    expect(isOursHere(other, identitiesOf(inHome('music', 'bound')))).toBe(false);
  });

  test.skipIf(!canMount())('is not served through a bind mount', () => {
    const script = 'mount --bind "$1/state" "$1/music/bound" && exec "$2" "$3" "$1"';
    const probe = path.resolve(import.meta.dirname, '../../test/harness/served-probe.ts');
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['--mount', '--propagation=private', 'sh', '-c', script, 'sh', home, process.execPath, probe],
      { encoding: 'utf8' },
    );
    expect({ stdout, stderr }).toEqual({ stdout: 'ours ours\n', stderr: '' });
  });
});

/** Bind mounts need root and a mount namespace. */
function canMount(): boolean {
  const args = ['--mount', '--propagation=private', 'mount', '--bind', os.tmpdir(), os.tmpdir()];
  const can = process.getuid?.() === 0 && spawnSync('unshare', args).status === 0;
  if (!can) console.warn('skipped: a directory can be bind-mounted by root only, in a mount namespace');
  return can;
}
