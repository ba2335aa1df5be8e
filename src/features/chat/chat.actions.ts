import { defineAction } from '../../core/action.ts';
import type { AgentTool } from '../../core/agent.ts';
import type { ChatAction } from './chat.schema.ts';

const input = async () => (await import('./chat.schema.ts')).chatControlInputSchema;
const output = async () => (await import('./chat.schema.ts')).chatControlOutputSchema;

/** After these others may hear the user. */
const opensMicrophone: ReadonlySet<string> = new Set<ChatAction>([
  'JOIN_VOICE_CHANNEL',
  'UNMUTE',
  'TOGGLE_MUTE',
  'UNDEAFEN',
  'TOGGLE_DEAFEN',
  'SET_INPUT_VOLUME',
  'SET_INPUT_DEVICE',
  'SET_VOICE_MODE',
  'SET_VOICE_THRESHOLD',
  'SET_PUSH_TO_TALK_DELAY',
]);

/** Agents may write actions in lower case, as in other tools. */
const upperCase = (action: unknown) => String(action).toUpperCase();

const tool: AgentTool = {
  name: 'control_chat',
  title: 'Control the voice chat',
  description: "Controls the user's voice chat: mute, calls, voice settings.",
  input,
  output,
  destructive: false,
  idempotent: true,
  byDefault: true,
  onlyWhenAvailable: true,
  needsConsent: () => true,
  isAsked: ({ action }) => opensMicrophone.has(upperCase(action)),
};

export const chatControl = defineAction({
  name: 'chat.control',
  description: 'Mutes, deafens, joins and leaves calls and changes voice settings in the voice-chat application',
  input,
  output,
  scopes: ['chat'],
  effect: 'write',
  example: { action: 'TOGGLE_MUTE' },
  wire: {
    event: 'CHAT_CONTROL',
    reply: 'CHAT_CONTROLLED',
    aliases: [{ event: 'DISCORD_CONTROL', reply: 'DISCORD_CONTROLLED' }],
  },
  agent: {
    tool,
    toInput: (given) => ({ ...given, action: upperCase(given.action) }),
    toOutput: ({ data }) => ({ ...data }),
  },
  entities: async () => (await import('./chat.controls.ts')).chatControlEntities,
  unavailable: async ({ host }) => (await import('./chat.control.ts')).whyAbsent(host),
  run: async (given, context) => await (await import('./chat.control.ts')).controlVoice(given, context),
});
