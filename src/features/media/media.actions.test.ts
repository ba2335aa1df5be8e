import { describe, expect, test } from 'bun:test';
import { BusError } from '@hostler/dbus/dbus.ts';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { type FakePlayer, fakePlayers, fakeSession, playing } from '../../../test/doubles/fake-players.ts';
import { parse } from '../../core/json/parse.ts';
import { mediaControl } from './media.actions.ts';
import { readMediaRequest } from './media.request.ts';

const noServer: ConnectLocal = async (file) => {
  throw Object.assign(new Error(`no server at ${file}`), { code: 'ENOENT' });
};

function machine(players: Record<string, FakePlayer>) {
  const fake = fakePlayers(players);
  const { session } = fakeSession();
  const files = fakeHost({ root: '/nonexistent' }).files;
  const host = fakeHost({
    dbus: { session: fake.bus, system: fake.bus },
    session,
    files,
    connectLocal: noServer,
    paths: { config: '/c', state: '/s', runtime: '/r' },
  });
  const { context } = fakeActionContext(host);
  const control = async (action: string, value?: number | boolean | string, player?: string) =>
    (await mediaControl.run({ action, value, player }, context)).data;
  const sent = () =>
    fake.orders().map(({ member, body = [] }) => [member, ...body.slice(member === 'Set' ? 1 : 0).map(plain)]);
  return { ...fake, host, control, sent };
}

/** The value of a variant. */
const plain = (value: unknown) =>
  typeof value === 'object' && value !== null && 'value' in value ? value.value : value;

const player = (name: string, more: Record<string, unknown> = {}, given: Partial<FakePlayer> = {}): FakePlayer => ({
  names: [`org.mpris.MediaPlayer2.${name}`],
  properties: playing(name, more),
  identity: `The ${name}`,
  pid: name.length,
  ...given,
});

describe('a media request', () => {
  test.each<[string, number | boolean | string | undefined, object]>([
    ['play', undefined, { verb: 'PLAY' }],
    ['PLAYPAUSE', undefined, { verb: 'PLAY_PAUSE' }],
    ['VOLUMEUP', undefined, { verb: 'VOLUME_STEP', amount: 5 }],
    ['VOLUMEDOWN', 10, { verb: 'VOLUME_STEP', amount: -10 }],
    ['VOLUME', '35.5', { verb: 'VOLUME', amount: 35.5 }],
    ['REWIND', undefined, { verb: 'SEEK', amount: -10 }],
    ['FASTFORWARD', 30, { verb: 'SEEK', amount: 30 }],
    ['SEEK', -5, { verb: 'SEEK', amount: -5 }],
    ['SHUFFLE', 0, { verb: 'SHUFFLE', on: false }],
    ['SHUFFLE', 'True', { verb: 'SHUFFLE', on: true }],
    ['REPEAT', 1, { verb: 'REPEAT', mode: 'TRACK' }],
    ['REPEAT', 'list', { verb: 'REPEAT', mode: 'LIST' }],
  ])('%s %p is parsed', (action, value, request) => {
    expect<object>(readMediaRequest({ action, value }).request).toEqual(request);
  });

  test.each<[string, number | boolean | string | null | undefined, string | null]>([
    ['DANCE', undefined, 'INVALID_ACTION'],
    ['constructor', undefined, 'INVALID_ACTION'],
    ['SEEK', undefined, 'MISSING_VALUE'],
    ['POSITION', null, 'MISSING_VALUE'],
    ['VOLUME', undefined, 'MISSING_VALUE'],
    ['SHUFFLE', undefined, 'MISSING_VALUE'],
    ['REPEAT', null, 'MISSING_VALUE'],
    ['VOLUME', 101, null],
    ['VOLUME', 'loud', null],
    ['POSITION', -1, null],
    ['SEEK', Number.NaN, null],
    ['REPEAT', 3, null],
    ['REPEAT', 'constructor', null],
    ['SHUFFLE', 'perhaps', null],
  ])('%s %p is refused with %p', (action, value, subtype) => {
    expect(() => readMediaRequest({ action, value })).toThrow(expect.objectContaining({ code: 'invalid', subtype }));
  });

  test('no action at all is MISSING_ACTION', async () => {
    const schema = await mediaControl.input();
    expect(() => parse(schema, {}, 'media.control')).toThrow(expect.objectContaining({ subtype: 'MISSING_ACTION' }));
    expect(parse(schema, { action: 'PLAY', value: null, player: null }, 'media.control')).toMatchObject({
      action: 'PLAY',
    });
  });
});

describe('calls to the player', () => {
  test('PLAY never pauses, and PAUSE never plays', async () => {
    const { control, sent, announce } = machine({ ':1.1': player('vlc') });
    await control('PLAY');
    expect(sent()).toEqual([]);
    await control('PAUSE');
    expect(sent()).toEqual([['Pause']]);
    announce(':1.1', { PlaybackStatus: 'Paused' });
    await control('PAUSE');
    await control('PLAY');
    expect(sent()).toEqual([['Pause'], ['Play']]);
  });

  test('positions are microseconds within the track, or a relative seek without a track id', async () => {
    const { control, sent } = machine({ ':1.1': player('vlc') });
    await control('POSITION', 90);
    await control('SEEK', -2.5);
    expect(sent()).toEqual([
      ['SetPosition', '/vlc', 60_000_000],
      ['Seek', -2_500_000],
    ]);
    const nameless = machine({ ':1.1': player('vlc', { Metadata: { 'mpris:trackid': 'no path' } }) });
    await nameless.control('POSITION', 30);
    expect(nameless.sent()).toEqual([['Seek', 20_000_000]]);
  });

  test('an action that the player does not announce is refused with its name', async () => {
    const unable = { CanGoNext: false, CanSeek: false, Shuffle: undefined, LoopStatus: undefined };
    const { control, sent } = machine({ ':1.1': player('radio', unable) });
    for (const [action, value] of [['NEXT'], ['SEEK', 5], ['POSITION', 5], ['SHUFFLE', true], ['REPEAT', 1]] as const) {
      await expect(control(action, value)).rejects.toMatchObject({
        code: 'unsupported',
        message: `The radio cannot ${action} now`,
      });
    }
    const locked = machine({ ':1.1': player('radio', { CanControl: false }) });
    await expect(locked.control('STOP')).rejects.toMatchObject({ code: 'unsupported' });
    expect([...sent(), ...locked.sent()]).toEqual([]);
  });

  test('a player is chosen by its name, with or without instance, or by its identity', async () => {
    const { control, orders } = machine({ ':1.1': player('vlc'), ':1.2': player('chromium.instance42') });
    for (const name of ['chromium.instance42', 'Chromium', 'the chromium.instance42']) {
      await control('NEXT', undefined, name);
      expect(orders().at(-1)?.destination).toBe(':1.2');
    }
    await expect(control('NEXT', undefined, 'mpd')).rejects.toThrow(
      /There is no media player "mpd" to NEXT; available:/,
    );
  });

  test('a refusal and a timeout are reported with the name of the player', async () => {
    const fail = (errorName: string) => (call: { member: string }) => {
      if (call.member === 'Next') throw new BusError(errorName, 'no');
    };
    const refusing = machine({ ':1.1': player('vlc', {}, { before: fail('org.vlc.Failed') }) });
    await expect(refusing.control('NEXT')).rejects.toMatchObject({
      code: 'failed',
      message: 'The vlc refused to NEXT: no',
    });
    const unable = machine({ ':1.1': player('vlc', {}, { before: fail('org.freedesktop.DBus.Error.NotSupported') }) });
    await expect(unable.control('NEXT')).rejects.toMatchObject({ code: 'unsupported' });
    const stuck = machine({ ':1.1': player('vlc', {}, { before: fail('Client.Timeout') }) });
    await expect(stuck.control('NEXT')).rejects.toThrow('The vlc did not answer within 2 s');
  });
});

describe('the volume of media', () => {
  test('is that of the player, and a second MUTE restores the level', async () => {
    const { control, sent } = machine({ ':1.1': player('vlc') });
    expect(await control('VOLUME', 25)).toEqual({ action: 'VOLUME', player: 'vlc', volume: 25 });
    expect(await control('VOLUME_UP')).toMatchObject({ volume: 30 });
    expect(await control('MUTE')).toMatchObject({ volume: 0 });
    expect(await control('MUTE')).toMatchObject({ volume: 30 });
    expect(sent().map(([, , level]) => level)).toEqual([0.25, 0.3, 0, 0.3]);
    expect(await control('VOLUME_DOWN', 100)).toMatchObject({ volume: 0 });
    // A level that was not muted is not remembered.
    expect(await control('MUTE')).toMatchObject({ volume: 50 });
  });

  test('falls back to the system sound, and without that is refused with an explanation', async () => {
    const { control } = machine({ ':1.1': player('radio', { Volume: undefined }) });
    await expect(control('VOLUME', 30)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('no sound server is running'),
    });
    await expect(control('VOLUME', 30, 'radio')).rejects.toThrow('The radio has no volume of its own');
  });
});

test('without a bus or without a player the action is unsupported', async () => {
  const { control, state } = machine({});
  await expect(control('PLAY')).rejects.toMatchObject({ code: 'unsupported' });
  state.there = false;
  await expect(control('PLAY')).rejects.toMatchObject({ code: 'unsupported' });
});
