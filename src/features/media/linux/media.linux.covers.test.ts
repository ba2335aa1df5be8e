import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { countOpenFiles } from '../../../../test/harness/open-files.ts';
import { pictures } from '../../../../test/harness/pictures.ts';
import { startThread } from '../../../app/threads/start-thread.ts';
import { createClock } from '../../../host/clock.ts';
import { createContained } from '../../../host/linux/storage/contained.ts';
import { createOwnPlaces } from '../../../host/own-directories.ts';
import { defaultSettings } from '../../index.ts';
import { artworkAt } from './media.artwork.ts';

let root: string;
let home: string;
beforeAll(() => {
  // Not in /tmp, which is itself a directory for covers.
  root = fs.realpathSync(
    fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.homedir(), 'hostler-covers-')),
  );
  home = path.join(root, 'ann');
  const pictureAt = (name: string) => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), pictures.png);
  };
  for (const name of [...covers, ...elsewhere]) pictureAt(name);
  for (const name of ['ann/Downloads/album/song.flac', 'ann/.private/song.mp3', 'ann/note.txt', 'ann/film.mkv'])
    pictureAt(name);
  fs.symlinkSync(path.join(home, 'Documents', 'scan.png'), path.join(home, '.cache', 'link.png'));
  fs.symlinkSync(path.join(home, 'Documents', 'scan.png'), path.join(home, 'Downloads', 'album', 'link.png'));
});
afterAll(() => fs.rmSync(root, { recursive: true }));

const covers = [
  'ann/.cache/vlc/art/artistalbum/a/b/art.png',
  'ann/.mozilla/firefox/firefox-mpris/1234_5.png',
  'ann/.var/app/org.videolan.VLC/cache/vlc/art.png',
  'ann/.var/app/org.mozilla.firefox/.mozilla/firefox/firefox-mpris/1_2.png',
  'ann/snap/spotify/common/.cache/cover.png',
  'ann/.local/share/strawberry/strawberry/albumcovers/x.png',
  'ann/Music/album/cover.png',
  'ann/Videos/.covers/film.png',
  'films/poster.png',
  'run/app/org.chromium.Chromium/cover.png',
  'temporary/.org.chromium.Chromium.x/cover.png',
];
const elsewhere = [
  'ann/Documents/scan.png',
  'ann/Pictures/holiday.png',
  'ann/.ssh/key.png',
  'ann/.cache/thumbnails/normal/0123456789abcdef.png',
  'ann/.cache/hostler/x.png',
  'ann/.var/app/org.videolan.VLC/data/private.png',
  'ann/snap/spotify/common/private.png',
  'ann/Downloads/album/cover.png',
  'ann/Downloads/other.png',
  'ann/.private/cover.png',
  'run/other.png',
];

function of(cover: string, played: string | null = null) {
  const clock = createClock();
  const paths = {
    config: path.join(home, '.config/hostler'),
    state: path.join(home, '.cache/hostler'),
    runtime: path.join(root, 'run'),
  };
  const contained = createContained(clock, startThread, createOwnPlaces(paths, clock));
  const environment = { home, variables: { TMPDIR: path.join(root, 'temporary') } };
  const host = fakeHost({ contained, storage: memoryStorage(), paths, environment });
  const media = { directories: [{ name: 'Films', path: path.join(root, 'films') }] };
  const at = (name: string) => (name.startsWith('/') ? name : path.join(root, name));
  return artworkAt(at(cover), played === null ? null : `file://${at(played)}`, {
    host,
    settings: () => ({ ...defaultSettings, media, files: { hidden: false } }),
  });
}

test.each(covers)('%s is a cover', async (name) => {
  expect((await of(name)).thumbnail).toStartWith('data:image/png;base64,');
});

test.each(elsewhere)('%s is not a cover, although it is a picture', async (name) => {
  expect(await of(name)).toEqual({ thumbnail: null, reason: expect.stringContaining('directory for covers') });
});

test('a link out of a directory for covers is not followed', async () => {
  expect((await of('ann/.cache/link.png')).thumbnail).toBeNull();
});

describe('a cover beside the track', () => {
  test.each([
    ['ann/Downloads/album/cover.png', 'ann/Downloads/album/song.flac', true],
    ['ann/Downloads/other.png', 'ann/Downloads/album/song.flac', false],
    ['ann/Downloads/album/cover.png', 'ann/film.mkv', false],
    ['ann/Downloads/album/cover.png', 'ann/Downloads/album/nothing.flac', false],
    ['ann/Downloads/album/link.png', 'ann/Downloads/album/song.flac', false],
    ['ann/.private/cover.png', 'ann/.private/song.mp3', false],
    ['ann/.ssh/key.png', 'ann/.ssh/key.png', false],
    ['ann/Documents/scan.png', 'ann/note.txt', false],
  ])('the picture %s beside the track %s is shown: %p', async (cover, played, isShown) => {
    expect((await of(cover, played)).thumbnail !== null).toBe(isShown);
  });
});

test('all descriptors are closed', async () => {
  const before = countOpenFiles(root);
  for (const name of [...covers, ...elsewhere]) await of(name, 'ann/Downloads/album/song.flac');
  expect(countOpenFiles(root)).toBe(before);
});

test.each(['EAGAIN', 'EIO', 'EMFILE', 'ENOMEM', 'EUCLEAN'])(
  'a cover that fails with %s is reported as unreadable',
  async (code) => {
    const contained = createContained(createClock(), startThread);
    const fail = () => {
      throw Object.assign(new Error(code), { code });
    };
    const find: typeof contained.find = async (base, name) => {
      const entry = await contained.find(base, name);
      return typeof entry === 'string' ? entry : { ...entry, open: fail };
    };
    const paths = { config: '/c', state: '/s', runtime: null };
    const host = fakeHost({
      contained: { ...contained, find },
      storage: memoryStorage(),
      paths,
      environment: { home },
    });
    const artwork = await artworkAt(path.join(home, '.cache/vlc/art/artistalbum/a/b/art.png'), null, {
      host,
      settings: () => defaultSettings,
    });
    expect(artwork).toEqual({ thumbnail: null, reason: expect.stringContaining('cannot be read') });
  },
);
