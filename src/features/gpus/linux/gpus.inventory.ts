import type { Files } from '../../../host/linux/files.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createGpuDevices, type GpuDevice } from './gpus.devices.ts';
import { createSysfsGpu, type SysfsGpu } from './gpus.sysfs.ts';

export interface KnownGpu {
  device: GpuDevice;
  sysfs: SysfsGpu;
  /** It was there, and is no longer. */
  gone: boolean;
}

export interface GpuInventory {
  /** All that were ever seen; looks for others from time to time. */
  gpus(): KnownGpu[];
  /** Whether the last call looked. */
  looked(): boolean;
  close(): void;
}

/** Cards come and go rarely; one that is pulled out meanwhile reads as unknown. */
const lookEveryMs = 10_000;

export function createGpuInventory(files: Files, clock: Clock): GpuInventory {
  const devices = createGpuDevices(files);
  const known = new Map<string, KnownGpu>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looked = false;

  const look = () => {
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
    gpus() {
      looked = clock.monotonic() - lookedAt >= lookEveryMs;
      if (looked) {
        look();
        lookedAt = clock.monotonic();
      }
      return [...known.values()];
    },
    looked: () => looked,
    close() {
      for (const { sysfs } of known.values()) sysfs.close();
    },
  };
}

/** A driver that was loaded or reset has other files. */
function isSame(a: GpuDevice, b: GpuDevice): boolean {
  return a.driver === b.driver && a.drm?.card === b.drm?.card && a.directory === b.directory;
}
