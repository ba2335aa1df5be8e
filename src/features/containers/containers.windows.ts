import type { CreateSource } from '../../core/module.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { UnseenWords } from './containers.assemble.ts';
import type { Containers } from './containers.schema.ts';
import { createContainersSource } from './containers.source.ts';

const inside =
  'On Windows containers run in a virtual machine of the engine, and Hostler does not read yet what they use in it';
const words: UnseenWords = {
  use: () => inside,
  network: inside,
  engines: 'No pipe of Docker Desktop or Podman was found on this machine',
};

/** Docker Desktop and Podman, at their named pipes. */
export const containersWindows: CreateSource<Containers, WindowsHost> = (
  { clock, pipes },
  { settings, passing = false },
) =>
  createContainersSource({
    clock,
    passing,
    words,
    connectLocal: pipes.connect,
    places: () => [...pipes.engines],
    lookAt: pipes.lookAt,
    uses: { read: async () => new Map(), close: () => {} },
    runtimeDirectory: () => null,
    allowlist: () => settings().containers.allowlist,
  });
