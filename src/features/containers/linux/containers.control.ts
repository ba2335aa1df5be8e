import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseCgroup, parseCgroupPlace } from '../../../host/linux/proc/cgroup-path.ts';
import type { ContainerControl } from '../containers.contract.ts';
import { createContainerControl } from '../containers.control.ts';
import { engineSocketPaths } from './engine-sockets.ts';

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

/** The container that we run in; null: none, or it cannot be told. Inside one the control group may be hidden, but its mounts carry the id. */
function ownContainerId(files: Files): string | null {
  const place = parseCgroupPlace(parseCgroup(files.text('/proc/self/cgroup') ?? '') ?? '/');
  if (place.container !== null && /^[0-9a-f]{64}$/.test(place.container.id)) return place.container.id;
  const mounts = files.text('/proc/self/mountinfo') ?? '';
  return (
    /\/(?:containers|overlay-containers|vfs-containers)\/([0-9a-f]{64})\/\S* \/etc\/(?:hostname|hosts|resolv\.conf) /.exec(
      mounts,
    )?.[1] ?? null
  );
}
