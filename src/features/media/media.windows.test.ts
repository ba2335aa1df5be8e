import { expect, test } from 'bun:test';
import { collectReasons, unexplained } from '../../../test/harness/machines.ts';
import { mediaSchema } from './media.schema.ts';
import { describeMedia } from './media.windows.ts';
import { appName } from './windows/media-session.ts';
import type { MediaSession } from './windows/mediacontrol.ts';

const session = (given: Partial<MediaSession>): MediaSession => ({
  key: 'vlc.exe',
  isCurrent: true,
  title: 'T',
  subtitle: '',
  artist: '',
  albumTitle: '',
  albumArtist: '',
  trackNumber: 0,
  hasThumbnail: false,
  type: 2,
  status: 4,
  rate: 2,
  shuffle: null,
  repeat: null,
  timeline: { start: 10, end: 110, least: 10, most: 110, position: 30, updatedAt: 1000 },
  can: {
    play: true,
    pause: true,
    stop: false,
    next: false,
    previous: false,
    toggle: true,
    shuffle: false,
    repeat: false,
    seek: true,
  },
  ...given,
});

const described = (given: Partial<MediaSession>, now = 1005) => {
  const { reasons, collected } = collectReasons();
  const payload = describeMedia([session(given)], { thumbnail: null, reason: null }, { now, since: 900 }, reasons);
  mediaSchema.parse(payload);
  expect(unexplained(payload, collected)).toEqual([]);
  return payload;
};

test('the position of a playing session is extrapolated at its rate, up to its end', () => {
  expect(described({})).toMatchObject({ position: 30, duration: 100, updated_at: 1005, type: 'video' });
  expect(described({}, 5000).position).toBe(100);
  expect(described({ status: 5 })).toMatchObject({ position: 20, updated_at: 900, status: 'PAUSED' });
});

test('a program that reports no position has none', () => {
  const timeline = { start: 0, end: 0, least: 0, most: 0, position: 0, updatedAt: 0 };
  expect(described({ timeline })).toMatchObject({ position: null, duration: null, updated_at: 900 });
});

test.each([
  ['Spotify.exe', 'Spotify'],
  ['SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify', 'Spotify'],
  ['Microsoft.ZuneMusic_8wekyb3d8bbwe!App', 'ZuneMusic'],
  ['chrome.exe#2', 'chrome'],
  ['308046B0AF4A39CB', '308046B0AF4A39CB'],
  ['', ''],
])('the application id %p has the name %p', (id, name) => {
  expect(appName(id)).toBe(name);
});
