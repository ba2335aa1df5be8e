// Not on Windows: its peer listens at a socket in the file system.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeClock } from '../../../test/doubles/fake-host.ts';
import { type ChatMachine, chatMachine } from '../../../test/doubles/peers/chat-host.ts';
import { testChannel, testMember, testUser } from '../../../test/doubles/peers/voice-chat.application.ts';
import { startVoiceChat, testClient, type VoiceChat } from '../../../test/doubles/peers/voice-chat.ts';
import { until } from '../../../test/harness/until.ts';
import { parse } from '../../core/json/parse.ts';
import { defaultSettings } from '../index.ts';
import { chatControl } from './chat.actions.ts';
import { orders } from './chat.commands.ts';
import { type ChatControlInput, chatActions, chatControlInputSchema, chatControlOutputSchema } from './chat.schema.ts';

let machine: ChatMachine;
let peer: VoiceChat;
const clock = fakeClock(Date.now());

beforeEach(async () => {
  machine = chatMachine({ clock });
  peer = await startVoiceChat({ directory: machine.directory });
  const { application } = peer;
  application.channels.set('100', testChannel('100', { voice_states: [testMember(testUser('2', 'bob'))] }));
  application.channels.set('200', testChannel('200'));
  // The user has given permission before.
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  machine.put('chat-token.json', { ...peer.oauth.issueTokens(['rpc']), expires_at });
  machine.put('chat.json', testClient);
});

afterEach(async () => {
  await machine.close();
  await peer.stop();
});

async function send(given: unknown) {
  const input = parse<ChatControlInput>(chatControlInputSchema, given, 'chat.control');
  const settings = { ...defaultSettings, chat: { oauthUrl: peer.oauth.url } };
  const { context } = fakeActionContext(machine.host, { settings: () => settings });
  const { data } = await chatControl.run(input, context);
  return chatControlOutputSchema.parse(data);
}

const problemOf = async (given: unknown) => await send(given).catch((error: unknown) => error);
const voice = () => peer.application.voice;
const bob = () => peer.application.channel?.voice_states.find(({ user }) => user.id === '2');

describe('the voice of the user', () => {
  test('is muted and unmuted', async () => {
    expect(await send({ action: 'MUTE' })).toEqual({ action: 'MUTE', mute: true, deaf: false, channel_id: null });
    expect(voice().mute).toBe(true);
    expect(await send({ action: 'UNMUTE' })).toMatchObject({ mute: false });
    expect(await send({ action: 'TOGGLE_MUTE' })).toMatchObject({ mute: true });
    expect(await send({ action: 'TOGGLE_MUTE' })).toMatchObject({ mute: false });
  });

  test('is deafened and undeafened, which leaves the microphone as it was', async () => {
    peer.application.set({ mute: true });
    expect(await send({ action: 'DEAFEN' })).toMatchObject({ mute: true, deaf: true });
    expect(await send({ action: 'TOGGLE_DEAFEN' })).toMatchObject({ mute: true, deaf: false });
    expect(await send({ action: 'TOGGLE_DEAFEN' })).toMatchObject({ deaf: true });
    expect(await send({ action: 'UNDEAFEN' })).toMatchObject({ mute: true, deaf: false });
  });

  test('counts as muted while deafened: unmuting ends both', async () => {
    peer.application.set({ deaf: true });
    expect(await send({ action: 'TOGGLE_MUTE' })).toMatchObject({ mute: false, deaf: false });
    peer.application.set({ deaf: true });
    await send({ action: 'UNMUTE' });
    expect(voice()).toMatchObject({ mute: false, deaf: false });
  });
});

test.each([
  [{ action: 'SET_INPUT_VOLUME', value: 50 }, () => voice().input.volume, 14.36],
  [{ action: 'SET_OUTPUT_VOLUME', value: 200 }, () => voice().output.volume, 199.53],
  [{ action: 'SET_VOICE_THRESHOLD', value: -40 }, () => voice().mode.threshold, -40],
  [{ action: 'SET_PUSH_TO_TALK_DELAY', value: 2000 }, () => voice().mode.delay, 2000],
])('%p sets its number in the application', async (input, now, expected) => {
  await send(input);
  expect(now()).toBeCloseTo(expected, 2);
});

test('setting a threshold turns off the automatic one', async () => {
  expect(voice().mode.auto_threshold).toBe(true);
  await send({ action: 'SET_VOICE_THRESHOLD', value: -40 });
  expect(voice().mode.auto_threshold).toBe(false);
});

test('devices and mode are chosen', async () => {
  await send({ action: 'SET_INPUT_DEVICE', device_id: 'alsa-1' });
  await send({ action: 'SET_OUTPUT_DEVICE', device_id: 'alsa-1' });
  await send({ action: 'SET_VOICE_MODE', mode: 'PUSH_TO_TALK' });
  expect(voice()).toMatchObject({
    input: { device_id: 'alsa-1', volume: 100 },
    output: { device_id: 'alsa-1' },
    mode: { type: 'PUSH_TO_TALK', threshold: -60 },
  });
});

test.each([
  ['QOS', 'qos'],
  ['SILENCE_WARNING', 'silence_warning'],
] as const)('%p is switched on, off and over', async (name, field) => {
  await send({ action: `ENABLE_${name}` });
  expect(voice()[field]).toBe(true);
  await send({ action: `TOGGLE_${name}` });
  expect(voice()[field]).toBe(false);
  await send({ action: `TOGGLE_${name}` });
  await send({ action: `DISABLE_${name}` });
  expect(voice()[field]).toBe(false);
});

test('calls are joined, changed and left, and text channels opened', async () => {
  expect(await send({ action: 'JOIN_VOICE_CHANNEL', channel_id: '100' })).toMatchObject({ channel_id: '100' });
  expect(await send({ action: 'JOIN_VOICE_CHANNEL', channel_id: '200' })).toMatchObject({ channel_id: '200' });
  expect(peer.application.channel?.id).toBe('200');
  expect(await send({ action: 'LEAVE_VOICE_CHANNEL' })).toMatchObject({ channel_id: null });
  expect(peer.application.channel).toBeNull();
  await send({ action: 'OPEN_TEXT_CHANNEL', channel_id: '200' });
  expect(peer.received.at(-1)).toMatchObject({ cmd: 'SELECT_TEXT_CHANNEL', args: { channel_id: '200' } });
});

test('other users are set to a volume, or muted', async () => {
  await send({ action: 'JOIN_VOICE_CHANNEL', channel_id: '100' });
  await send({ action: 'SET_USER_VOLUME', user_id: '2', value: 50 });
  expect(bob()?.volume).toBeCloseTo(14.36, 2);
  await send({ action: 'MUTE_USER', user_id: '2' });
  expect(bob()?.mute).toBe(true);
  await send({ action: 'UNMUTE_USER', user_id: '2' });
  expect(bob()?.mute).toBe(false);
});

describe('a chat action', () => {
  test('while a permission prompt is open is refused with that reason', async () => {
    machine.remove('chat-token.json');
    peer.application.consent = 'silence';
    expect(await problemOf({ action: 'MUTE' })).toMatchObject({
      code: 'failed',
      message: expect.stringContaining('accept it there'),
    });
  });

  test('without an action is MISSING_ACTION', async () => {
    expect(await problemOf({})).toMatchObject({ code: 'invalid', subtype: 'MISSING_ACTION' });
  });

  test.each(['EXPLODE', 'mute', 'constructor', ''])('with the action %p is INVALID_ACTION', async (action) => {
    expect(await problemOf({ action })).toMatchObject({ code: 'invalid', subtype: 'INVALID_ACTION' });
  });

  test.each([
    { action: 'SET_INPUT_VOLUME', value: 101 },
    { action: 'SET_INPUT_VOLUME', value: -1 },
    { action: 'SET_INPUT_VOLUME' },
    { action: 'SET_OUTPUT_VOLUME', value: 201 },
    { action: 'SET_USER_VOLUME', user_id: '2', value: 200.5 },
    { action: 'SET_USER_VOLUME', value: 100 },
    { action: 'SET_VOICE_THRESHOLD', value: 1 },
    { action: 'SET_VOICE_THRESHOLD', value: -101 },
    { action: 'SET_PUSH_TO_TALK_DELAY', value: 2001 },
    { action: 'SET_VOICE_MODE', mode: 'TELEPATHY' },
    { action: 'SET_INPUT_DEVICE' },
    { action: 'JOIN_VOICE_CHANNEL' },
    { action: 'MUTE_USER' },
  ])('with %p is a bad request, before the application gets anything', async (given) => {
    expect(await problemOf(given)).toMatchObject({ code: 'invalid', subtype: null });
    expect(peer.connections()).toBe(0);
  });

  test('without a set-up is unsupported, and says how to make one', async () => {
    machine.remove('chat.json');
    expect(await problemOf({ action: 'MUTE' })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('hostler chat setup'),
    });
    const { context } = fakeActionContext(machine.host);
    expect(await chatControl.unavailable(context)).toContain('hostler chat setup');
  });

  test('while the application does not run has failed', async () => {
    await peer.quit();
    expect(await problemOf({ action: 'MUTE' })).toMatchObject({
      code: 'failed',
      message: expect.stringContaining('is not running'),
    });
  });

  test('while another program holds the voice settings says so, with the message of the application', async () => {
    peer.application.lockedByOther = true;
    const problem = await problemOf({ action: 'MUTE' });
    expect(problem).toMatchObject({ code: 'failed' });
    expect(String(problem)).toContain('Voice settings are locked by another application');
    expect(String(problem)).toContain('one program at a time');
    peer.application.lockedByOther = false;
    expect(await send({ action: 'MUTE' })).toMatchObject({ mute: true });
  });

  test.each([
    [{ action: 'JOIN_VOICE_CHANNEL', channel_id: '999' }, 'Invalid channel id'],
    [{ action: 'MUTE_USER', user_id: '80351110224678912' }, 'Invalid user id'],
    [{ action: 'SET_INPUT_DEVICE', device_id: 'gone' }, 'input.device_id'],
  ])('refused by the application for %p has its message, without that hint', async (given, words) => {
    const problem = await problemOf(given);
    expect(problem).toMatchObject({ code: 'failed' });
    expect(String(problem)).toContain(words);
    expect(String(problem)).not.toContain('one program at a time');
  });

  test('after the application has ended fails, and works again when it is back', async () => {
    await send({ action: 'UNMUTE' });
    peer.faults.at = { cmd: 'SET_VOICE_SETTINGS', what: 'close' };
    expect(await problemOf({ action: 'MUTE' })).toMatchObject({ code: 'failed' });
    peer.faults.at = null;
    await until(async () => {
      clock.advance(1000);
      return !((await problemOf({ action: 'MUTE' })) instanceof Error);
    }, 'it works again');
  });
});

test('every action has a command', () => {
  expect(Object.keys(orders).sort()).toEqual([...chatActions].sort());
});

test.each(chatActions.map((action) => [action]))(
  'an agent asks the user before %s if others may hear the user afterwards',
  (action) => {
    const harmless = /^(LEAVE_|OPEN_|MUTE|DEAFEN|SET_OUTPUT_|SET_USER_|UNMUTE_USER)|_(QOS|SILENCE_WARNING)$/.test(
      action,
    );
    const { tool } = chatControl.agent ?? {};
    for (const written of [action, action.toLowerCase()]) expect(tool?.isAsked?.({ action: written })).toBe(!harmless);
    expect(tool?.needsConsent?.(defaultSettings)).toBe(true);
  },
);
