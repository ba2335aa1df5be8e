import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseCgroup, parseCgroupPlace } from '../../../host/linux/proc/cgroup-path.ts';
import { createContainerControl } from '../containers.control.ts';
import { engineAccessLinux } from './engine-sockets.ts';

export const containerControlLinux = (host: LinuxHost) =>
  createContainerControl({
    ...engineAccessLinux(host),
    ownContainer: () => ownContainerId(host.files),
    noEngines:
      'No socket of Docker or Podman was found; start the engine, or name its socket in containers.sockets in the settings',
  });

/** Id of the container that this process runs in; null: none, or unknown. The control group may be hidden, but the mounts contain the id. */
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
