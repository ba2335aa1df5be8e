import type { CreateSource } from '../../core/module.ts';
import { partOf } from '../../core/part.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { PlatformReasons } from './containers.assemble.ts';
import type { Containers } from './containers.schema.ts';
import { createContainersSource } from './containers.source.ts';
import { enginePipeNames, enginePipes } from './engine-pipes.windows.ts';

const inside = 'On Windows containers run in a virtual machine of the engine; Hostler does not read their usage yet';
const words: PlatformReasons = {
  use: () => inside,
  network: inside,
  engines: 'No pipe of Docker Desktop or Podman was found on this machine',
};

/** Docker Desktop and Podman, through their named pipes. */
export const containersWindows: CreateSource<Containers, WindowsHost> = (host, { settings, passing = false }) =>
  createContainersSource({
    clock: host.clock,
    passing,
    words,
    connectLocal: async (...given) => (await partOf(host, enginePipes)).connect(...given),
    places: () => [...enginePipeNames],
    lookUp: async (pipe) => (await partOf(host, enginePipes)).lookUp(pipe),
    uses: { read: async () => new Map(), close: () => {} },
    runtimeDirectory: () => null,
    allowlist: () => settings().containers.allowlist,
  });
