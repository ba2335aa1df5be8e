import type { CreateSource } from '../../core/module.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { PlatformReasons } from './containers.assemble.ts';
import type { Containers } from './containers.schema.ts';
import { createContainersSource } from './containers.source.ts';
import { engineAccessWindows } from './engine-pipes.windows.ts';

const inside = 'On Windows containers run in a virtual machine of the engine; Hostler does not read their usage yet';
const words: PlatformReasons = {
  use: () => inside,
  network: inside,
  engines: 'No pipe of Docker Desktop or Podman was found on this machine',
};

export const containersWindows: CreateSource<Containers, WindowsHost> = (host, { settings, passing = false }) =>
  createContainersSource({
    ...engineAccessWindows(host),
    passing,
    words,
    settings: () => settings().containers,
    uses: { read: async () => new Map(), close: () => {} },
  });
