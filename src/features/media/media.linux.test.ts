import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { type FakePlayer, fakePlayers, fakeSession, playing, settled } from '../../../test/doubles/fake-players.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { collectReasons, unexplained } from '../../../test/harness/machines.ts';
import { pictures } from '../../../test/harness/pictures.ts';
import { defaultSettings } from '../index.ts';
import { artworkAt } from './linux/media.artwork.ts';
import { mediaLinux } from './media.linux.ts';
import { media } from './media.ts';

const { png } = pictures;

function source(players: Record<string, FakePlayer>) {
  const fake = fakePlayers(players);
  const { session } = fakeSession();
  const host = fakeHost({
    dbus: { session: fake.bus, system: fake.bus },
    session,
    contained: realContained(),
    storage: memoryStorage(),
    paths: { config: '/c', state: '/s', runtime: null },
  });
  const created = mediaLinux(host, fakeContext());
  const read = async () => {
    const { reasons, collected } = collectReasons();
    const payload = await created.read(reasons);
    if (payload === null) throw new Error('media is never absent');
    (await media.module.schema()).parse(payload);
    expect(unexplained(payload, collected)).toEqual([]);
    return { payload, reasons: collected };
  };
  return { ...fake, host, source: created, read };
}

const player = (properties: Record<string, unknown>, name = 'vlc'): FakePlayer => ({
  names: [`org.mpris.MediaPlayer2.${name}`],
  properties,
  identity: name.toUpperCase(),
});

test('every property of a player has its field', async () => {
  const metadata = {
    'mpris:trackid': '/1',
    'mpris:length': 215_000_000n,
    'mpris:artUrl': 'https://example.org/cover.jpg',
    'xesam:title': 'Title',
    'xesam:artist': ['One', 'Two'],
    'xesam:album': 'Album',
    'xesam:albumArtist': ['Both'],
    'xesam:trackNumber': 4,
    'xesam:url': 'file:///music/a.FLAC',
  };
  const { read } = source({
    ':1.1': player(playing('x', { Metadata: metadata, LoopStatus: 'Playlist', Shuffle: true, Volume: 1.7 })),
  });
  const { payload } = await read();
  expect(payload).toEqual({
    title: 'Title',
    artist: 'One, Two',
    album_title: 'Album',
    album_artist: 'Both',
    subtitle: null,
    type: 'music',
    status: 'PLAYING',
    position: 10,
    duration: 215,
    playback_rate: 1,
    volume: 100,
    shuffle: true,
    repeat: 'LIST',
    track_number: 4,
    is_play_enabled: true,
    is_pause_enabled: true,
    is_stop_enabled: true,
    is_next_enabled: true,
    is_previous_enabled: true,
    is_fast_forward_enabled: true,
    is_rewind_enabled: true,
    thumbnail: 'https://example.org/cover.jpg',
    updated_at: Date.UTC(2026, 0, 1) / 1000,
    players: [
      { name: 'vlc', identity: 'VLC', is_current: true, status: 'PLAYING', title: 'Title', artist: 'One, Two' },
    ],
  });
});

test('without a player or a bus everything is null, with a reason', async () => {
  const { read, state } = source({});
  expect(await read()).toEqual({
    payload: media.module.empty,
    reasons: [{ field: null, reason: 'No media player is running', mendable: false }],
  });
  state.there = false;
  const { payload, reasons } = await read();
  expect(payload).toEqual(media.module.empty);
  expect(reasons).toMatchObject([{ field: null, mendable: true }]);
});

test('the payload of a paused player does not change', async () => {
  const { read, source: created, host } = source({ ':1.1': player(playing('x', { PlaybackStatus: 'Paused' })) });
  const stop = created.watch?.(() => {});
  await settled();
  const before = await read();
  host.clock.advance(60_000);
  expect(await read()).toEqual(before);
  stop?.();
});

test('players without properties are listed by name', async () => {
  const { read } = source({ ':1.1': player({}), ':1.2': player({ Metadata: 'x' }, 'mpv') });
  expect((await read()).payload).toMatchObject({
    title: null,
    status: null,
    players: [{ name: 'mpv' }, { name: 'vlc' }],
  });
});

test('artwork is read if it is a small local picture; addresses are passed on', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-artwork-'));
  const contained = realContained();
  const file = (name: string, bytes: Uint8Array) => {
    fs.writeFileSync(path.join(directory, name), bytes);
    return `file://${encodeURI(path.join(directory, name))}`;
  };
  const paths = { config: '/c', state: '/s', runtime: null };
  const environment = { variables: { TMPDIR: os.tmpdir() } };
  const host = fakeHost({ contained, storage: memoryStorage(), paths, environment });
  const at = (url: string | null) => artworkAt(url, null, { host, settings: () => defaultSettings });
  const of = async (url: string | null) => (await at(url)).thumbnail;
  const why = async (url: string | null) => (await at(url)).reason;
  try {
    const data = `data:image/png;base64,${png.toString('base64')}`;
    expect(await of(file('cover ü%.png', png))).toBe(data);
    expect(await of(path.join(directory, 'cover ü%.png'))).toBe(data);
    expect(await of(file('named.txt', pictures.jpeg))).toStartWith('data:image/jpeg;base64,');
    expect(await of('https://example.org/a.jpg')).toBe('https://example.org/a.jpg');
    expect(await of(data)).toBe(data);
    expect(await of(data.replace('png', 'svg+xml'))).toBe(data);
    expect(await why(null)).toBeNull();
    expect(await why(file('begins like one.jpg', Buffer.from([0xff, 0xd8, 0xff, 0])))).toContain('not a picture');
    expect(await why(file('secret.bmp', Buffer.from('BM is how my password begins')))).toContain('not a picture');
    expect(await why(file('secret', Buffer.from('password')))).toContain('not a picture');
    expect(await why(file('large.png', Buffer.concat([png, Buffer.alloc(60_000)])))).toContain('64 KiB');
    expect(await why(file('huge.png', Buffer.concat([png, Buffer.alloc(100_000)])))).toContain('64 KiB');
    expect(await why(`data:image/png;base64,${'A'.repeat(70_000)}`)).toContain('64 KiB');
    for (const other of [
      'text/html,<script>',
      'image/svg+xml,<svg><script/></svg>',
      'image/png,no',
      'image/png;base64,bm8=',
    ])
      expect(await why(`data:${other}`)).toContain('not a picture');
    expect(await why('file://elsewhere/a.png')).toContain('an unknown kind');
    expect(await why('javascript:alert(1)')).toContain('an unknown kind');
    expect(await why('file:///nonexistent/a.png')).toContain('missing');
    expect(await why(`file://${directory}`)).toContain('missing');
    expect(await why('file:///dev/zero')).toContain('missing');
    expect(await why('file:///etc/hostname')).toContain('directory for covers');
    expect(await why('https://ann:secret@example.org/a.jpg')).toContain('credential');
    expect(await why('https://example.org/a.jpg?X-Plex-Token=secret')).toMatch(/^(?!.*secret).*X-Plex-Token/);
    expect(await why(`https://example.org/${'a'.repeat(3000)}`)).toContain('not valid');
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test('up to three players beside the current one have artwork', async () => {
  const withArt = (art: string, status: string) => playing(art, { PlaybackStatus: status, Metadata: metadataOf(art) });
  const metadataOf = (art: string) => ({
    'mpris:trackid': '/1',
    'xesam:title': art,
    'mpris:artUrl': `https://a/${art}`,
  });
  const { read } = source({
    ':1.1': player(withArt('current.png', 'Playing'), 'one'),
    ':1.2': player(withArt('second.png', 'Paused'), 'two'),
    ':1.3': player(playing('bare', { PlaybackStatus: 'Paused', Metadata: { 'mpris:trackid': '/1' } }), 'three'),
    ':1.4': player(withArt('fourth.png', 'Paused'), 'four'),
    ':1.5': player(withArt('fifth.png', 'Paused'), 'five'),
  });
  const { payload } = await read();
  expect(payload.thumbnail).toBe('https://a/current.png');
  const pictures = payload.players.map(({ name, thumbnail }) => [name, thumbnail ?? null]);
  expect(pictures.find(([name]) => name === 'one')?.[1]).toBeNull();
  const others = pictures.filter(([name]) => name !== 'one');
  const shown = others.filter(([, thumbnail]) => thumbnail !== null).length;
  // Three are read; one of them has none.
  expect(shown).toBeGreaterThanOrEqual(2);
  expect(shown).toBeLessThanOrEqual(3);
  for (const [name, thumbnail] of others)
    if (thumbnail !== null)
      expect(thumbnail).toBe(`https://a/${payload.players.find((each) => each.name === name)?.title}`);
});
