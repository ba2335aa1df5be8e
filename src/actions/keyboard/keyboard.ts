import { type ActionContext, type ActionParts, defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { keypressUse, textUse } from './keyboard.agent.ts';
import type { KeyboardControl } from './keyboard.contract.ts';
import type { KeyboardTextInput, KeyboardTextOutput, KeypressInput, KeypressOutput } from './keyboard.schema.ts';

const what = 'The keyboard';
const controls: PerPlatform<KeyboardControl> = {
  linux: async () => (await import('./keyboard.linux.ts')).keyboardLinux,
};
const controlFor = ({ host }: ActionContext) => requireFor(host, controls, what);

const common = {
  scopes: ['input'],
  effect: 'disrupt',
  http: false,
  unavailable: ({ host }: Pick<ActionParts, 'host'>) => unavailableFor(host, controls, what),
} as const;

export const keyboardKeypress = defineAction<KeypressInput, KeypressOutput>({
  ...common,
  name: 'keyboard.keypress',
  description: 'Presses a key, with others held, and releases all of them',
  input: async () => (await import('./keyboard.schema.ts')).keypressInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keypressOutputSchema,
  wire: { event: 'KEYBOARD_KEYPRESS', reply: 'KEYBOARD_KEY_PRESSED' },
  agent: keypressUse,
  run: async (input, context) => await (await controlFor(context)).keypress(input, context),
});

export const keyboardText = defineAction<KeyboardTextInput, KeyboardTextOutput>({
  ...common,
  name: 'keyboard.text',
  description: 'Types a text into whatever has the focus',
  input: async () => (await import('./keyboard.schema.ts')).keyboardTextInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keyboardTextOutputSchema,
  wire: { event: 'KEYBOARD_TEXT', reply: 'KEYBOARD_TEXT_SENT' },
  agent: textUse,
  run: async (input, context) => await (await controlFor(context)).text(input, context),
});
