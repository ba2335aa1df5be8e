import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import { currentPlatform, type PerPlatform } from '../../lib/platform.ts';
import { addressToOpen, pathToOpen } from '../../user-files/opening.ts';
import { openUse } from './open.agent.ts';
import type { OpenInput, OpenOutput } from './open.schema.ts';

const platforms: PerPlatform<typeof import('./open.linux.ts')> = {
  linux: () => import('./open.linux.ts'),
};

const missing = 'desktop.open is not supported on this platform yet';
const load = () => (currentPlatform === null ? undefined : platforms[currentPlatform]?.());

export const desktopOpen = defineAction<OpenInput, OpenOutput>({
  name: 'desktop.open',
  description: 'Opens an address, or a file of a known directory, with the program that the user prefers for it',
  input: async () => (await import('./open.schema.ts')).openInputSchema,
  output: async () => (await import('./open.schema.ts')).openOutputSchema,
  scopes: ['control'],
  effect: 'disrupt',
  http: false,
  wire: { event: 'OPEN', reply: 'OPENED' },
  agent: openUse,
  unavailable: async ({ host }) => {
    const platform = await load();
    return platform === undefined ? missing : await platform.unavailable(host);
  },
  async run({ path, url }, { host, settings }) {
    // Judged before anything else, so that a refusal is the same on every machine.
    const target = path ? await pathToOpen(host, settings(), path) : addressToOpen(url || neither());
    const platform = await load();
    if (platform === undefined) throw new ServiceError('unsupported', missing);
    await platform.open(host, target.kind === 'path' ? target.path : target.url);
    return {
      message: target.kind === 'path' ? 'The path was opened' : 'The address was opened',
      data: { path: target.kind === 'path' ? target.path : null, url: target.kind === 'url' ? target.url : null },
    };
  },
});

function neither(): never {
  throw new ServiceError('invalid', 'desktop.open: both path and url are missing; send one of them', {
    subtype: 'MISSING_PATH_URL',
  });
}
