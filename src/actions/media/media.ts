import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import { currentPlatform, type PerPlatform } from '../../lib/platform.ts';
import { mediaUse } from './media.agent.ts';
import type { MediaControlInput, MediaControlOutput } from './media.schema.ts';

const platforms: PerPlatform<typeof import('./media.linux.ts')> = {
  linux: () => import('./media.linux.ts'),
};

const missing = 'media.control is not supported on this platform yet';
const load = () => (currentPlatform === null ? undefined : platforms[currentPlatform]?.());

export const mediaControl = defineAction<MediaControlInput, MediaControlOutput>({
  name: 'media.control',
  description: 'Plays, pauses, skips, seeks, and sets volume, shuffle and repeat of a media player',
  input: async () => (await import('./media.schema.ts')).mediaControlInputSchema,
  output: async () => (await import('./media.schema.ts')).mediaControlOutputSchema,
  scopes: ['media'],
  effect: 'write',
  http: false,
  wire: { event: 'MEDIA_CONTROL', reply: 'MEDIA_CONTROLLED' },
  agent: mediaUse,
  unavailable: async ({ host }) => (await load())?.unavailable(host) ?? missing,
  async run(input, context) {
    const platform = await load();
    if (platform === undefined) throw new ServiceError('unsupported', missing);
    return await platform.control(input, context);
  },
});
