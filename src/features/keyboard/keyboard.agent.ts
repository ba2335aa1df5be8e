import type { AgentTool, AgentUse } from '../../core/agent.ts';
import type { KeyboardTextOutput, KeypressOutput } from './keyboard.schema.ts';

const typeText: AgentTool = {
  name: 'type_text',
  title: 'Type text',
  description: 'Types text into the focused window of the machine.',
  input: async () => (await import('./keyboard.schema.ts')).typeTextInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).typeTextOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: false,
  unlogged: ['text'],
};

const pressKey: AgentTool = {
  name: 'press_key',
  title: 'Press a key',
  description: 'Presses a key on the machine, optionally with modifiers held.',
  input: async () => (await import('./keyboard.schema.ts')).pressKeyInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).pressKeyOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: false,
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
