import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import { currentPlatform, type PerPlatform } from '../../lib/platform.ts';
import type { AudioControlInput, AudioControlOutput } from './audio.schema.ts';

const platforms: PerPlatform<typeof import('./audio.linux.ts')> = {
  linux: () => import('./audio.linux.ts'),
};

const missing = 'audio.control is not supported on this platform yet';
const load = () => (currentPlatform === null ? undefined : platforms[currentPlatform]?.());

export const audioControl = defineAction<AudioControlInput, AudioControlOutput>({
  name: 'audio.control',
  description: 'Sets volume and mute of outputs, inputs and programs, and which of them are used',
  input: async () => (await import('./audio.schema.ts')).audioControlInputSchema,
  output: async () => (await import('./audio.schema.ts')).audioControlOutputSchema,
  scopes: ['media'],
  effect: 'write',
  http: false,
  wire: { event: 'AUDIO_CONTROL', reply: 'AUDIO_CONTROLLED' },
  unavailable: async ({ host }) => {
    const platform = await load();
    return platform === undefined ? missing : await platform.unavailable(host);
  },
  async run(input, { host }) {
    const platform = await load();
    if (platform === undefined) throw new ServiceError('unsupported', missing);
    return await platform.control(input, host);
  },
});
