// Not on Windows: its directories and links are those of Unix; test/real reads files under Wine.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeActionContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { actionFor, perform } from '../../../test/harness/perform.ts';
import { startThread } from '../../app/threads/start-thread.ts';
import { filesActions } from '../../features/files/files.ts';
import { defaultSettings } from '../../features/index.ts';
import { createClock } from '../../host/clock.ts';
import { createContained } from '../../host/linux/storage/contained.ts';
import { createOwnPlaces } from '../../host/own-directories.ts';
import { createOpenServedFile } from './open-served-file.ts';
import { pathToOpen } from './open-target.ts';

let home: string;
beforeAll(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-home-')));
  const write = (name: string, text = 'x') => {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  };
  write('dotfiles/config/hostler/settings.json');
  write('dotfiles/config/other/page.html');
  fs.symlinkSync('dotfiles/config', path.join(home, '.config'));
  write('.local/state/hostler/token', 'secret');
  write('.local/state/hostler/tokens.txt', 'secret');
  write('.local/state/hostler-other/notes.txt');
  write('.ssh/id.txt', 'secret');
  write('Music/.hidden.mp3');
  write('Music/song.mp3');
  write('Music/...odd/song.mp3');
  fs.symlinkSync('../.local/state/hostler', path.join(home, 'Music', 'state'));
  fs.symlinkSync('../.local/state/hostler/tokens.txt', path.join(home, 'Music', 'tokens.txt'));
  fs.symlinkSync('.ssh', path.join(home, 'keys'));
});
afterAll(() => fs.rmSync(home, { recursive: true }));

function machine(hidden: boolean, directories: { name: string; path: string }[] = []) {
  const clock = createClock();
  const paths = {
    config: path.join(home, '.config', 'hostler'),
    state: path.join(home, '.local', 'state', 'hostler'),
    runtime: null,
  };
  const contained = createContained(clock, startThread, createOwnPlaces(paths, clock));
  const host = fakeHost({ contained, storage: memoryStorage(), environment: { home } });
  const settings = { ...defaultSettings, media: { directories }, files: { hidden } };
  const { context } = fakeActionContext(host, { settings: () => settings });
  const ask = (event: string, input: object) => perform(actionFor(filesActions, event), input, context);
  return {
    ask,
    names: async (base: string, asked?: string) => {
      const entries = await ask('GET_FILES', { base, path: asked ?? null });
      return Array.isArray(entries) ? entries.map(({ name }) => name) : [];
    },
    serve: async (base: string, asked: string) =>
      (await createOpenServedFile(host, () => settings)(base, asked)).close(),
    open: (file: string) => pathToOpen(host, settings, file),
  };
}

const code = (work: Promise<unknown>) =>
  work.then(() => 'served').catch((thrown) => `${thrown.code} ${thrown.subtype}`);

describe('the directories of the service itself', () => {
  const ours = [
    ['home', '.local/state/hostler/tokens.txt'],
    ['home', '.local/state/./hostler/tokens.txt'],
    ['home', '.config/hostler/settings.json'],
    ['home', 'dotfiles/config/hostler/settings.json'],
    ['music', 'tokens.txt'],
    ['home', 'Music/state/tokens.txt'],
    ['state', 'tokens.txt'],
    ['everything', 'tokens.txt'],
  ] as const;
  const directories = () => [
    { name: 'state', path: path.join(home, '.local/state/hostler') },
    { name: 'everything', path: path.join(home, 'Music', 'state') },
  ];

  test.each(ours)('%s: %s is neither served nor described nor opened', async (base, file) => {
    const { serve, ask, open } = machine(true, directories());
    expect(await code(serve(base, file))).toContain('forbidden');
    expect(await code(ask('GET_FILE', { base, path: file }))).toContain('forbidden');
    if (base === 'home') expect(await code(open(path.join(home, file)))).toBe('forbidden BAD_PATH');
  });

  test('the directories of the service and their content are not listed', async () => {
    const { names, ask } = machine(true, directories());
    expect(await names('home', '.local/state')).toEqual(['hostler-other']);
    expect(await names('home', '.config')).toEqual(['other']);
    expect(await names('home', 'dotfiles/config')).toEqual(['other']);
    expect(await code(names('home', '.local/state/hostler'))).toBe('forbidden BAD_PATH');
    expect(await code(names('state'))).toBe('forbidden BAD_PATH');
    const listed = JSON.stringify(await ask('GET_DIRECTORIES', {}));
    expect(listed).not.toContain('hostler"');
    expect(await code(ask('GET_DIRECTORY', { base: 'state' }))).toContain('BAD_DIRECTORY');
  });

  test('a neighbour with a longer name is served', async () => {
    expect(await code(machine(true).serve('home', '.local/state/hostler-other/notes.txt'))).toBe('served');
  });

  test('a token file is not opened, by whatever name', async () => {
    const { open } = machine(true);
    for (const file of [
      '.local/state/hostler/token',
      '.local/state/hostler',
      'Music/state',
      '.config/hostler/settings.json',
    ])
      expect(await code(open(path.join(home, file)))).toBe('forbidden BAD_PATH');
  });
});

describe('hidden files', () => {
  const hidden = [
    ['home', '.ssh/id.txt'],
    ['home', 'keys/id.txt'],
    ['home', '.ssh/nothing.txt'],
    ['music', '.hidden.mp3'],
    ['music', '...odd/song.mp3'],
  ] as const;

  test.each(hidden)('%s: %s is refused with files.hidden false, whether it exists or not', async (base, file) => {
    const { serve, ask, open } = machine(false);
    expect(await code(serve(base, file))).toBe('forbidden BAD_PATH');
    expect(await code(ask('GET_FILE', { base, path: file }))).toBe('forbidden BAD_PATH');
    expect(await code(ask('GET_FILES', { base, path: path.dirname(file) }))).toBe(
      base === 'music' && file === '.hidden.mp3' ? 'served' : 'forbidden BAD_PATH',
    );
    if (base === 'home') expect(await code(open(path.join(home, file)))).toBe('forbidden BAD_PATH');
  });

  test('hidden files are served and listed by default', async () => {
    const { serve, names } = machine(true);
    for (const [base, file] of hidden) {
      if (!file.includes('nothing')) expect(await code(serve(base, file))).toBe('served');
    }
    expect(await names('home')).toEqual(['.config', '.local', '.ssh', 'Music', 'dotfiles', 'keys']);
  });

  test('hidden files are not listed; a link to one is only a link', async () => {
    const { ask, names } = machine(false);
    expect(await names('home')).toEqual(['Music', 'dotfiles', 'keys']);
    expect(await names('music')).toEqual(['song.mp3', 'state', 'tokens.txt']);
    expect(await ask('GET_FILES', { base: 'home' })).toContainEqual(
      expect.objectContaining({ name: 'keys', isDirectory: false, permissions: 'lrwxrwxrwx' }),
    );
  });

  test('a base inside a hidden directory is served, because the settings name it', async () => {
    const { serve, names } = machine(false, [{ name: 'keys', path: '~/.ssh' }]);
    expect(await code(serve('keys', 'id.txt'))).toBe('served');
    expect(await names('keys')).toEqual(['id.txt']);
  });
});
