// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import type { Media } from '../../../src/features/media/media.schema.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineStandin } from '../harness/wine-standin.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needsWine())('media of the Windows build, with a stand-in for Windows.Media.Control', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    const classes = [
      { winrt: 'Windows.Media.Control.GlobalSystemMediaTransportControlsSessionManager' },
      { winrt: 'Windows.Storage.Streams.Buffer' },
    ];
    const standin = wineStandin('fake-media', classes, ['runtimeobject']);
    // Created here: a file written to C: from outside is visible only if it existed before.
    const title = `printf 'First Tone ♫' > "$0/w/pfx/drive_c/standins/title.txt"`;
    hostler = await startWineHostler({ mounts: [...(standin.mounts ?? []), title] });
  });
  afterAll(() => hostler?.stop());

  const read = async () => (await (await hostler.get('/api/data/media')).json()) as Media;
  const orders = () => fs.readFileSync(hostler.drive('standins/orders.txt'), 'utf8').trim().split(/\r?\n/);

  test('the playing media, with its picture, and all programs', async () => {
    const media = await read();
    expect(media).toMatchObject({
      title: 'First Tone ♫',
      artist: 'Test Artist',
      album_title: 'Test Album',
      album_artist: 'Various',
      type: 'music',
      status: 'PLAYING',
      duration: 180,
      playback_rate: 1,
      volume: null,
      track_number: 3,
      shuffle: false,
      repeat: 'LIST',
      is_stop_enabled: true,
      is_previous_enabled: false,
      is_rewind_enabled: true,
    });
    expect(media.thumbnail).toStartWith('data:image/gif;base64,R0lGODlh');
    // It has gone on since 42.5 s.
    expect(media.position).toBeGreaterThan(42.5);
    expect(media.players).toEqual([
      {
        name: 'Maker.Player_abc123!Player',
        identity: 'Player',
        is_current: true,
        status: 'PLAYING',
        title: 'First Tone ♫',
        artist: 'Test Artist',
      },
      { name: 'chrome.exe', identity: 'chrome', is_current: false, status: 'PAUSED', title: null, artist: null },
    ]);
  });

  test('actions reach the intended program', async () => {
    const client = await connectSocket(hostler);
    const order = async (input: object) => JSON.stringify(await client.ask('MEDIA_CONTROL', input));
    for (const [input, received] of [
      [{ action: 'PAUSE' }, 'pause 0'],
      [{ action: 'PLAY', player: 'chrome' }, 'play 1'],
      [{ action: 'PLAY_PAUSE' }, 'toggle 0'],
      [{ action: 'NEXT' }, 'next 0'],
      [{ action: 'POSITION', value: 90 }, 'position 90'],
      [{ action: 'POSITION', value: 4000 }, 'position 180'],
      [{ action: 'SHUFFLE', value: true }, 'shuffle 1'],
      [{ action: 'REPEAT', value: 1 }, 'repeat 1'],
    ] as const) {
      expect(await order(input)).toContain('MEDIA_CONTROLLED');
      expect(orders().at(-1)).toBe(received);
    }
    await order({ action: 'POSITION', value: 60 });
    await order({ action: 'PAUSE' });
    await order({ action: 'SEEK', value: -20 });
    expect(orders().at(-1)).toMatch(/^position 4\d$/);
    expect(await read()).toMatchObject({ status: 'PAUSED', shuffle: true, repeat: 'TRACK' });
    expect(await order({ action: 'PREVIOUS' })).toContain('cannot PREVIOUS now');
    expect(await order({ action: 'NEXT', player: 'vlc' })).toContain(
      'available: Maker.Player_abc123!Player, chrome.exe',
    );
    client.end();
  });

  test('another title is pushed', async () => {
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['media'] });
    await client.until(({ module }) => module === 'media', 'what is now');
    fs.writeFileSync(hostler.drive('standins/title.txt'), 'Second Tone');
    await client.until(
      ({ module, data }) => module === 'media' && (data as Media).title === 'Second Tone',
      'the next title',
    );
    client.end();
  });
});

describe.skipIf(!needsWine())('media of the Windows build, where there are no media controls', () => {
  test('the reason says so', async () => {
    const hostler = await startWineHostler();
    try {
      expect(((await (await hostler.get('/api/data/media')).json()) as Media).players).toEqual([]);
      expect(await (await hostler.get('/api/modules')).text()).toContain('This Windows has no media controls');
    } finally {
      await hostler.stop();
    }
  });
});
