import type { Files } from '../../../host/linux/files.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createGpuDevices, type GpuDevice } from './gpus.devices.ts';
import { createSysfsGpu, type SysfsGpu } from './gpus.sysfs.ts';

export interface KnownGpu {
  device: GpuDevice;
  sysfs: SysfsGpu;
  /** It was present, and has disappeared. */
  gone: boolean;
}

/** Cards rarely come and go; until the next search a removed one has unknown values. */
const searchEveryMs = 10_000;

export function createGpuInventory(files: Files, clock: Clock) {
  const devices = createGpuDevices(files);
  const known = new Map<string, KnownGpu>();
  let searchedAt = Number.NEGATIVE_INFINITY;
  let searched = false;

  const search = () => {
    const found = devices();
    for (const device of found) {
      const before = known.get(device.id);
      if (before !== undefined && !before.gone && isSame(before.device, device)) continue;
      before?.sysfs.close();
      known.set(device.id, { device, sysfs: createSysfsGpu(files, device), gone: false });
    }
    const ids = new Set(found.map(({ id }) => id));
    for (const gpu of known.values()) {
      if (ids.has(gpu.device.id)) continue;
      gpu.gone = true;
      gpu.sysfs.close();
    }
  };

  return {
    /** All that were ever found; searches for others at intervals. */
    gpus(): KnownGpu[] {
      searched = clock.monotonic() - searchedAt >= searchEveryMs;
      if (searched) {
        search();
        searchedAt = clock.monotonic();
      }
      return [...known.values()];
    },
    searched: () => searched,
    close() {
      for (const { sysfs } of known.values()) sysfs.close();
    },
  };
}

/** A driver that was loaded or reset has other files. */
function isSame(a: GpuDevice, b: GpuDevice): boolean {
  return a.driver === b.driver && a.drm?.card === b.drm?.card && a.directory === b.directory;
}
