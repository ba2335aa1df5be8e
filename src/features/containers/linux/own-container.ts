import type { Files } from '../../../host/linux/files.ts';
import { parseCgroup, parseCgroupPlace } from '../../../host/linux/proc/cgroup-path.ts';

/** The container that we run in; null: none, or it cannot be told. Inside one the control group may be hidden, but its mounts carry the id. */
export function ownContainerId(files: Files): string | null {
  const place = parseCgroupPlace(parseCgroup(files.text('/proc/self/cgroup') ?? '') ?? '/');
  if (place.container !== null && /^[0-9a-f]{64}$/.test(place.container.id)) return place.container.id;
  const mounts = files.text('/proc/self/mountinfo') ?? '';
  return (
    /\/(?:containers|overlay-containers|vfs-containers)\/([0-9a-f]{64})\/\S* \/etc\/(?:hostname|hosts|resolv\.conf) /.exec(
      mounts,
    )?.[1] ?? null
  );
}
