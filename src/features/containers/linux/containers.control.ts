import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ContainerControl } from '../containers.contract.ts';
import { createContainerControl } from '../containers.control.ts';
import { engineSocketPaths, socketLookup } from './engine-sockets.ts';
import { ownContainerId } from './own-container.ts';

export const containerControlLinux = (host: LinuxHost): ContainerControl => {
  const { connectLocal, clock, files } = host;
  const runtimeDirectory = () => host.environment.variable('XDG_RUNTIME_DIR');
  return createContainerControl({
    connectLocal,
    clock,
    runtimeDirectory,
    async socketsOf(added) {
      const lookAt = await partOf(host, socketLookup);
      const places = engineSocketPaths(runtimeDirectory(), added).map(lookAt);
      return [...new Set(places.flatMap((place) => (place.kind === 'socket' ? [place.path] : [])))];
    },
    ownContainer: () => ownContainerId(files),
    noEngines:
      'No socket of Docker or Podman was found; start the engine, or name its socket in containers.sockets in the settings',
  });
};
