import { defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import type { AudioControl } from './audio.contract.ts';

const name = 'audio.control';
const controls: PerPlatform<AudioControl> = {
  linux: async () => (await import('./audio.control.linux.ts')).audioControlLinux,
  windows: async () => (await import('./audio.control.windows.ts')).audioControlWindows,
};

export const audioControl = defineAction({
  name,
  description: 'Sets the volume and mute state of outputs, inputs and programs, and the default devices',
  input: async () => (await import('./audio.schema.ts')).audioControlInputSchema,
  output: async () => (await import('./audio.schema.ts')).audioControlOutputSchema,
  scopes: ['media'],
  effect: 'write',
  example: { action: 'VOLUME', value: 40 },
  wire: { event: 'AUDIO_CONTROL', reply: 'AUDIO_CONTROLLED' },
  entities: async () => (await import('./audio.controls.ts')).audioControlEntities,
  unavailable: ({ host }) => unavailableFor(host, controls, name),
  run: async (input, { host }) => await (await requireFor(host, controls, name)).control(input),
});
