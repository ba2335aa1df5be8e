import path from 'node:path';
import { type ActionContext, type ActionParts, defineAction } from '../../core/action.ts';
import { defineFeature } from '../../core/feature.ts';
import { loadFor, type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { messageOf } from '../../lib/errors.ts';
import { keypressUse, textUse } from './keyboard.agent.ts';
import type { KeyboardControl } from './keyboard.contract.ts';

const what = 'The keyboard';
const controls: PerPlatform<KeyboardControl> = {
  linux: async () => (await import('./keyboard.linux.ts')).keyboardLinux,
  windows: async () => (await import('./keyboard.windows.ts')).keyboardWindows,
};
const controlFor = ({ host }: ActionContext) => requireFor(host, controls, what);

const common = {
  scopes: ['input'],
  effect: 'disrupt',
  unavailable: ({ host }: Pick<ActionParts, 'host'>) => unavailableFor(host, controls, what),
} as const;

/** Releases keys left by a killed run at start, or with the first key if no desktop is running yet. */
function leftKeys({ host, log }: ActionParts) {
  let isLeft = true;
  let releasing: Promise<void> | null = null;
  const release = async () => {
    try {
      // Checks the disk only: nothing else is loaded without leftovers.
      isLeft = host.storage.signature(path.join(host.paths.state, 'keyboard.journal')) !== null;
      if (!isLeft) return;
      const released = (await (await loadFor(host, controls))?.().releaseLeftKeys()) ?? null;
      isLeft = released === null;
      if (released) log.info('keyboard: released keys that an earlier run of the service had left pressed or remapped');
    } catch (error) {
      log.warn(`keyboard: keys of an earlier run could not be released: ${messageOf(error)}`);
    }
  };
  const attempt = async () => {
    if (!isLeft) return;
    releasing ??= release().finally(() => {
      releasing = null;
    });
    await releasing;
  };
  void attempt();
  return { attempt };
}

export const keyboardKeypress = defineAction({
  ...common,
  name: 'keyboard.keypress',
  description: 'Presses a key, with others held, and releases all of them',
  input: async () => (await import('./keyboard.schema.ts')).keypressInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keypressOutputSchema,
  example: { key: 'l', modifiers: ['control'] },
  wire: { event: 'KEYBOARD_KEYPRESS', reply: 'KEYBOARD_KEY_PRESSED' },
  agent: keypressUse,
  fromStart: leftKeys,
  async run(input, context) {
    await context.keep(leftKeys).attempt();
    await (await controlFor(context)).keypress(input, context);
    return { message: 'The key was pressed', data: { key: input.key, modifiers: input.modifiers ?? [] } };
  },
});

export const keyboardText = defineAction({
  ...common,
  name: 'keyboard.text',
  description: 'Types text into the focused window',
  input: async () => (await import('./keyboard.schema.ts')).keyboardTextInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keyboardTextOutputSchema,
  example: { text: 'Good morning' },
  wire: { event: 'KEYBOARD_TEXT', reply: 'KEYBOARD_TEXT_SENT' },
  agent: textUse,
  async run(input, context) {
    await context.keep(leftKeys).attempt();
    const characters = await (await controlFor(context)).text(input, context);
    return { message: 'The text was typed', data: { characters } };
  },
});

export const keyboardCancel = defineAction({
  ...common,
  name: 'keyboard.cancel',
  description: 'Stops everything that is being typed or waits to be typed, from every client',
  effect: 'write',
  duringPause: true,
  input: async () => (await import('./keyboard.schema.ts')).keyboardCancelInputSchema,
  output: async () => (await import('./keyboard.schema.ts')).keyboardCancelOutputSchema,
  example: {},
  wire: { event: 'KEYBOARD_CANCEL', reply: 'KEYBOARD_CANCELLED' },
  async run(_input, context) {
    const why = `Typing was cancelled by ${context.caller.tokenName}`;
    const cancelled = (await controlFor(context)).cancel(why, context);
    return { message: cancelled === 0 ? 'Nothing was being typed' : 'Typing was cancelled', data: { cancelled } };
  },
});

const keyboardActions = [keyboardKeypress, keyboardText, keyboardCancel];

export const keyboardFeature = defineFeature({
  name: 'keyboard',
  title: 'Keyboard',
  actions: keyboardActions,
  scopes: {
    input: {
      description: 'type on the keyboard, and stop what is being typed',
      label: 'type',
      after: 'control',
      gravity: 90,
    },
  },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    input: true;
  }
}
