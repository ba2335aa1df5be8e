import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ChildProcess } from 'node:child_process';
import { createStore } from '../../../src/core/store.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { mediaControl } from '../../../src/features/media/media.actions.ts';
import type { Media, MediaControlInput } from '../../../src/features/media/media.schema.ts';
import { media } from '../../../src/features/media/media.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeActionContext, fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { startFakePlayer } from '../doubles/fake-player.ts';
import { halt } from '../harness/halt.ts';
import { needs } from '../harness/parts.ts';
import { createPrivatePlayers, type PrivatePlayers } from '../harness/players.ts';
import { hostIn } from '../harness/session-host.ts';

setDefaultTimeout(120_000);

const hasPlayers = () => needs('dbus-daemon', 'mpv', 'cvlc', 'playerctl', 'sox', 'flac', '/usr/bin/python3');

describe.skipIf(!hasPlayers())('media with real players', () => {
  let players: PrivatePlayers;
  let host: LinuxHost;
  const started: ChildProcess[] = [];
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    players = createPrivatePlayers();
    await players.bus.start();
    host = hostIn({ DBUS_SESSION_BUS_ADDRESS: players.bus.address });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const child of started.splice(0)) await players.stop(child);
  });
  afterAll(async () => {
    await host.close();
    await players.remove();
  });

  const start = (child: ChildProcess) => {
    started.push(child);
    return child;
  };
  const { mpv, vlc } = {
    mpv: () => start(players.mpv(...players.titles)),
    vlc: () => start(players.vlc(...players.titles)),
  };

  /** A listener, and what it received; the interval never elapses. */
  function listener() {
    const settings = { ...defaultSettings, modules: { media: { interval: 86_400_000 } } };
    const store = createStore({ modules: [media.module], host, context: fakeContext({ settings: () => settings }) });
    const pushed: Media[] = [];
    const stop = store.listen('media', ({ payload }) => pushed.push(payload as Media));
    closing.push(() => {
      stop();
      store.close();
    });
    const has = (what: string, condition: (payload: Media) => boolean) =>
      until(() => pushed.length > 0 && condition(pushed.at(-1) as Media), what);
    return { pushed, has, last: () => pushed.at(-1) as Media };
  }

  const readOnce = async (): Promise<Media> => {
    const store = createStore({ modules: [media.module], host, context: fakeContext() });
    const { payload } = await store.get('media');
    store.close();
    return payload as Media;
  };

  function controls() {
    const { context, close } = fakeActionContext(host);
    closing.push(close);
    return async (action: string, value?: MediaControlInput['value'], player?: string) =>
      (await mediaControl.run({ action, value, player }, context)).data;
  }

  test('without any player everything is null, at once', async () => {
    const payload = await readOnce();
    expect(payload).toEqual({ ...media.module.empty, players: [] });
  });

  test('what mpv plays matches playerctl, and every change is pushed', async () => {
    const { has, last } = listener();
    mpv();
    await has('mpv plays', ({ status, duration }) => status === 'PLAYING' && duration !== null);
    expect(last()).toMatchObject({
      title: players.playerctl('metadata', 'xesam:title'),
      artist: 'Test Artist',
      album_title: 'Test Album',
      album_artist: 'Various',
      type: 'music',
      duration: Number(players.playerctl('metadata', 'mpris:length')) / 1_000_000,
      playback_rate: 1,
      volume: 100,
      repeat: 'LIST',
      is_play_enabled: true,
      is_pause_enabled: true,
      is_next_enabled: true,
      is_rewind_enabled: true,
      players: [{ name: 'mpv', identity: 'mpv', is_current: true, status: 'PLAYING' }],
    });
    players.playerctl('pause');
    await has('the pause is pushed', ({ status }) => status === 'PAUSED');
    players.playerctl('position', '60');
    await has('the jump is pushed', ({ position }) => Math.abs((position ?? 0) - 60) < 2);
    expect(Math.abs((last().position ?? 0) - Number(players.playerctl('position')))).toBeLessThan(0.5);
    players.playerctl('volume', '0.4');
    await has('the volume is pushed', ({ volume }) => volume === 40);
    players.playerctl('next');
    await has('the next title is pushed', ({ title }) => title?.startsWith('Tone 2') === true);
    // Never read again, and still correct.
    players.playerctl('play');
    await has('it plays on', ({ status }) => status === 'PLAYING');
    await new Promise((resolve) => setTimeout(resolve, 700));
    const computed = (await readOnce()).position ?? 0;
    expect(Math.abs(computed - Number(players.playerctl('position')))).toBeLessThan(1);
  });

  test('every action changes mpv as playerctl confirms', async () => {
    mpv();
    const control = controls();
    const says = (what: string, ...args: string[]) =>
      until(() => players.playerctl(...args) === what, `${args}: ${what}`);
    await says('Playing', 'status');
    // It reports that before it has opened the file, and until then it cannot seek.
    await until(() => Number(players.playerctl('position')) > 0, 'it plays');
    await control('PLAY');
    expect(players.playerctl('status')).toBe('Playing');
    await control('PAUSE');
    await says('Paused', 'status');
    await control('PAUSE');
    expect(players.playerctl('status')).toBe('Paused');
    await control('PLAY_PAUSE');
    await says('Playing', 'status');
    await control('pause');
    await says('Paused', 'status');
    const position = () => Number(players.playerctl('position'));
    const near = (seconds: number) => until(() => Math.abs(position() - seconds) < 2, `it is at ${seconds} s`);
    await control('POSITION', 60);
    await near(60);
    await control('SEEK', -20);
    await near(40);
    await control('FASTFORWARD');
    await near(50);
    await control('REWIND', 30);
    await near(20);
    const first = players.playerctl('metadata', 'xesam:title');
    await control('NEXT');
    await until(() => players.playerctl('metadata', 'xesam:title') !== first, 'the next title plays');
    await control('PREVIOUS');
    await says(first, 'metadata', 'xesam:title');
    const volume = (percent: number) => says((percent / 100).toFixed(6), 'volume');
    expect(await control('VOLUME', 30)).toEqual({ action: 'VOLUME', player: 'mpv', volume: 30 });
    await volume(30);
    await control('VOLUMEUP');
    await volume(35);
    await control('VOLUME_DOWN', 15);
    await volume(20);
    expect(await control('MUTE')).toMatchObject({ volume: 0 });
    await volume(0);
    expect(await control('MUTE')).toMatchObject({ volume: 20 });
    await volume(20);
    for (const [value, loop] of [
      [1, 'Track'],
      [0, 'None'],
      [2, 'Playlist'],
    ] as const) {
      await control('REPEAT', value);
      await says(loop, 'loop');
    }
  });

  test('VLC has two names and is one player, with its picture', async () => {
    const { has, last } = listener();
    vlc();
    await has('VLC plays', ({ status, title }) => status === 'PLAYING' && title?.startsWith('Tone') === true);
    expect(players.playerctl('-l')).toContain('vlc');
    expect(last().players.map(({ name, identity }) => [name, identity])).toEqual([['vlc', 'VLC media player']]);
    expect(last().track_number).toBe(1);
    await has('the picture is there', ({ thumbnail }) => thumbnail?.startsWith('data:image/png;base64,') === true);
    const control = controls();
    await control('PAUSE', undefined, 'VLC media player');
    await has('it pauses', ({ status }) => status === 'PAUSED');
    await control('NEXT', undefined, 'vlc');
    await has('the next one', ({ track_number }) => track_number === 2);
    // mpv always reports shuffle as supported.
    await control('SHUFFLE', true, 'vlc');
    await has('it shuffles', ({ shuffle }) => shuffle === true);
    expect(players.playerctl('-p', 'vlc', 'shuffle')).toBe('On');
    await control('SHUFFLE', 'false', 'vlc');
    await has('it does not shuffle any more', ({ shuffle }) => shuffle === false);
    await control('STOP');
    await has('it stops', ({ status }) => status === 'STOPPED');
  });

  test('the default is the playing player, else the last that played; a named one is always used', async () => {
    const { has } = listener();
    mpv();
    await has('mpv plays', ({ status }) => status === 'PLAYING');
    vlc();
    const current = (name: string, status: string) =>
      has(`${name} is the current one`, (payload) => payload.players[0]?.name === name && payload.status === status);
    await current('vlc', 'PLAYING');
    const control = controls();
    await control('PAUSE');
    await current('mpv', 'PLAYING');
    await control('PAUSE');
    await current('mpv', 'PAUSED');
    await control('PLAY', undefined, 'vlc');
    await current('vlc', 'PLAYING');
    await expect(control('PLAY', undefined, 'rhythmbox')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a player that hangs does not affect others, and one that dies is removed', async () => {
    const stuck = mpv();
    await until(() => players.playerctl('status') === 'Playing', 'mpv plays');
    await halt(stuck.pid ?? 0);
    vlc();
    await until(() => players.playerctl('-l').includes('vlc'), 'VLC is there');
    const before = performance.now();
    await until(async () => (await readOnce()).players[0]?.name === 'vlc', 'VLC is described');
    expect((await readOnce()).players.map(({ name, status }) => [name, status !== null])).toEqual([
      ['vlc', true],
      ['mpv', false],
    ]);
    console.log(`with one that hangs: ${(performance.now() - before).toFixed(0)} ms`);
    await expect(controls()('PLAY', undefined, 'mpv')).rejects.toThrow('mpv does not answer');
    stuck.kill('SIGKILL');
    await until(async () => (await readOnce()).players.length === 1, 'it is gone');
  });

  test('a player that begins to hang times out after 2 s, and the next one becomes the default', async () => {
    const { has } = listener();
    vlc();
    await has('VLC plays', ({ status }) => status === 'PLAYING');
    const stuck = mpv();
    await has(
      'mpv is the current one',
      (payload) => payload.players[0]?.name === 'mpv' && payload.status === 'PLAYING',
    );
    const control = controls();
    await halt(stuck.pid ?? 0);
    await expect(control('PAUSE')).rejects.toThrow('mpv did not answer within 2 s');
    await has('VLC is the current one', ({ players: [first] }) => first?.name === 'vlc');
    expect(await control('PAUSE')).toMatchObject({ player: 'vlc' });
    stuck.kill('SIGCONT');
    await has('mpv is back', ({ players: list }) =>
      list.some(({ name, status }) => name === 'mpv' && status === 'PAUSED'),
    );
  });

  test('a nonconforming player is described as far as possible, and its signals are followed', async () => {
    const { has, last } = listener();
    const fake = await startFakePlayer(players.bus.address, 'strange');
    closing.push(fake.end);
    await has('it is there', ({ players: [first] }) => first?.name === 'strange');
    const title = `"quotes' \\ \n\t</script> \u202e\u2066 ${'x'.repeat(10_000)}`;
    await fake.announce({
      Metadata: [
        'a{sv}',
        {
          'xesam:title': ['s', title],
          'xesam:artist': ['s', 'not a list'],
          'xesam:trackNumber': ['s', '7'],
          'xesam:album': ['i', 5],
          'mpris:length': ['d', 30_000_000],
          'mpris:trackid': ['s', 'no path'],
          'mpris:artUrl': ['s', 'file:///etc/passwd'],
        },
      ],
      Volume: ['s', 'loud'],
      Rate: ['i', 0],
      Shuffle: ['s', 'yes'],
      LoopStatus: ['b', true],
    });
    await has('its title is there', (payload) => payload.title === title);
    expect(last()).toMatchObject({
      artist: 'not a list',
      album_title: '5',
      track_number: 7,
      duration: 30,
      volume: null,
      playback_rate: 1,
      shuffle: null,
      repeat: null,
      thumbnail: null,
      is_next_enabled: false,
    });
    fake.send({ Seeked: 12_000_000 });
    await has('the jump', ({ position }) => Math.round(position ?? 0) === 12);
    fake.send({ lose: true });
    await has('it is gone', ({ players: list }) => list.length === 0);
  });

  test('a session bus that is restarted is found again', async () => {
    const { has } = listener();
    mpv();
    await has('mpv plays', ({ status }) => status === 'PLAYING');
    await players.bus.kill();
    await has('nothing is known', ({ status, players: list }) => status === null && list.length === 0);
    await players.bus.start();
    mpv();
    await has('mpv plays again', ({ status }) => status === 'PLAYING');
  });
});
