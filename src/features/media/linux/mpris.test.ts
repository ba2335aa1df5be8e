import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { BusError } from '@hostler/dbus/dbus.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { type FakePlayer, fakePlayers, fakeSession, playing, settled } from '../../../../test/doubles/fake-players.ts';
import { positionAt } from './mpris.entry.ts';
import { createMpris } from './mpris.ts';
import { parsePlayer, parseTrack, propertiesIn } from './mpris.values.ts';

const mprisName = (name: string) => `org.mpris.MediaPlayer2.${name}`;

function client(players: Record<string, FakePlayer>) {
  const fake = fakePlayers(players);
  const clock = fakeClock();
  const { session, notify } = fakeSession();
  const mpris = createMpris({ dbus: { session: fake.bus }, clock, session });
  let changes = 0;
  const follow = async () => {
    const stop = mpris.follow(() => changes++);
    await settled();
    return stop;
  };
  const names = async () => (await mpris.players()).map(({ name }) => name);
  return { ...fake, players, mpris, clock, follow, names, notify, changes: () => changes };
}

const vlc = (): FakePlayer => ({ names: [mprisName('vlc')], properties: playing('song'), identity: 'VLC', pid: 7 });
const mpv = (): FakePlayer => ({ names: [mprisName('mpv')], properties: playing('film'), identity: 'mpv', pid: 8 });

describe('the list of players', () => {
  test('names of one connection, and connections of one process, are one player', async () => {
    const { names } = client({
      ':1.1': { ...vlc(), names: [mprisName('vlc.instance7'), mprisName('vlc')] },
      ':1.2': { ...vlc(), names: [mprisName('vlc.instance7x')] },
      ':1.3': mpv(),
      ':1.4': { ...mpv(), names: [mprisName('playerctld')] },
      ':1.5': { ...mpv(), names: ['org.mpris.MediaPlayer2', 'org.kde.mpris'] },
    });
    expect((await names()).sort()).toEqual(['mpv', 'vlc']);
  });

  test('a player that ends during the query is missing, and one with invalid properties is listed without them', async () => {
    const { names, players, mpris } = client({
      ':1.1': { ...vlc(), before: () => void delete players[':1.1'] },
      ':1.2': { names: [mprisName('liar')], properties: { Metadata: 7, PlaybackStatus: ['Playing'], Volume: 'loud' } },
    });
    await names();
    const [liar] = await mpris.players();
    expect(liar).toMatchObject({ name: 'liar', identity: 'liar', status: 'PLAYING', volume: null, silent: false });
  });

  test('a player that hangs delays the list only briefly once another has answered', async () => {
    const { mpris, clock, calls, players } = client({
      ':1.1': vlc(),
      ':1.2': { ...mpv(), before: () => new Promise(() => {}) },
    });
    const listing = mpris.players();
    await settled();
    clock.advance(300);
    expect((await listing).map(({ name, silent }) => [name, silent])).toEqual([
      ['vlc', false],
      ['mpv', true],
    ]);
    delete players[':1.2'];
    expect((await mpris.players()).map(({ name }) => name)).toEqual(['vlc']);
    expect(calls.every(({ timeoutMs }) => timeoutMs === 2000)).toBe(true);
  });
});

describe('more players than the limit', () => {
  const manyPlayers = (count: number): Record<string, FakePlayer> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `:2.${index}`,
        { names: [mprisName(`many${index}`)], properties: playing('noise'), pid: 1000 + index },
      ]),
    );

  test('later players are not queried, and earlier ones stay listed', async () => {
    const { names, follow, move, players, calls } = client({ ':1.1': vlc() });
    const stop = await follow();
    Object.assign(players, manyPlayers(1500));
    for (const [
      owner,
      {
        names: [name = ''],
      },
    ] of Object.entries(manyPlayers(1500)))
      move(name, '', owner);
    await settled();
    expect(await names()).toHaveLength(100);
    expect(await names()).toContain('vlc');
    expect(new Set(calls.filter(({ member }) => member === 'GetAll').map((call) => call.destination)).size).toBe(100);
    stop();
    expect(await names()).toContain('vlc');
  });

  test('when a player ends, another one is listed', async () => {
    const { names, follow, move, players, clock } = client(manyPlayers(100));
    const stop = await follow();
    players[':1.1'] = vlc();
    move(mprisName('vlc'), '', ':1.1');
    expect(await names()).not.toContain('vlc');
    delete players[':2.5'];
    clock.advance(5000);
    move(mprisName('many5'), ':2.5', '');
    await settled();
    expect(await names()).toContain('vlc');
    stop();
  });

  test('one connection with thousands of names is one player', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => mprisName(`many.instance${index}`));
    const { names, follow, move, players } = client({ ':1.1': vlc() });
    const stop = await follow();
    players[':3.1'] = { names: many, properties: playing('noise'), pid: 9 };
    for (const name of many) move(name, '', ':3.1');
    await settled();
    expect((await names()).length).toBe(2);
    stop();
  });
});

describe('the current player', () => {
  test('is the playing one, else the one that played last, then a paused one', async () => {
    const { names, announce, follow } = client({
      ':1.1': { ...vlc(), properties: playing('a', { PlaybackStatus: 'Stopped' }) },
      ':1.2': { ...mpv(), properties: playing('b', { PlaybackStatus: 'Paused' }) },
    });
    const stop = await follow();
    expect(await names()).toEqual(['mpv', 'vlc']);
    announce(':1.1', { PlaybackStatus: 'Playing' });
    expect(await names()).toEqual(['vlc', 'mpv']);
    announce(':1.1', { PlaybackStatus: 'Stopped' });
    expect(await names()).toEqual(['vlc', 'mpv']);
    announce(':1.2', { PlaybackStatus: 'Playing' });
    announce(':1.1', { PlaybackStatus: 'Playing' });
    expect(await names()).toEqual(['vlc', 'mpv']);
    announce(':1.2', { PlaybackStatus: 'Paused' });
    announce(':1.1', { PlaybackStatus: 'Paused' });
    expect(await names()).toEqual(['vlc', 'mpv']);
    stop();
  });
});

describe('with a follower', () => {
  test('players are not queried, because signals update them', async () => {
    const { mpris, follow, calls, announce, seek, clock, changes } = client({ ':1.1': vlc() });
    const stop = await follow();
    const before = calls.length;
    clock.advance(5000);
    const position = () => {
      const players = mpris.players();
      if (players instanceof Promise || players[0] === undefined)
        throw new Error('the list is not available synchronously');
      return positionAt(players[0], clock.monotonic());
    };
    expect(position()).toBe(15);
    seek(':1.1', 40_000_000);
    clock.advance(1000);
    expect(position()).toBe(41);
    announce(':1.1', { Volume: 0.1 });
    expect(calls.length).toBe(before);
    announce(':1.1', { Rate: 2 });
    clock.advance(1000);
    expect(position()).toBe(43);
    clock.advance(60_000);
    expect(position()).toBe(60);
    expect(changes()).toBeGreaterThanOrEqual(3);
    stop();
  });

  test('a new track starts at zero until the queried position arrives', async () => {
    const { mpris, follow, announce, clock } = client({ ':1.1': vlc() });
    const stop = await follow();
    announce(':1.1', { Metadata: { 'xesam:title': 'next', 'mpris:trackid': '/next' } });
    const at = async () => positionAt((await mpris.players())[0] ?? never(), clock.monotonic());
    expect(await at()).toBe(0);
    await settled();
    expect(await at()).toBe(10);
    stop();
  });

  test('a seek during the query of the position overrides the reply', async () => {
    const answer = Promise.withResolvers<void>();
    const { mpris, follow, announce, seek, clock } = client({
      ':1.1': { ...vlc(), before: ({ body }) => (body?.[1] === 'Position' ? answer.promise : undefined) },
    });
    const stop = await follow();
    announce(':1.1', { PlaybackStatus: 'Paused' });
    seek(':1.1', 40_000_000);
    answer.resolve();
    await settled();
    expect(positionAt((await mpris.players())[0] ?? never(), clock.monotonic())).toBe(40);
    stop();
  });

  test('a signal during the query of all properties is not lost', async () => {
    const answer = Promise.withResolvers<void>();
    const { mpris, follow, announce } = client({
      ':1.1': { ...vlc(), before: ({ body }) => (body?.[1] === 'Identity' ? answer.promise : undefined) },
    });
    const following = follow();
    await settled();
    // Its properties have arrived, its name not yet.
    announce(':1.1', { PlaybackStatus: 'Paused' });
    answer.resolve();
    await settled();
    const stop = await following;
    expect((await mpris.players())[0]?.status).toBe('PAUSED');
    stop();
  });

  test('started and ended players are followed', async () => {
    const { names, players, follow, move } = client({});
    const stop = await follow();
    players[':1.9'] = mpv();
    move(mprisName('mpv'), '', ':1.9');
    await settled();
    expect(await names()).toEqual(['mpv']);
    delete players[':1.9'];
    move(mprisName('mpv'), ':1.9', '');
    expect(await names()).toEqual([]);
    stop();
  });

  test('a player that starts during a query of the others is listed', async () => {
    const answer = Promise.withResolvers<void>();
    const { names, players, follow, move, state } = client({ ':1.1': vlc() });
    state.before = ({ member }) => (member === 'GetNameOwner' ? answer.promise : undefined);
    const following = follow();
    await settled();
    players[':1.9'] = mpv();
    move(mprisName('mpv'), '', ':1.9');
    await settled();
    answer.resolve();
    const stop = await following;
    await settled();
    expect((await names()).sort()).toEqual(['mpv', 'vlc']);
    stop();
  });

  test('a player that did not answer is queried again without a signal', async () => {
    let fails = true;
    const { mpris, follow, clock } = client({
      ':1.1': {
        ...vlc(),
        before() {
          if (fails) throw new BusError('Client.Timeout', 'no answer');
        },
      },
    });
    const stop = await follow();
    const silent = async () => (await mpris.players()).map((player) => player.silent);
    expect(await silent()).toEqual([true]);
    fails = false;
    clock.advance(3000);
    await settled();
    expect(await silent()).toEqual([false]);
    stop();
  });

  test('signals are followed after the bus was lost during a query and returned', async () => {
    const answer = Promise.withResolvers<void>();
    let waits = true;
    const { mpris, follow, lose, comeBack } = client({
      ':1.1': { ...vlc(), before: () => (waits ? answer.promise : undefined) },
    });
    const following = follow();
    await settled();
    waits = false;
    lose();
    comeBack();
    answer.resolve();
    const stop = await following;
    await settled();
    expect(mpris.players()).toHaveLength(1);
    stop();
  });

  test('a lost bus clears the list until it returns', async () => {
    const { mpris, follow, lose, comeBack, changes } = client({ ':1.1': vlc() });
    const stop = await follow();
    const before = changes();
    lose();
    expect(changes()).toBeGreaterThan(before);
    await expect(Promise.resolve(mpris.players())).rejects.toMatchObject({ errorName: 'Client.NoBus' });
    comeBack();
    await settled();
    expect(await mpris.players()).toHaveLength(1);
    stop();
  });

  test('a bus that starts later is followed', async () => {
    const { mpris, follow, state, notify, subscriptions } = client({ ':1.1': vlc() });
    state.there = false;
    const stop = await follow();
    expect(subscriptions()).toBe(0);
    state.there = true;
    notify();
    await settled();
    expect(mpris.players()).toHaveLength(1);
    stop();
    expect(subscriptions()).toBe(0);
  });
});

describe('properties of players', () => {
  test('numbers as text, text as lists and lower-case names are parsed', () => {
    expect(
      parseTrack({
        'xesam:tracknumber': '7',
        'xesam:artist': ['One', 'Two', 3],
        'xesam:albumArtist': 'Single',
        'mpris:length': 2n ** 60n,
        'xesam:title': ['Title'],
      }),
    ).toMatchObject({ number: 7, artist: 'One, Two', albumArtist: 'Single', title: 'Title' });
  });

  test('titles are unchanged up to the length limit', () => {
    const title = `"'<b>\\ \n\u202e${'x'.repeat(10_000)}`;
    expect(parseTrack({ 'xesam:title': title }).title).toBe(title);
    const long = parseTrack({ 'xesam:title': `${'x'.repeat(16_383)}😀${'y'.repeat(100)}` }).title ?? '';
    expect(long).toBe('x'.repeat(16_383));
  });

  test('only what is read of the properties is stored, each text with its limit', () => {
    const long = 'x'.repeat(20_000);
    const stored = propertiesIn({
      Own: long,
      PlaybackStatus: long,
      Rate: 2,
      CanPlay: true,
      Metadata: { 'xesam:Title': [long, long], 'xesam:asText': long, 'mpris:artUrl': long, 'mpris:length': 5n },
    });
    expect(stored).toEqual([
      ['PlaybackStatus', long.slice(0, 16_384)],
      ['Rate', 2],
      ['CanPlay', true],
      ['Metadata', { 'xesam:title': long.slice(0, 16_384), 'mpris:arturl': long, 'mpris:length': 5n }],
    ]);
    expect(parsePlayer(new Map(stored)).track).toMatchObject({ artUrl: long, length: 0.000005 });
  });

  test('a shortened text does not retain the long one', () => {
    const held = () => {
      Bun.gc(true);
      return heapStats().extraMemorySize;
    };
    const before = held();
    const titles = Array.from({ length: 8 }, () =>
      parseTrack({ 'xesam:title': Buffer.alloc(8_000_000, 'x').toString() }),
    );
    expect(held() - before).toBeLessThan(8_000_000);
    expect(titles).toHaveLength(8);
  });

  test('a file without a title has its file name as the title', () => {
    expect(parseTrack({ 'xesam:url': 'file:///m/A%20song.flac' }).title).toBe('A song.flac');
    expect(parseTrack({ 'xesam:url': 'file:///m/100%.flac' }).title).toBe('100%.flac');
    expect(parseTrack({ 'xesam:url': 'https://x/y' }).title).toBeNull();
  });

  test.each([[undefined], [null], [7], ['text'], [[]], [new Uint8Array(3)]])(
    'metadata %p does not throw',
    (metadata) => {
      expect(parseTrack(metadata).title).toBeNull();
    },
  );

  test('without properties all fields are null, and without CanControl nothing is possible', () => {
    expect(parsePlayer(new Map())).toMatchObject({ status: null, volume: null, rate: 1, shuffle: null, repeat: null });
    expect(
      parsePlayer(
        new Map([
          ['CanPlay', true],
          ['CanControl', false],
        ]),
      ).can.play,
    ).toBe(false);
  });
});

const never = (): never => {
  throw new Error('there is no player');
};
