import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { createNvml } from '../features/gpus/nvidia/nvml.ts';
import { createClock } from './clock.ts';
import { createConnectLocal } from './connect-local.ts';
import { createDatabases } from './database.ts';
import { createDownload } from './download.ts';
import type { Host } from './host.ts';
import { createLocalHttp } from './local-http.ts';
import { createNetwork } from './network.ts';
import { createPost } from './post.ts';
import { createLaunch } from './processes/launch.ts';
import { createRunner, type RunnerParts } from './processes/run.ts';
import { createStorage, type Storage } from './storage.ts';

export interface Programs extends RunnerParts {
  searchPath: string | null;
  customary: string[];
  /** Of the names of all programs, such as `.exe`. */
  ending?: string;
  /** NVIDIA's library, where it is not where Linux has it. */
  nvml?: string[];
}

/** What is the same on every platform, as far as the runtime makes it so. */
export function createNeutralParts(
  version: string,
  programs: Programs,
  exposure: Storage['exposure'],
  connectLocal: ConnectLocal = createConnectLocal(null),
) {
  const runner = createRunner(programs);
  return {
    clock: createClock(),
    storage: createStorage(exposure),
    databases: createDatabases(),
    network: createNetwork(),
    connectLocal,
    connect: async (...given) => (await import('./outgoing.ts')).openStream(...given),
    run: runner.run,
    endPrograms: runner.endAll,
    launch: createLaunch(programs.searchPath, programs.customary, programs.ending),
    download: createDownload(`hostler/${version}`),
    post: createPost(`hostler/${version}`),
    localHttp: createLocalHttp(),
    nvml: createNvml(programs.nvml),
  } satisfies Partial<Host> & { endPrograms(): Promise<void> };
}
