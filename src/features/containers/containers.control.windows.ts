import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { ContainerControl } from './containers.contract.ts';
import { createContainerControl } from './containers.control.ts';

/** Docker Desktop and Podman, at their named pipes. */
export const containerControlWindows = ({ clock, pipes }: Pick<WindowsHost, 'clock' | 'pipes'>): ContainerControl =>
  createContainerControl({
    clock,
    connectLocal: pipes.connect,
    async socketsOf() {
      const places = await Promise.all(pipes.engines.map(pipes.lookAt));
      return places.flatMap((place) => (place.kind === 'socket' ? [place.path] : []));
    },
    runtimeDirectory: () => null,
    ownContainer: () => null,
    noEngines: 'No pipe of Docker Desktop or Podman was found; start the engine',
  });
