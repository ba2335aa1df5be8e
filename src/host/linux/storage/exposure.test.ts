import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setAcl } from '../../../../test/harness/acl.ts';
import { exposureAbove, exposureOf } from './exposure.ts';

const other = 54_321;
let home = '';
beforeAll(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-exposure-')));
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

function directory(...names: string[]): string {
  const place = path.join(home, ...names);
  fs.mkdirSync(place, { recursive: true, mode: 0o700 });
  return place;
}

test('a directory of this user alone is safe, by any chain of its own links, and also before it exists', () => {
  fs.symlinkSync(directory('own'), path.join(home, 'second'));
  fs.symlinkSync('../second', path.join(directory('links'), 'first'));
  for (const place of ['own', 'own/none', 'own/none/none', 'links/first', 'links/first/none', 'links/../own/.'])
    expect(exposureOf(`${home}/${place}`)).toBeNull();
});

test('a mode with write permission for all is found behind every link', () => {
  const open = directory('open');
  fs.symlinkSync(directory('target'), path.join(open, 'link'));
  fs.symlinkSync(path.join(open, 'link'), path.join(home, 'to-open'));
  fs.chmodSync(open, 0o757);
  for (const place of ['to-open', 'to-open/none'])
    expect(exposureOf(path.join(home, place))?.fix).toBe(`chmod go-w ${open}`);
  fs.chmodSync(open, 0o1757);
  expect(exposureOf(path.join(home, 'to-open'))).toBeNull();
});

test('a dangling link is followed as far as it leads', () => {
  const open = directory('dangling');
  fs.symlinkSync(path.join(open, 'later'), path.join(home, 'to-later'));
  expect(exposureOf(path.join(home, 'to-later'))).toBeNull();
  fs.chmodSync(open, 0o757);
  expect(exposureOf(path.join(home, 'to-later'))?.fix).toBe(`chmod go-w ${open}`);
});

// Only root can give a file to another user.
describe.skipIf(process.getuid?.() !== 0)('a path is exposed where another user', () => {
  test('owns a directory with a link in the middle of the way', () => {
    const theirs = directory('theirs');
    fs.symlinkSync(directory('real'), path.join(theirs, 'link'));
    fs.symlinkSync(path.join(theirs, 'link'), path.join(home, 'state'));
    expect(exposureOf(path.join(home, 'state'))).toBeNull();
    fs.chownSync(theirs, other, other);
    expect(exposureOf(path.join(home, 'state'))).toEqual({
      problem: `${theirs}, in which it lies, belongs to ${other}`,
      fix: `chown -R root ${theirs}`,
    });
  });

  test('owns a link, which a sticky directory does not prevent', () => {
    const shared = directory('shared');
    fs.chmodSync(shared, 0o1777);
    const link = path.join(shared, 'link');
    fs.symlinkSync(directory('behind'), link);
    expect(exposureOf(link)).toBeNull();
    fs.lchownSync(link, other, other);
    for (const found of [exposureOf(link), exposureAbove(path.join(link, 'socket'))])
      expect(found).toEqual({
        problem: `the link ${link} on the way to it belongs to ${other}`,
        fix: `chown -h root ${link}`,
      });
  });
});

test('an ACL that lets another user or a group write is found, on the directory or above it', () => {
  const place = directory('acl', 'state');
  const fixFor = (at: string) => ({ fix: `chmod go-w ${at}` });
  if (!setAcl(place, ['user', 7, other])) return;
  expect(fs.statSync(place).mode & 0o777).toBe(0o770);
  expect(exposureOf(place)).toEqual({ problem: `the user ${other} may write to it`, ...fixFor(place) });
  expect(exposureOf(path.join(place, 'token'))).toMatchObject(fixFor(place));
  setAcl(place, ['group', 7, other]);
  expect(exposureOf(place)).toEqual({ problem: `the group ${other} may write to it`, ...fixFor(place) });
  setAcl(place, ['user', 5, other], ['user', 7, process.getuid?.() ?? 0], ['user', 7, 0]);
  expect(exposureOf(place)).toBeNull();
  const above = path.dirname(place);
  setAcl(above, ['user', 7, other]);
  expect(exposureOf(place)).toMatchObject(fixFor(above));
  // The command in the message removes the permission from the mask.
  fs.chmodSync(above, 0o750);
  expect(exposureOf(place)).toBeNull();
});
