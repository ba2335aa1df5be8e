import path from 'node:path';
import type { Platform } from '../lib/platform.ts';
import type { StartThread } from '../lib/thread.ts';
import { createNeutralParts } from './common-parts.ts';
import { createPortableContained } from './contained/contained.portable.ts';
import type { Environment } from './environment.ts';
import { createEnvironment } from './environment.ts';
import type { Host } from './host.ts';
import { createOpenMulticast } from './multicast.ts';
import { createOwnPlaces } from './own-directories.ts';
import type { Paths } from './paths.ts';
import { createPaths } from './paths.ts';
import { createScratch } from './scratch.ts';

/** Not implemented on this platform; the directories of a user are private by convention. */
const notKnown = () => null;

/** An unsupported platform: only what the runtime provides. The service starts and reports what is missing. */
export function createPlainHost(version: string, platform: Platform | null, startThread: StartThread): Host {
  const environment = createEnvironment(process.env);
  const { endPrograms, closeParts, ...neutral } = createNeutralParts(
    version,
    startThread,
    { searchPath: environment.variable('PATH'), customary: [] },
    notKnown,
  );
  const paths = createPaths(environment, darwinPaths(environment));
  const scratch = createScratch(paths.runtime, environment.isRunning, notKnown);
  return {
    ...neutral,
    platform,
    environment,
    paths,
    scratch,
    userDirectories: () => new Map(),
    contained: createPortableContained(createOwnPlaces(paths, neutral.clock)),
    multicast: createOpenMulticast(true),
    async close() {
      await closeParts();
      await endPrograms();
      scratch.close();
    },
  };
}

export function darwinPaths({ home }: Pick<Environment, 'home'>): Paths {
  const directory = path.join(home, 'Library', 'Application Support', 'hostler');
  return { config: directory, state: directory, runtime: null };
}
