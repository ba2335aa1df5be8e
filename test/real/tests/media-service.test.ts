import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import type { Media } from '../../../src/features/media/media.schema.ts';
import { until } from '../../harness/until.ts';
import { needs } from '../harness/parts.ts';
import { createPrivatePlayers, type PrivatePlayers } from '../harness/players.ts';
import { type RunningHostler, startHostler } from '../harness/service.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';
import { createPrivateX11, hasXorg } from '../harness/x11.ts';

setDefaultTimeout(120_000);

const parts = ['dbus-daemon', 'mpv', 'playerctl', 'sox', 'flac'];

describe.skipIf(!needs(...parts) || !hasXorg())('the service with a desktop, over its WebSocket', () => {
  let players: PrivatePlayers;
  let hostler: RunningHostler;
  let client: SocketClient;
  const x11 = createPrivateX11('Xorg');

  /** It starts before everything else: no bus, no player, no display. */
  beforeAll(async () => {
    players = createPrivatePlayers();
    await x11.start();
    await x11.end();
    hostler = await startHostler({ env: { ...players.variables, DISPLAY: x11.display() } });
    client = await connectSocket(hostler);
  });
  afterAll(async () => {
    client?.end();
    await hostler?.stop();
    await players.remove();
    await x11.remove();
  });

  const latest = <T>(module: string) =>
    client.messages.findLast((message) => message.type === 'DATA_UPDATE' && message.module === module)?.data as
      | T
      | undefined;
  const media = (what: string, condition: (payload: Media) => boolean) =>
    until(() => condition(latest<Media>('media') ?? nothing), what);
  const nothing = { status: null, players: [] } as unknown as Media;
  const displayIds = (...ids: string[]) =>
    until(
      () => String(latest<Displays>('displays')?.map(({ id }) => id)) === String(ids),
      `the displays are ${ids.join(', ')}`,
    );

  test('without players it answers with nulls and reasons, at once', async () => {
    await client.ask('GET_DATA', { modules: ['media', 'displays'] });
    await until(() => latest('displays') !== undefined && latest('media') !== undefined, 'both are there');
    expect(latest<Media>('media')).toMatchObject({ title: null, status: null, players: [] });
    expect(latest<Displays>('displays')).toEqual([]);
    const states = (await (await hostler.get('/api/modules')).json()) as {
      name: string;
      reasons: { reason: string }[];
    }[];
    const reasonOf = (name: string) => states.find((state) => state.name === name)?.reasons[0]?.reason;
    expect(reasonOf('media')).toContain('The media players could not be queried');
    expect(reasonOf('displays')).toContain('No desktop session is running');
    expect(await client.ask('MEDIA_CONTROL', { action: 'PLAY' })).toMatchObject({
      type: 'ERROR',
      subtype: 'UNSUPPORTED',
    });
    expect(hostler.output()).not.toContain('ERROR');
  });

  test('bus, player and display are found when they appear, without a restart', async () => {
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['media', 'displays'] });
    await players.bus.start();
    players.mpv(...players.titles);
    await media('mpv plays', ({ status, duration }) => status === 'PLAYING' && duration !== null);
    await x11.start();
    await displayIds('DUMMY0');
  });

  test('MEDIA_CONTROL works, and replies; errors have their codes', async () => {
    expect(await client.ask('MEDIA_CONTROL', { action: 'PAUSE', value: null, player: null })).toMatchObject({
      type: 'MEDIA_CONTROLLED',
      subtype: 'NONE',
      data: { action: 'PAUSE', player: 'mpv', volume: null },
    });
    await media('it pauses', ({ status }) => status === 'PAUSED');
    expect(players.playerctl('status')).toBe('Paused');
    const code = async (data: object) => (await client.ask('MEDIA_CONTROL', data)).subtype;
    expect(await code({})).toBe('MISSING_ACTION');
    expect(await code({ action: 'DANCE' })).toBe('INVALID_ACTION');
    expect(await code({ action: 'VOLUME' })).toBe('MISSING_VALUE');
    expect(await code({ action: 'VOLUME', value: 'loud' })).toBe('BAD_REQUEST');
  });

  test('a display that is plugged in and a server that crashes are pushed', async () => {
    x11.xrandr('--newmode', 'second', '74.25', '1280', '1390', '1430', '1650', '720', '725', '730', '750');
    x11.xrandr('--addmode', 'DUMMY1', 'second');
    x11.xrandr('--output', 'DUMMY1', '--mode', 'second', '--right-of', 'DUMMY0');
    await displayIds('DUMMY0', 'DUMMY1');
    await x11.kill();
    await displayIds();
    await x11.start();
    await displayIds('DUMMY0');
  });

  test('a bus that crashes takes its players with it, and comes back', async () => {
    await players.bus.kill();
    await media('nothing is known', ({ status, players: list }) => status === null && list.length === 0);
    await players.bus.start();
    players.mpv(...players.titles);
    await media('mpv plays again', ({ status }) => status === 'PLAYING');
    expect(hostler.output()).not.toContain('ERROR');
  });
});
