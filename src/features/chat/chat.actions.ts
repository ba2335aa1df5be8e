import { defineAction } from '../../core/action.ts';
import type { AgentTool } from '../../core/agent.ts';
import type { ChatControlInput, ChatControlOutput } from './chat.schema.ts';

const input = async () => (await import('./chat.schema.ts')).chatControlInputSchema;
const output = async () => (await import('./chat.schema.ts')).chatControlOutputSchema;

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
};

export const chatControl = defineAction<ChatControlInput, ChatControlOutput>({
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
    // Agents may write actions in lower case, as in other tools.
    toInput: (given) => ({ ...given, action: String(given.action).toUpperCase() }),
    toOutput: ({ data }) => ({ ...data }),
  },
  entities: async () => (await import('./chat.controls.ts')).chatControlEntities,
  unavailable: async ({ host }) => (await import('./chat.control.ts')).whyAbsent(host),
  run: async (given, context) => await (await import('./chat.control.ts')).controlVoice(given, context),
});
