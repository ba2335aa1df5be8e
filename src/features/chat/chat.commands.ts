import type { RpcRequest } from '@hostler/discord-rpc/rpc.ts';
import type { VoiceSettings } from '@hostler/discord-rpc/voice-state.ts';
import { amplitudeOf } from '@hostler/discord-rpc/volume.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { ChatAction, ChatControlInput } from './chat.schema.ts';

/** Checks the input, then builds the request for the application from it and the current state. */
type Order = (input: ChatControlInput) => (voice: VoiceSettings) => RpcRequest;

const setVoice = (args: object): RpcRequest => ({ cmd: 'SET_VOICE_SETTINGS', args });
const select = (kind: 'VOICE' | 'TEXT', channel_id: string | null): RpcRequest => ({
  cmd: `SELECT_${kind}_CHANNEL`,
  args: { channel_id },
});
const setUser = (input: ChatControlInput, args: object): RpcRequest => ({
  cmd: 'SET_USER_VOICE_SETTINGS',
  args: { user_id: text(input, 'user_id'), ...args },
});

const always = (request: RpcRequest) => () => request;
/** Deafening also mutes in the application, so unmuting ends both. */
const unmuted = setVoice({ mute: false, deaf: false });
const muted = setVoice({ mute: true });

export const orders: Record<ChatAction, Order> = {
  JOIN_VOICE_CHANNEL: (input) => always(select('VOICE', text(input, 'channel_id'))),
  LEAVE_VOICE_CHANNEL: () => always(select('VOICE', null)),
  OPEN_TEXT_CHANNEL: (input) => always(select('TEXT', text(input, 'channel_id'))),
  MUTE: () => always(muted),
  UNMUTE: () => always(unmuted),
  TOGGLE_MUTE:
    () =>
    ({ mute, deaf }) =>
      mute || deaf ? unmuted : muted,
  DEAFEN: () => always(setVoice({ deaf: true })),
  UNDEAFEN: () => always(setVoice({ deaf: false })),
  TOGGLE_DEAFEN:
    () =>
    ({ deaf }) =>
      setVoice({ deaf: !deaf }),
  SET_INPUT_VOLUME: (input) => always(setVoice({ input: { volume: volume(input, 100) } })),
  SET_OUTPUT_VOLUME: (input) => always(setVoice({ output: { volume: volume(input, 200) } })),
  SET_INPUT_DEVICE: (input) => always(setVoice({ input: { device_id: text(input, 'device_id') } })),
  SET_OUTPUT_DEVICE: (input) => always(setVoice({ output: { device_id: text(input, 'device_id') } })),
  SET_VOICE_MODE: (input) => always(setVoice({ mode: { type: mode(input) } })),
  // A manual threshold has no effect while the automatic one is on.
  SET_VOICE_THRESHOLD: (input) =>
    always(setVoice({ mode: { auto_threshold: false, threshold: value(input, -100, 0) } })),
  SET_PUSH_TO_TALK_DELAY: (input) => always(setVoice({ mode: { delay: value(input, 0, 2000) } })),
  ENABLE_QOS: () => always(setVoice({ qos: true })),
  DISABLE_QOS: () => always(setVoice({ qos: false })),
  TOGGLE_QOS:
    () =>
    ({ qos }) =>
      setVoice({ qos: !qos }),
  ENABLE_SILENCE_WARNING: () => always(setVoice({ silence_warning: true })),
  DISABLE_SILENCE_WARNING: () => always(setVoice({ silence_warning: false })),
  TOGGLE_SILENCE_WARNING:
    () =>
    ({ silence_warning }) =>
      setVoice({ silence_warning: !silence_warning }),
  SET_USER_VOLUME: (input) => always(setUser(input, { volume: volume(input, 200) })),
  MUTE_USER: (input) => always(setUser(input, { mute: true })),
  UNMUTE_USER: (input) => always(setUser(input, { mute: false })),
};

export const isChatAction = (name: string): name is ChatAction => Object.hasOwn(orders, name);

function text(input: ChatControlInput, field: 'channel_id' | 'device_id' | 'user_id'): string {
  return input[field] ?? refuse(`${input.action} needs ${field}`);
}

function value({ action, value: given }: ChatControlInput, least: number, most: number): number {
  const isWithin = typeof given === 'number' && given >= least && given <= most;
  return isWithin ? given : refuse(`${action} needs a value from ${least} to ${most}`);
}

const volume = (input: ChatControlInput, most: number) => amplitudeOf(value(input, 0, most));

function mode({ action, mode: given }: ChatControlInput): string {
  if (given === 'VOICE_ACTIVITY' || given === 'PUSH_TO_TALK') return given;
  return refuse(`${action} needs a mode, VOICE_ACTIVITY or PUSH_TO_TALK`);
}

function refuse(sentence: string): never {
  throw new ServiceError('invalid', sentence);
}
