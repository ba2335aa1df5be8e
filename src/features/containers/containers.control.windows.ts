import { partOf } from '../../core/part.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { ContainerControl } from './containers.contract.ts';
import { createContainerControl } from './containers.control.ts';
import { enginePipeNames, enginePipes } from './engine-pipes.windows.ts';

/** Docker Desktop and Podman, through their named pipes. */
export const containerControlWindows = (host: WindowsHost): ContainerControl =>
  createContainerControl({
    clock: host.clock,
    connectLocal: async (...given) => (await partOf(host, enginePipes)).connect(...given),
    async socketsOf() {
      const { lookUp } = await partOf(host, enginePipes);
      const places = await Promise.all(enginePipeNames.map(lookUp));
      return places.flatMap((place) => (place.kind === 'socket' ? [place.path] : []));
    },
    runtimeDirectory: () => null,
    ownContainer: () => null,
    noEngines: 'No pipe of Docker Desktop or Podman was found; start the engine',
  });
