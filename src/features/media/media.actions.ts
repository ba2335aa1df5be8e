import { defineAction } from '../../core/action.ts';
import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import type { MediaControl } from './media.contract.ts';
import type { MediaControlInput, MediaControlOutput } from './media.schema.ts';

const name = 'media.control';
const controls: PerPlatform<MediaControl> = {
  linux: async () => (await import('./linux/media.control.ts')).mediaControlLinux,
  windows: async () => (await import('./windows/media.control.ts')).mediaControlWindows,
};

const controlMedia: AgentTool = {
  name: 'control_media',
  title: 'Media player',
  description: 'Controls a media player; mute toggles.',
  input: async () => (await import('./media.agent.schema.ts')).controlMediaInputSchema,
  output: async () => (await import('./media.agent.schema.ts')).controlMediaOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: true,
};

const mediaUse: AgentUse<MediaControlOutput> = {
  tool: controlMedia,
  toInput: ({ action, value, player }) => ({ action: String(action).toUpperCase(), value, player }),
  toOutput: ({ data: { action, player, volume } }) => ({ action, player, volume }),
};

export const mediaControl = defineAction<MediaControlInput, MediaControlOutput>({
  name,
  description: 'Plays, pauses, skips, seeks, and sets volume, shuffle and repeat of a media player',
  input: async () => (await import('./media.schema.ts')).mediaControlInputSchema,
  output: async () => (await import('./media.schema.ts')).mediaControlOutputSchema,
  scopes: ['media'],
  effect: 'write',
  example: { action: 'PAUSE' },
  wire: { event: 'MEDIA_CONTROL', reply: 'MEDIA_CONTROLLED' },
  agent: mediaUse,
  entities: async () => (await import('./media.controls.ts')).mediaControlEntities,
  unavailable: ({ host }) => unavailableFor(host, controls, name),
  run: async (input, context) => await (await requireFor(context.host, controls, name)).control(input, context),
});
