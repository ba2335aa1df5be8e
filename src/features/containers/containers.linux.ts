import type { CreateSource } from '../../core/module.ts';
import { partOf } from '../../core/part.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { PlatformReasons } from './containers.assemble.ts';
import type { Containers } from './containers.schema.ts';
import { createContainersSource } from './containers.source.ts';
import { createContainerRates } from './linux/containers.rates.ts';
import { engineSocketPaths, socketLookup } from './linux/engine-sockets.ts';

/** Engines at Unix sockets; the usage of containers comes from the kernel. */
export const containersLinux: CreateSource<Containers, LinuxHost> = (host, { settings, passing = false }) => {
  const { clock, connectLocal } = host;
  const runtimeDirectory = () => host.environment.variable('XDG_RUNTIME_DIR');
  return createContainersSource({
    clock,
    connectLocal,
    passing,
    runtimeDirectory,
    places: () => engineSocketPaths(runtimeDirectory(), settings().containers.sockets),
    lookUp: async (place) => (await partOf(host, socketLookup))(place),
    uses: createContainerRates(host),
    allowlist: () => settings().containers.allowlist,
    words: linuxReasons,
  });
};

const hidden =
  'The control group of the container is not visible to Hostler; if Hostler runs in a container itself, mount /proc and /sys of the machine, and name them in HOSTLER_PROC and HOSTLER_SYS';
const ungrouped =
  'The container has no control group of its own: without root, engines can make one only where the machine has version 2 of control groups and the service manager of the user runs';

const linuxReasons: PlatformReasons = {
  use: (rootless) => (rootless ? ungrouped : hidden),
  network:
    'The network of the container is not visible: /proc does not show its first process to the user of this service',
  engines: 'No socket of Docker or Podman was found on this machine',
};
