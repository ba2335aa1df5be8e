// Not on Windows: its directories and links are those of a Linux machine; test/real reads files under Wine.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import type { Contained } from '../../host/contained/contained.ts';
import { parseUserDirs } from '../../host/linux/storage/user-directories.ts';
import { basesOf, lookInBases } from './bases.ts';

describe('user-dirs.dirs', () => {
  const parse = (text: string) => Object.fromEntries(parseUserDirs(text, '/home/ann'));

  test.each([
    ['XDG_MUSIC_DIR="$HOME/Musik"', { music: '/home/ann/Musik' }],
    ['XDG_MUSIC_DIR="/data/music/"', { music: '/data/music' }],
    ['  XDG_MUSIC_DIR = "$HOME/a"  # mine', { music: '/home/ann/a' }],
    ['XDG_MUSIC_DIR="$HOME/say \\"hi\\" for \\$5"', { music: '/home/ann/say "hi" for $5' }],
    ['XDG_MUSIC_DIR="$HOME/Müsli & mehr"', { music: '/home/ann/Müsli & mehr' }],
    ['XDG_MUSIC_DIR="$HOME/a"\nXDG_MUSIC_DIR="$HOME/b"', { music: '/home/ann/b' }],
    ['XDG_MUSIC_DIR="$HOME/a"\r', { music: '/home/ann/a' }],
    ['XDG_MUSIC_DIR="/"', { music: '/' }],
    ['# XDG_MUSIC_DIR="$HOME/a"', {}],
    ['XDG_MUSIC_DIR=$HOME/a', {}],
    ['XDG_MUSIC_DIR="Musik"', {}],
    ['XDG_MUSIC_DIR="$HOMER/a"', {}],
    ['XDG_MUSIC_DIR=""', {}],
    ['MUSIC="$HOME/a"', {}],
    ['', {}],
  ])('%s', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test.each(['$HOME', '$HOME/', '$HOME//', '/home/ann', '/home/ann/'])(
    'a directory that points to the home (%s) is switched off',
    (value) => {
      expect(parse(`XDG_MUSIC_DIR="$HOME/Music"\nXDG_MUSIC_DIR="${value}"`)).toEqual({});
    },
  );
});

describe('the base directories of served files', () => {
  const contained: Contained = { find: () => 'missing', isOurs: () => false, mayHang: () => false };
  const pathsOf = async (
    files: Record<string, string>,
    directories: { name: string; path: string }[] = [],
    variables: Record<string, string> = {},
  ): Promise<Record<string, string>> => {
    const host = fakeHost({ contained, storage: memoryStorage(files), environment: { home: '/home/ann', variables } });
    const bases = await basesOf(host, { media: { directories } });
    return Object.fromEntries(bases.map(({ key, path }) => [key, path]));
  };
  const defaults = {
    home: '/home/ann',
    documents: '/home/ann/Documents',
    downloads: '/home/ann/Downloads',
    music: '/home/ann/Music',
    pictures: '/home/ann/Pictures',
    videos: '/home/ann/Videos',
  };

  test('without user-dirs.dirs they have their English names in the home', async () => {
    expect(await pathsOf({})).toEqual(defaults);
  });

  test('home comes first, and each base has a name for people', async () => {
    const host = fakeHost({ contained, storage: memoryStorage(), environment: { home: '/home/ann' } });
    const bases = await basesOf(host, { media: { directories: [{ name: 'Films', path: '/films' }] } });
    expect(bases.map(({ name }) => name)).toEqual([
      'Home',
      'Documents',
      'Downloads',
      'Music',
      'Pictures',
      'Videos',
      'Films',
    ]);
  });

  test('user-dirs.dirs says where the bases are, and adds others', async () => {
    const text = [
      'XDG_DOWNLOAD_DIR="$HOME/Geladen"',
      'XDG_DESKTOP_DIR="$HOME/Schreibtisch"',
      'XDG_PUBLICSHARE_DIR="$HOME/Offen"',
      'XDG_TEMPLATES_DIR="$HOME/"',
      'XDG_MUSIC_DIR="$HOME"',
    ].join('\n');
    expect(await pathsOf({ '/home/ann/.config/user-dirs.dirs': text })).toEqual({
      ...defaults,
      downloads: '/home/ann/Geladen',
      desktop: '/home/ann/Schreibtisch',
      public: '/home/ann/Offen',
    });
  });

  test('user-dirs.dirs is read from XDG_CONFIG_HOME, unless that is relative', async () => {
    const files = {
      '/etc/ann/user-dirs.dirs': 'XDG_MUSIC_DIR="/m"',
      '/home/ann/.config/user-dirs.dirs': 'XDG_MUSIC_DIR="/n"',
    };
    expect((await pathsOf(files, [], { XDG_CONFIG_HOME: '/etc/ann' })).music).toBe('/m');
    expect((await pathsOf(files, [], { XDG_CONFIG_HOME: 'etc/ann' })).music).toBe('/n');
  });

  test('an unreadable user-dirs.dirs is ignored', async () => {
    const storage = {
      ...memoryStorage(),
      read: () => {
        throw new Error('EACCES');
      },
    };
    const host = fakeHost({ contained, storage, environment: { home: '/home/ann' } });
    expect(await basesOf(host, { media: { directories: [] } })).toHaveLength(6);
  });

  test.each([
    ['/srv/films', '/srv/films'],
    ['/srv/../srv/films/', '/srv/films'],
    ['films', '/home/ann/films'],
    ['~', '/home/ann'],
    ['~/films', '/home/ann/films'],
    ['~bob/films', '/home/ann/~bob/films'],
  ])('a directory of the settings at %s is %s', async (path, expected) => {
    expect((await pathsOf({}, [{ name: 'films', path }])).films).toBe(expected);
  });

  test('the settings cannot redefine a built-in key or one of the desktop', async () => {
    const files = { '/home/ann/.config/user-dirs.dirs': 'XDG_DESKTOP_DIR="$HOME/Desktop"\nXDG_HOME_DIR="/other"' };
    const taken = ['home', 'music', 'desktop'].map((name) => ({ name, path: '/etc' }));
    expect(await pathsOf(files, [...taken, { name: 'twice', path: '/a' }, { name: 'twice', path: '/b' }])).toEqual({
      ...defaults,
      desktop: '/home/ann/Desktop',
      twice: '/a',
    });
  });
});

describe('an absolute path', () => {
  let directory: string;
  let home: string;
  beforeAll(() => {
    directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-bases-')));
    home = path.join(directory, 'ann');
    for (const name of ['ann/Documents', 'data/music', 'ann-secret']) {
      fs.mkdirSync(path.join(directory, name), { recursive: true });
    }
    for (const name of ['ann/Documents/a.txt', 'data/music/song.mp3', 'data/other.txt', 'ann-secret/x.txt']) {
      fs.writeFileSync(path.join(directory, name), name);
    }
    fs.symlinkSync('../data/music', path.join(home, 'Music'));
    fs.symlinkSync('../data/other.txt', path.join(home, 'out.txt'));
    fs.symlinkSync('Documents/a.txt', path.join(home, 'in.txt'));
  });
  afterAll(() => fs.rmSync(directory, { recursive: true }));

  const resolve = (file: string) => {
    const host = fakeHost({ contained: realContained(), storage: memoryStorage(), environment: { home } });
    return lookInBases(host, { media: { directories: [] }, files: { hidden: true } }, file);
  };

  test.each([
    ['ann/Documents/a.txt', 'documents', 'a.txt', 'ann/Documents/a.txt'],
    ['ann/in.txt', 'home', 'in.txt', 'ann/Documents/a.txt'],
    ['ann/./Documents//../in.txt', 'home', 'in.txt', 'ann/Documents/a.txt'],
    ['ann/Documents', 'documents', '.', 'ann/Documents'],
    ['ann', 'home', '.', 'ann'],
    ['ann/Music/song.mp3', 'music', 'song.mp3', 'data/music/song.mp3'],
    ['data/music/song.mp3', 'music', 'song.mp3', 'data/music/song.mp3'],
  ])('%s is in %s, as %s, with the real path %s', async (asked, key, relative, real) => {
    expect(await resolve(path.join(directory, asked))).toMatchObject({
      base: { key },
      relative,
      realPath: path.join(directory, real),
    });
  });

  test('may begin with ~', async () => {
    expect(await resolve('~/in.txt')).toMatchObject({ realName: 'a.txt', kind: 'file' });
  });

  test.each(['ann/out.txt', 'data/other.txt', 'ann-secret/x.txt', 'ann/../data/other.txt', 'nothing', 'ann/a\0b'])(
    '%s is in no base, whether it exists or not',
    async (asked) => {
      await expect(resolve(`${directory}/${asked}`)).rejects.toMatchObject({ code: 'forbidden', subtype: 'BAD_PATH' });
    },
  );

  test.each(['in.txt', './in.txt', '', '~bob/in.txt'])('%j is not an absolute path', async (asked) => {
    await expect(resolve(asked)).rejects.toMatchObject({ code: 'forbidden', subtype: 'BAD_PATH' });
  });

  test('a missing path inside a base is not found', async () => {
    await expect(resolve(path.join(home, 'nothing.txt'))).rejects.toMatchObject({
      code: 'not_found',
      subtype: 'BAD_FILE',
    });
  });
});
