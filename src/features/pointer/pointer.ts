import { type ActionContext, type ActionParts, defineAction } from '../../core/action.ts';
import { defineFeature } from '../../core/feature.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { pointerCommands } from './pointer.commands.ts';
import type { PointerControl } from './pointer.contract.ts';

const what = 'The pointer';
const controls: PerPlatform<PointerControl> = {
  linux: async () => (await import('./pointer.linux.ts')).pointerLinux,
  windows: async () => (await import('./pointer.windows.ts')).pointerWindows,
};
const controlFor = ({ host }: ActionContext) => requireFor(host, controls, what);

const common = {
  scopes: ['pointer'],
  effect: 'disrupt',
  unavailable: ({ host }: Pick<ActionParts, 'host'>) => unavailableFor(host, controls, what),
} as const;

const pointerMove = defineAction({
  ...common,
  name: 'pointer.move',
  description: 'Moves the pointer to a place, or by a distance',
  input: async () => (await import('./pointer.schema.ts')).pointerMoveInputSchema,
  output: async () => (await import('./pointer.schema.ts')).pointerMoveOutputSchema,
  example: { x: 640, y: 360 },
  wire: { event: 'POINTER_MOVE', reply: 'POINTER_MOVED' },
  async run(input, context) {
    const target = await (await controlFor(context)).move(input, context);
    if (target === null) return { message: 'The pointer was moved', data: { display: null, x: null, y: null } };
    const { id } = target.display;
    return { message: `The pointer was moved on ${id}`, data: { display: id, x: target.x, y: target.y } };
  },
});

const pointerClick = defineAction({
  ...common,
  name: 'pointer.click',
  description: 'Clicks a button of the pointer, where it is or at a place',
  input: async () => (await import('./pointer.schema.ts')).pointerClickInputSchema,
  output: async () => (await import('./pointer.schema.ts')).pointerClickOutputSchema,
  example: { button: 'left', count: 2 },
  wire: { event: 'POINTER_CLICK', reply: 'POINTER_CLICKED' },
  async run(input, context) {
    const data = { button: input.button ?? 'left', count: input.count ?? 1 };
    await (await controlFor(context)).click({ ...input, ...data }, context);
    return { message: `The ${data.button} button was clicked`, data };
  },
});

const pointerScroll = defineAction({
  ...common,
  name: 'pointer.scroll',
  description: 'Turns the wheel of the pointer',
  input: async () => (await import('./pointer.schema.ts')).pointerScrollInputSchema,
  output: async () => (await import('./pointer.schema.ts')).pointerScrollOutputSchema,
  example: { dy: 3 },
  wire: { event: 'POINTER_SCROLL', reply: 'POINTER_SCROLLED' },
  async run({ dx, dy }, context) {
    const data = { dx: dx ?? 0, dy: dy ?? 0 };
    await (await controlFor(context)).scroll(data, context);
    return { message: 'The wheel was turned', data };
  },
});

export const pointerActions = [pointerMove, pointerClick, pointerScroll] as const;

export const pointerFeature = defineFeature({
  name: 'pointer',
  title: 'Pointer',
  actions: pointerActions,
  scopes: {
    pointer: {
      description: 'move the pointer, click and scroll',
      label: 'move the pointer',
      after: 'input',
      gravity: 85,
    },
  },
  commands: pointerCommands,
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    pointer: true;
  }
}
