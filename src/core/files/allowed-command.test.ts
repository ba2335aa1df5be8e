// Not on Windows: it has no such permissions.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setAcl } from '../../../test/harness/acl.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { fullMessageOf, messageOf } from '../../lib/errors.ts';
import { checkCommand } from './allowed-command.ts';

let home = '';
beforeAll(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-allowed-')));
  fs.chmodSync(home, 0o755);
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

/** A program in its own directory, with these permissions. */
function program(name: string, { file = 0o755, directory = 0o755 } = {}): string {
  const folder = path.join(home, name);
  fs.mkdirSync(folder);
  const place = path.join(folder, 'program');
  fs.writeFileSync(place, '#!/bin/true\n');
  fs.chmodSync(place, file);
  fs.chmodSync(folder, directory);
  return place;
}

const check = (command: string) => {
  const parts = { contained: realContained(), environment: { home } } as unknown as Parameters<typeof checkCommand>[0];
  return checkCommand(parts, { id: 'it', name: 'It', command, workingDir: '', arguments: [] });
};

const refusal = (command: string) =>
  check(command).then(
    () => null,
    (error) => ({ shown: messageOf(error), logged: fullMessageOf(error) }),
  );

test('a program that only its owner can change is run, by the name it was given', async () => {
  const place = program('own');
  fs.symlinkSync(place, path.join(home, 'link'));
  expect(await check(place)).toEqual({ program: place, cwd: home });
  expect(await check(path.join(home, 'link'))).toEqual({ program: path.join(home, 'link'), cwd: home });
});

test.each([
  ['file', { file: 0o757 }],
  ['directory', { directory: 0o757 }],
])('a program whose %s others may write to is not run, and only the log names it', async (what, modes) => {
  const place = program(`exposed-${what}`, modes);
  const found = await refusal(place);
  expect(found?.shown).toBe('The command "it" cannot be run: other users can change its program');
  expect(found?.logged).toContain(`chmod go-w ${what === 'file' ? place : path.dirname(place)}`);
});

test('a link to a program that others may write to is not run, whether its target or its directory is writable', async () => {
  const exposed = program('behind', { file: 0o757 });
  fs.symlinkSync(exposed, path.join(home, 'to-exposed'));
  expect((await refusal(path.join(home, 'to-exposed')))?.logged).toContain(`chmod go-w ${exposed}`);
  const open = path.join(home, 'open');
  fs.mkdirSync(open);
  fs.symlinkSync(program('trusted'), path.join(open, 'link'));
  fs.chmodSync(open, 0o777);
  expect((await refusal(path.join(open, 'link')))?.logged).toContain(`chmod go-w ${open}`);
  fs.chmodSync(open, 0o1777);
  expect(await refusal(path.join(open, 'link'))).toBeNull();
});

test.skipIf(process.getuid?.() !== 0)('a program that another group may write to is not run', async () => {
  const place = program('group', { file: 0o775 });
  expect(await refusal(place)).toBeNull();
  fs.chownSync(place, 0, 1234);
  expect((await refusal(place))?.logged).toContain(`chmod go-w ${place}`);
});

test('a program is not run if an ACL lets another user write to it or to its directory', async () => {
  const place = program('acl');
  for (const changed of [place, path.dirname(place)]) {
    if (!setAcl(changed, ['user', 7, 54_321])) return;
    expect((await refusal(place))?.logged).toContain(`the user 54321 may write to ${changed}`);
    fs.chmodSync(changed, 0o755);
    expect(await refusal(place)).toBeNull();
  }
});

// Only root can give a file to another user.
describe.skipIf(process.getuid?.() !== 0)('a program that another user can replace is not run', () => {
  const other = 54_321;
  /** The log line; the message for clients names no path. */
  const expectRefused = async (command: string, owned: string) => {
    const found = await refusal(command);
    expect(found?.shown).toBe('The command "it" cannot be run: other users can change its program');
    expect(found?.logged).toContain(`${owned} belongs to ${other}. `);
    expect(found?.logged).toContain(`chown -h root ${owned}`);
  };

  test('because that user owns it', async () => {
    const place = program('foreign');
    fs.chownSync(place, other, 0);
    await expectRefused(place, place);
    fs.symlinkSync(place, path.join(home, 'to-foreign'));
    await expectRefused(path.join(home, 'to-foreign'), place);
  });

  test('because that user owns a directory above it, sticky or not', async () => {
    const place = program('foreign-directory');
    fs.chownSync(path.dirname(place), other, 0);
    await expectRefused(place, path.dirname(place));
    fs.chmodSync(path.dirname(place), 0o1777);
    await expectRefused(place, path.dirname(place));
  });

  test('because that user created it or a link to it in a shared directory', async () => {
    const shared = path.join(home, 'shared');
    fs.mkdirSync(shared);
    fs.chmodSync(shared, 0o1777);
    const place = path.join(shared, 'program');
    expect((await refusal(place))?.shown).toBe('The command "it" cannot be run: its program does not exist');
    fs.writeFileSync(place, '#!/bin/true\n', { mode: 0o755 });
    expect(await refusal(place)).toBeNull();
    fs.chownSync(place, other, 0);
    await expectRefused(place, place);
    fs.rmSync(place);
    fs.symlinkSync(program('linked'), place);
    expect(await refusal(place)).toBeNull();
    fs.lchownSync(place, other, 0);
    // A link on the way to the program counts too.
    fs.symlinkSync('shared/program', path.join(home, 'through'));
    await expectRefused(path.join(home, 'through'), place);
  });
});

test('a program is not run where the system reports no permissions', async () => {
  const { exposureOf: _left, ...contained } = realContained();
  const parts = { contained, environment: { home } } as unknown as Parameters<typeof checkCommand>[0];
  const given = { id: 'it', name: 'It', command: program('unknown'), workingDir: '', arguments: [] };
  await expect(checkCommand(parts, given)).rejects.toThrow('cannot be checked (ENOSYS)');
});
