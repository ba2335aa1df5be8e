// Not on Windows: its peer listens at a socket in the file system.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fakeContext } from '../../../test/doubles/fake-host.ts';
import { type ChatMachine, chatMachine } from '../../../test/doubles/peers/chat-host.ts';
import { testChannel, testMember, testUser } from '../../../test/doubles/peers/voice-chat.application.ts';
import { startVoiceChat, testClient, type VoiceChat } from '../../../test/doubles/peers/voice-chat.ts';
import { unexplained } from '../../../test/harness/machines.ts';
import { until } from '../../../test/harness/until.ts';
import { createStore, type Store } from '../../core/store.ts';
import { defaultSettings } from '../index.ts';
import type { Chat } from './chat.schema.ts';
import { chatSchema } from './chat.schema.ts';
import { chat, disconnected } from './chat.ts';

let machine: ChatMachine;
let peer: VoiceChat;
let store: Store;
let pushed: { at: number; payload: Chat }[];
let stop = () => {};

const bob = testUser('2', 'bob', { global_name: 'Bob', avatar: 'b0b' });
const guild = '41771983423143937';

beforeEach(async () => {
  machine = chatMachine();
  peer = await startVoiceChat({ directory: machine.directory });
  const settings = { ...defaultSettings, chat: { oauthUrl: peer.oauth.url } };
  store = createStore({
    modules: [chat.module],
    host: machine.host,
    context: fakeContext({ settings: () => settings }),
  });
  pushed = [];
  const { application } = peer;
  application.guilds.set(guild, {
    id: guild,
    name: 'Friends',
    icon_url: `https://cdn.discordapp.com/icons/${guild}/1c0n.webp?size=64`,
    members: [],
  });
  const { bitrate: _none, ...direct } = testChannel('300', { name: '', type: 1, guild_id: null });
  for (const channel of [
    testChannel('100', { voice_states: [testMember(bob, { volume: 14.36 })] }),
    testChannel('200', { name: 'Stage', type: 13, user_limit: 25 }),
    { ...direct, voice_states: [testMember(bob)] },
  ])
    application.channels.set(channel.id, channel);
  machine.put('chat.json', testClient);
  stop = store.listen('chat', ({ payload }) =>
    pushed.push({ at: performance.now(), payload: chatSchema.parse(payload) }),
  );
  await until(() => last().authenticated, 'everything is read');
});

afterEach(async () => {
  stop();
  store.close();
  await machine.close();
  await peer.stop();
});

const last = (): Chat => pushed.at(-1)?.payload ?? disconnected;
const callNow = () => last().call;
const memberNow = (id: string) => callNow()?.members.find(({ user }) => user.id === id);
const seen = (what: string, condition: () => boolean) => until(condition, what);
const enter = async (channel: string) => {
  peer.application.select(channel);
  await seen('the call', () => callNow()?.channel.id === channel);
};

test('the payload has the data of the application, converted to its units and URLs', async () => {
  peer.application.set({ deaf: true, output: { ...peer.application.voice.output, volume: 199.53 } });
  await enter('100');
  peer.application.report('VOICE_CONNECTED', 31, 30.5);
  await seen('the connection', () => callNow()?.connection !== null);
  const me = {
    user: {
      id: '80351110224678912',
      username: 'nelly',
      global_name: 'Nelly',
      avatar_url: 'https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png',
    },
    nick: 'nelly',
    server_mute: false,
    server_deaf: false,
    self_mute: false,
    self_deaf: false,
    suppress: false,
    speaking: false,
    local_mute: null,
    volume: null,
  };
  const devices = [
    { id: 'default', name: 'Default' },
    { id: 'alsa-1', name: 'Headset' },
  ];
  expect(last()).toEqual({
    connected: true,
    authenticated: true,
    user: me.user,
    call: {
      channel: { id: '100', name: 'General', type: 'GUILD_VOICE', bitrate: 64_000, user_limit: 0 },
      server: { id: guild, name: 'Friends', icon_url: `https://cdn.discordapp.com/icons/${guild}/1c0n.png` },
      connection: { state: 'VOICE_CONNECTED', last_ping: 31, average_ping: 30.5 },
      me,
      members: [
        {
          ...me,
          user: {
            id: '2',
            username: 'bob',
            global_name: 'Bob',
            avatar_url: 'https://cdn.discordapp.com/avatars/2/b0b.png',
          },
          nick: 'bob',
          local_mute: false,
          volume: 50,
        },
        me,
      ],
    },
    mute: true,
    deaf: true,
    input: { volume: 100, device_id: 'default', devices },
    output: { volume: 200, device_id: 'default', devices },
    mode: { type: 'VOICE_ACTIVITY', auto_threshold: true, threshold: -60, delay: 20 },
    processing: { noise_suppression: false, echo_cancellation: true, automatic_gain_control: true },
    qos: false,
    silence_warning: true,
  });
});

describe('voice calls', () => {
  test('are joined, moved between and left', async () => {
    expect(callNow()).toBeNull();
    await enter('100');
    await enter('200');
    expect(callNow()).toMatchObject({ channel: { type: 'GUILD_STAGE_VOICE', user_limit: 25 }, connection: null });
    expect(callNow()?.members.map(({ user }) => user.username)).toEqual(['nelly']);
    peer.application.select(null);
    await seen('the end of the call', () => callNow() === null);
    const subscribed = [...peer.application.subscribers].flatMap(({ subscriptions }) => [...subscriptions]);
    expect(subscribed.filter((name) => name.includes(' '))).toEqual([]);
  });

  test('of two have no server, name or bitrate, and each of these nulls has its reason', async () => {
    await enter('300');
    expect(callNow()).toMatchObject({
      channel: { type: 'DM', name: null, bitrate: null, user_limit: 0 },
      server: null,
    });
    const { payload, reasons } = await store.get('chat');
    expect(unexplained(payload, reasons)).toEqual([]);
  });

  test('in progress before the first read are in it', async () => {
    await enter('100');
    await peer.quit();
    await seen('it is gone', () => !last().connected);
    await peer.launch();
    await seen('it is back', () => callNow()?.members.length === 2);
    peer.application.speak('2', true);
    await seen('it is followed', () => memberNow('2')?.speaking === true);
  });

  test('that change faster than they can be read end with the last one', async () => {
    for (let round = 0; round < 20; round += 1) {
      peer.application.select(round % 2 === 0 ? '100' : '200');
      if (round % 7 === 0) peer.application.select(null);
    }
    await seen('the last one', () => callNow()?.channel.id === '200');
    peer.application.enter(testMember(testUser('3', 'carol')));
    await seen('its events', () => memberNow('3') !== undefined);
    expect(callNow()?.members.map(({ user }) => user.username)).toEqual(['nelly', 'carol']);
  });

  test('on a server without a name are reported', async () => {
    peer.application.guilds.clear();
    await enter('100');
    expect(callNow()?.server).toEqual({ id: guild, name: '', icon_url: null });
  });
});

describe('members of a voice call', () => {
  beforeEach(() => enter('100'));

  test('come and go', async () => {
    peer.application.enter(testMember(testUser('3', 'carol')));
    await seen('she came', () => memberNow('3') !== undefined);
    peer.application.depart('2');
    await seen('he went', () => memberNow('2') === undefined);
    expect(callNow()?.members.map(({ user }) => user.username)).toEqual(['nelly', 'carol']);
  });

  test('speak, and stop when they leave', async () => {
    peer.application.speak('2', true);
    await seen('he speaks', () => memberNow('2')?.speaking === true);
    peer.application.speak('2', false);
    await seen('he is silent', () => memberNow('2')?.speaking === false);
    peer.application.speak('2', true);
    peer.application.depart('2');
    peer.application.enter(testMember(bob));
    await seen('he is back', () => memberNow('2')?.speaking === false);
  });

  test('are muted by a moderator, by themselves, and by the user', async () => {
    peer.application.update('2', { voice_state: { mute: true, suppress: true } });
    await seen('the moderator did', () => memberNow('2')?.server_mute === true);
    expect(memberNow('2')).toMatchObject({ suppress: true, local_mute: false, self_mute: false });
    peer.application.update('2', { voice_state: { self_mute: true, self_deaf: true } });
    await seen('he did', () => memberNow('2')?.self_deaf === true);
    peer.application.update('2', { mute: true, volume: 100 });
    await seen('the user did', () => memberNow('2')?.local_mute === true);
    expect(memberNow('2')?.volume).toBe(100);
  });

  test('can be 99, and the order is that in which they came', async () => {
    for (let id = 1000; id < 1097; id += 1) peer.application.enter(testMember(testUser(String(id), `user${id}`)));
    await seen('all of them', () => callNow()?.members.length === 99);
    expect(callNow()?.members.at(-1)?.user.id).toBe('1096');
    const { payload, reasons } = await store.get('chat');
    expect(unexplained(payload, reasons)).toEqual([]);
  });

  test('who speak all at once cause at most ten updates a second, and the last one is correct', async () => {
    const from = performance.now();
    const before = pushed.length;
    // A push has the state of its time: on a slow machine several may be equal.
    const enough = () => pushed.length - before > 1 || performance.now() - from > 60_000;
    for (let round = 0; round < 100 || !enough(); round += 1) {
      peer.application.speak('2', round % 3 !== 0);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    peer.application.speak('2', true);
    await seen('the last word', () => memberNow('2')?.speaking === true);
    const seconds = (performance.now() - from) / 1000;
    expect(pushed.length - before).toBeLessThanOrEqual(10 * seconds + 1);
    expect(pushed.length - before).toBeGreaterThan(1);
  });
});

test('an account that changes its name changes in the call as well', async () => {
  await enter('100');
  peer.application.rename({ global_name: 'Nell', avatar: null });
  await seen('the name', () => last().user?.global_name === 'Nell');
  expect(last().user?.avatar_url).toBeNull();
  expect(callNow()?.me?.user.global_name).toBe('Nell');
});

test('a change is pushed within 100 ms', async () => {
  const delays: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 120));
    const [before, from] = [pushed.length, performance.now()];
    peer.application.set({ qos: round % 2 === 0 });
    await seen('the change', () => pushed.length > before);
    delays.push((pushed.at(before)?.at ?? 0) - from);
  }
  // The best of ten, because other load delays some.
  expect(Math.min(...delays)).toBeLessThan(100);
});

test('after the application ends all fields are null, with the reason that it is not running', async () => {
  await peer.quit();
  await seen('its end', () => !last().connected);
  expect(last()).toEqual(disconnected);
  const { payload, reasons } = await store.get('chat');
  expect(unexplained(payload, reasons)).toEqual([]);
  expect(reasons.every(({ mendable }) => !mendable)).toBe(true);
});

describe('removing the set-up', () => {
  test('makes the module disappear, and subscribers get no more updates', async () => {
    const older: unknown[] = [];
    const stopOlder = store.listen('discord', ({ payload }) => older.push(payload));
    machine.remove('chat.json');
    const states = async () => (await store.describe()).map(({ name, availability }) => [name, availability]);
    await until(async () => (await states()).join() === 'chat,unavailable', 'it is gone');
    await expect((async () => await store.get('chat'))()).rejects.toThrow('run "hostler chat setup"');
    const before = pushed.length;
    await until(() => older.length > 0, 'a client of the older name is notified');
    expect(older.at(-1)).toEqual(disconnected);
    expect(pushed.length).toBe(before);
    machine.put('chat.json', testClient);
    await seen('it is there again', () => pushed.length > before && last().authenticated);
    stopOlder();
  });
});
