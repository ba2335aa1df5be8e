import type { CommandDefinition } from '../../core/command.ts';
import type { ChatAction } from './chat.schema.ts';

type Field = 'channel_id' | 'user_id' | 'device_id' | 'mode' | 'value';

const orders: Record<ChatAction, { does: string; takes?: Field[] }> = {
  JOIN_VOICE_CHANNEL: { does: 'join a voice channel, leaving another one', takes: ['channel_id'] },
  LEAVE_VOICE_CHANNEL: { does: 'leave the call' },
  OPEN_TEXT_CHANNEL: { does: 'show a text channel', takes: ['channel_id'] },
  MUTE: { does: 'mute the microphone' },
  UNMUTE: { does: 'unmute the microphone' },
  TOGGLE_MUTE: { does: 'mute or unmute' },
  DEAFEN: { does: 'deafen: turn off sound and microphone' },
  UNDEAFEN: { does: 'turn sound and microphone back on' },
  TOGGLE_DEAFEN: { does: 'deafen or undeafen' },
  SET_INPUT_VOLUME: { does: 'set the volume of the microphone, 0-100', takes: ['value'] },
  SET_OUTPUT_VOLUME: { does: 'set the output volume, 0-200', takes: ['value'] },
  SET_INPUT_DEVICE: { does: 'choose the microphone', takes: ['device_id'] },
  SET_OUTPUT_DEVICE: { does: 'choose the output device', takes: ['device_id'] },
  SET_VOICE_MODE: { does: 'choose VOICE_ACTIVITY or PUSH_TO_TALK', takes: ['mode'] },
  SET_VOICE_THRESHOLD: { does: 'set the voice-activity threshold, -100 to 0 dB', takes: ['value'] },
  SET_PUSH_TO_TALK_DELAY: { does: 'set the release delay, 0-2000 ms', takes: ['value'] },
  ENABLE_QOS: { does: 'give voice packets priority' },
  DISABLE_QOS: { does: 'stop giving voice packets priority' },
  TOGGLE_QOS: { does: 'toggle the priority of voice packets' },
  ENABLE_SILENCE_WARNING: { does: 'warn about a silent microphone' },
  DISABLE_SILENCE_WARNING: { does: 'stop warning about a silent microphone' },
  TOGGLE_SILENCE_WARNING: { does: 'toggle the warning about a silent microphone' },
  SET_USER_VOLUME: { does: 'set the volume of another user, 0-200', takes: ['user_id', 'value'] },
  MUTE_USER: { does: 'mute another user for yourself', takes: ['user_id'] },
  UNMUTE_USER: { does: 'unmute another user', takes: ['user_id'] },
};

const json = 'print JSON instead of a sentence';
/** `TOGGLE_MUTE` → `chat toggle-mute`; and the commands of the set-up. */
export const chatCommands: readonly CommandDefinition[] = [
  {
    usage: 'chat',
    description: 'set up and control the voice-chat application',
    place: { group: 'control', rank: 8 },
  },
  {
    isSentences: true,
    usage: 'chat setup',
    description: 'set up the voice chat: asks for the client id and secret, or reads them from a pipe, one per line',
    options: [{ flags: '--client-id <id>', description: 'the client id, so that only the secret is asked for' }],
    run: async () => (await import('./chat.cli.ts')).setUpChat,
  },
  {
    usage: 'chat status',
    description: 'show whether it is set up, permitted and connected',
    json,
    run: async () => (await import('./chat.cli.ts')).printChatStatus,
  },
  {
    isSentences: true,
    usage: 'chat forget',
    description: 'remove the setup and the permission',
    run: async () => (await import('./chat.cli.ts')).forgetChat,
  },
  ...Object.entries(orders).map(([action, { does, takes = [] }]) => ({
    usage: ['chat', action.toLowerCase().replaceAll('_', '-'), ...takes.map((field) => `<${field}>`)].join(' '),
    description: does,
    json,
    action: { name: 'chat.control', input: { action }, fields: { value: { label: 'value' } } },
  })),
];
