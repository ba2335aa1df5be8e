import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ContainerControl } from '../containers.contract.ts';
import { createContainerControl } from '../containers.control.ts';
import { engineSocketPaths } from './engine-sockets.ts';
import { ownContainerId } from './own-container.ts';

type Host = Pick<LinuxHost, 'connectLocal' | 'clock' | 'environment' | 'files' | 'lookAtSocket'>;

export const containerControlLinux = (host: Host): ContainerControl => {
  const { connectLocal, clock, files } = host;
  const runtimeDirectory = () => host.environment.variable('XDG_RUNTIME_DIR');
  return createContainerControl({
    connectLocal,
    clock,
    runtimeDirectory,
    socketsOf(added) {
      const places = engineSocketPaths(runtimeDirectory(), added).map(host.lookAtSocket);
      return [...new Set(places.flatMap((place) => (place.kind === 'socket' ? [place.path] : [])))];
    },
    ownContainer: () => ownContainerId(files),
    noEngines:
      'No socket of Docker or Podman was found; start the engine, or name its socket in containers.sockets in the settings',
  });
};
