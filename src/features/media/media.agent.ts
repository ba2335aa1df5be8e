import type { AgentTool, AgentUse } from '../../core/agent.ts';
import type { MediaControlOutput } from './media-merge.schema.ts';

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

export const mediaUse: AgentUse<MediaControlOutput> = {
  tool: controlMedia,
  toInput: ({ action, value, player }) => ({ action: String(action).toUpperCase(), value, player }),
  toOutput: ({ data: { action, player, volume } }) => ({ action, player, volume }),
};
