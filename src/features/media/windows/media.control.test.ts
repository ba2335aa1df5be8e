import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import type { MediaControlInput } from '../media.schema.ts';
import { mediaControlWindows } from './media.control.ts';
import type { MediaSession } from './mediacontrol.ts';

const everything = {
  play: true,
  pause: true,
  stop: true,
  next: true,
  previous: true,
  toggle: true,
  shuffle: true,
  repeat: true,
  seek: true,
};
const nothing = {
  play: false,
  pause: false,
  stop: false,
  next: false,
  previous: false,
  toggle: false,
  shuffle: false,
  repeat: false,
  seek: false,
};
const session = (key: string, more: Partial<MediaSession> = {}): MediaSession => ({
  key,
  isCurrent: false,
  title: '',
  subtitle: '',
  artist: '',
  albumTitle: '',
  albumArtist: '',
  trackNumber: 0,
  hasThumbnail: false,
  type: 1,
  status: 4,
  rate: 1,
  shuffle: null,
  repeat: null,
  timeline: { start: 0, end: 180, least: 0, most: 180, position: 60, updatedAt: 100 },
  can: everything,
  ...more,
});
const output = { flow: 'output', id: 'speakers', name: 'Speakers', isDefault: true, volume: 0.4, muted: false };

interface Machine {
  sessions?: MediaSession[] | null | Error;
  accepts?: boolean;
  outputs?: object[];
}

function machine({ sessions = [], accepts = true, outputs = [output] }: Machine) {
  const orders: unknown[][] = [];
  const media = {
    async sessions() {
      if (sessions instanceof Error) throw sessions;
      return sessions === null ? null : [...sessions];
    },
    async order(...args: unknown[]) {
      orders.push(args);
      return accepts;
    },
  };
  const audio = {
    devices: async () => outputs,
    setVolume: async (...args: unknown[]) => void orders.push(['volume', ...args]),
    setMuted: async (...args: unknown[]) => void orders.push(['mute', ...args]),
  };
  const clock = fakeClock(110_000);
  const host = { clock, nativeElsewhere: (library: string) => (library === 'coreaudio' ? audio : media) };
  const control = mediaControlWindows(host as unknown as WindowsHost);
  return { orders, control, send: (input: MediaControlInput) => control.control(input, {} as never) };
}

const spotify = session('Spotify.exe', { isCurrent: true });
const chrome = session('Chrome', { status: 5 });

test.each<[MediaControlInput, unknown[]]>([
  [{ action: 'PAUSE' }, ['Spotify.exe', { verb: 'PAUSE' }]],
  [{ action: 'play', player: 'chrome' }, ['Chrome', { verb: 'PLAY' }]],
  [{ action: 'PLAY', player: 'Spotify.exe' }, ['Spotify.exe', { verb: 'PLAY' }]],
  [{ action: 'PLAY_PAUSE' }, ['Spotify.exe', { verb: 'PLAY_PAUSE' }]],
  [{ action: 'STOP' }, ['Spotify.exe', { verb: 'STOP' }]],
  [{ action: 'POSITION', value: 90 }, ['Spotify.exe', { verb: 'POSITION', seconds: 90 }]],
  [{ action: 'POSITION', value: 4000 }, ['Spotify.exe', { verb: 'POSITION', seconds: 180 }]],
  // Ten seconds have passed since the program reported 60.
  [{ action: 'SEEK', value: 5 }, ['Spotify.exe', { verb: 'POSITION', seconds: 75 }]],
  [{ action: 'SEEK', value: -500 }, ['Spotify.exe', { verb: 'POSITION', seconds: 0 }]],
  [{ action: 'SHUFFLE', value: true }, ['Spotify.exe', { verb: 'SHUFFLE', on: true }]],
  [{ action: 'REPEAT', value: 2 }, ['Spotify.exe', { verb: 'REPEAT', mode: 2 }]],
])('%j becomes %j, for the current player unless one is named', async (input, order) => {
  const { send, orders } = machine({ sessions: [chrome, spotify] });
  expect((await send(input)).data.player).toBe(String(order[0]));
  expect(orders).toEqual([order]);
});

test('a player without a toggle gets PLAY or PAUSE', async () => {
  const plain = { ...everything, toggle: false };
  const playing = machine({ sessions: [session('a', { can: plain })] });
  await playing.send({ action: 'PLAY_PAUSE' });
  const paused = machine({ sessions: [session('a', { can: plain, status: 5 })] });
  await paused.send({ action: 'PLAY_PAUSE' });
  expect([playing.orders, paused.orders]).toEqual([[['a', { verb: 'PAUSE' }]], [['a', { verb: 'PLAY' }]]]);
});

test('the position in an endless stream is not limited', async () => {
  const timeline = { start: 0, end: 0, least: 0, most: 0, position: 0, updatedAt: 0 };
  const { send, orders } = machine({ sessions: [session('radio', { timeline })] });
  await send({ action: 'POSITION', value: 4000 });
  expect(orders).toEqual([['radio', { verb: 'POSITION', seconds: 4000 }]]);
});

test.each(['STOP', 'NEXT', 'PREVIOUS', 'SEEK', 'SHUFFLE', 'REPEAT', 'PLAY_PAUSE'])(
  'an unsupported order is not sent: %s',
  async (action) => {
    const { send, orders } = machine({ sessions: [session('VLC', { can: nothing })] });
    await expect(send({ action, value: 1 })).rejects.toThrow('cannot');
    expect(orders).toEqual([]);
  },
);

test('PLAY is sent to a playing player, although some report it as disabled', async () => {
  const { send, orders } = machine({ sessions: [session('VLC', { can: nothing })] });
  await send({ action: 'PLAY' });
  expect(orders).toEqual([['VLC', { verb: 'PLAY' }]]);
});

test('no player, an unknown player and a refusal are different errors', async () => {
  await expect(machine({}).send({ action: 'PLAY' })).rejects.toThrow('There is no media player to PLAY; start one');
  await expect(machine({}).send({ action: 'PLAY', player: 'x' })).rejects.toThrow('none is running');
  const { send } = machine({ sessions: [chrome] });
  await expect(send({ action: 'PLAY', player: 'x' })).rejects.toThrow('available: Chrome');
  await expect(machine({ sessions: [chrome], accepts: false }).send({ action: 'PLAY' })).rejects.toThrow('refused');
  const broken = machine({ sessions: new Error('RPC_E_DISCONNECTED') });
  await expect(broken.send({ action: 'PLAY' })).rejects.toThrow('Windows reported a failure: RPC_E_DISCONNECTED');
});

test('missing media controls are reported, also if Windows fails', async () => {
  expect(await machine({}).control.unavailable()).toBeNull();
  expect(await machine({ sessions: null }).control.unavailable()).toBe('This Windows has no media controls');
  expect(await machine({ sessions: new Error('0x80040154') }).control.unavailable()).toBe('0x80040154');
});

test('the volume is that of the default output', async () => {
  const volume = async (input: MediaControlInput, more = {}) => {
    const { send, orders } = machine({ outputs: [{ ...output, ...more }] });
    return [orders, (await send(input)).data.volume];
  };
  expect(await volume({ action: 'VOLUME', value: 25 })).toEqual([[['volume', 'speakers', 0.25]], 25]);
  expect(await volume({ action: 'VOLUME_UP' })).toEqual([[['volume', 'speakers', 0.45]], 45]);
  expect(await volume({ action: 'VOLUME_DOWN', value: 90 })).toEqual([[['volume', 'speakers', 0]], 0]);
  expect(await volume({ action: 'MUTE' })).toEqual([[['mute', 'speakers', true]], 0]);
  expect(await volume({ action: 'MUTE' }, { muted: true })).toEqual([[['mute', 'speakers', false]], 40]);
  expect(await volume({ action: 'VOLUME', value: 25 }, { muted: true })).toEqual([[['volume', 'speakers', 0.25]], 0]);
  await expect(machine({ outputs: [] }).send({ action: 'MUTE' })).rejects.toThrow('There is no output');
  await expect(machine({}).send({ action: 'VOLUME', value: 1, player: 'Spotify.exe' })).rejects.toThrow('no volume');
});
