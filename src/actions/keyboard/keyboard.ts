import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import { currentPlatform, type PerPlatform } from '../../lib/platform.ts';
import { keypressUse, textUse } from './keyboard.agent.ts';
import type { KeyboardTextInput, KeyboardTextOutput, KeypressInput, KeypressOutput } from './keyboard.schema.ts';

const platforms: PerPlatform<typeof import('./keyboard.linux.ts')> = {
  linux: () => import('./keyboard.linux.ts'),
};

const missing = 'The keyboard is not supported on this platform yet';
const load = () => (currentPlatform === null ? undefined : platforms[currentPlatform]?.());

async function loaded(): Promise<typeof import('./keyboard.linux.ts')> {
  const platform = await load();
  if (platform === undefined) throw new ServiceError('unsupported', missing);
  return platform;
}

const common = {
  scopes: ['input'],
  effect: 'disrupt',
  http: false,
  unavailable: async ({ host }: Parameters<ReturnType<typeof defineAction>['unavailable']>[0]) => {
    const platform = await load();
    return platform === undefined ? missing : await platform.unavailable(host);
  },
} as const;

export const keyboardKeypress = defineAction<KeypressInput, KeypressOutput>({
  ...common,
  name: 'keyboard.keypress',
  description: 'Presses a key, with others held, and releases all of them',
  input: async () => (await import('./keyboard.schema.ts')).keypressInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keypressOutputSchema,
  wire: { event: 'KEYBOARD_KEYPRESS', reply: 'KEYBOARD_KEY_PRESSED' },
  agent: keypressUse,
  run: async (input, context) => await (await loaded()).keypress(input, context),
});

export const keyboardText = defineAction<KeyboardTextInput, KeyboardTextOutput>({
  ...common,
  name: 'keyboard.text',
  description: 'Types a text into whatever has the focus',
  input: async () => (await import('./keyboard.schema.ts')).keyboardTextInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keyboardTextOutputSchema,
  wire: { event: 'KEYBOARD_TEXT', reply: 'KEYBOARD_TEXT_SENT' },
  agent: textUse,
  run: async (input, context) => await (await loaded()).text(input, context),
});
