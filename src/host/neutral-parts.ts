import { createClock } from './clock.ts';
import { createConnectLocal } from './connect-local.ts';
import { createDownload } from './download.ts';
import type { Host } from './host.ts';
import { createLaunch } from './launch.ts';
import { createLocalHttp } from './local-http.ts';
import { createNetwork } from './network.ts';
import { createNvml } from './nvml.ts';
import { createRunner } from './run.ts';
import { createStorage, type Storage } from './storage.ts';

/** What is the same on every platform, as far as the runtime makes it so. */
export function createNeutralParts(
  version: string,
  programs: { searchPath: string | null; customary: string[] },
  exposure: Storage['exposure'],
) {
  const runner = createRunner();
  return {
    clock: createClock(),
    storage: createStorage(exposure),
    network: createNetwork(),
    connectLocal: createConnectLocal(),
    run: runner.run,
    endPrograms: runner.endAll,
    launch: createLaunch(programs.searchPath, programs.customary),
    download: createDownload(`hostler/${version}`),
    localHttp: createLocalHttp(),
    nvml: createNvml(),
  } satisfies Partial<Host> & { endPrograms(): Promise<void> };
}
