import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { quoted } from '../../lib/quoted.ts';
import type { KeyboardTextOutput, KeypressOutput } from './keyboard.schema.ts';

const typeText: AgentTool = {
  name: 'type_text',
  title: 'Type text',
  description: 'Types text into the focused window of the machine. May ask the user first.',
  input: async () => (await import('./keyboard.schema.ts')).typeTextInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).typeTextOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: false,
  prompt: ({ text }) => `An agent wants to type into the focused window:\n${quoted(String(text))}`,
  unlogged: ['text'],
};

const pressKey: AgentTool = {
  name: 'press_key',
  title: 'Press a key',
  description: 'Presses a key on the machine, optionally with modifiers held. May ask the user first.',
  input: async () => (await import('./keyboard.schema.ts')).pressKeyInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).pressKeyOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: false,
  prompt: ({ key, modifiers }) =>
    `An agent wants to press ${[...(Array.isArray(modifiers) ? modifiers : []), key].map((each) => quoted(String(each))).join(' + ')}.`,
  unlogged: ['key', 'modifiers'],
};

export const textUse: AgentUse<KeyboardTextOutput> = {
  tool: typeText,
  toInput: ({ text }) => ({ text }),
  toOutput: ({ data: { characters } }) => ({ characters }),
};

export const keypressUse: AgentUse<KeypressOutput> = {
  tool: pressKey,
  toInput: ({ key, modifiers }) => ({ key, modifiers }),
  toOutput: () => ({ pressed: true }),
};
