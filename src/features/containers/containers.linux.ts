import type { CreateSource } from '../../core/module.ts';
import { partOf } from '../../core/part.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { Containers } from './containers.schema.ts';
import { createContainersSource } from './containers.source.ts';
import { linuxUnseenWords } from './containers.words.ts';
import { createContainerRates } from './linux/containers.rates.ts';
import { engineSocketPaths, socketLookup } from './linux/engine-sockets.ts';

/** Engines at sockets; what containers use comes from the kernel. */
export const containersLinux: CreateSource<Containers, LinuxHost> = (host, { settings, passing = false }) => {
  const { clock, connectLocal } = host;
  const runtimeDirectory = () => host.environment.variable('XDG_RUNTIME_DIR');
  return createContainersSource({
    clock,
    connectLocal,
    passing,
    runtimeDirectory,
    places: () => engineSocketPaths(runtimeDirectory(), settings().containers.sockets),
    lookAt: async (place) => (await partOf(host, socketLookup))(place),
    uses: createContainerRates(host),
    allowlist: () => settings().containers.allowlist,
    words: linuxUnseenWords,
  });
};
