import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { stopAll } from '../../lib/closing.ts';
import { mapLater } from '../../lib/later.ts';
import type { Disks } from './disks.schema.ts';
import { createArrays } from './linux/disks.arrays.ts';
import { assembleDisks } from './linux/disks.assemble.ts';
import { createHealth } from './linux/disks.health.ts';
import { createDiskLayout } from './linux/disks.layout.ts';
import { createMountList } from './linux/disks.mounts.ts';
import { createTemperatures } from './linux/disks.temperature.ts';
import { readUsages } from './linux/disks.usage.ts';
import { type DiskStat, parseDiskstats } from './linux/diskstats.ts';

export const disksLinux: CreateSource<Disks, LinuxHost> = (host, context) => {
  const diskstats = host.files.keep('/proc/diskstats');
  const mounts = createMountList(host, context);
  const layoutOf = createDiskLayout(host);
  const readTemperatures = createTemperatures(host);
  const health = createHealth(host);
  const arrays = createArrays(host, context);
  return {
    read(reasons) {
      const stats = readStats(diskstats.text(), reasons);
      const layout = layoutOf(stats ?? []);
      const temperatures = readTemperatures(layout, reasons);
      const healths = health.read(layout);
      return mapLater(mounts.read(reasons), (listed) =>
        mapLater(readUsages(host.volumes, listed, reasons), (usages) =>
          mapLater(temperatures, (measured) =>
            mapLater(healths, (states) => {
              const found = arrays.read(layout, reasons);
              return assembleDisks(
                { stats, layout, listed, usages, temperatures: measured, states, arrays: found },
                reasons,
              );
            }),
          ),
        ),
      );
    },
    watch(changed) {
      return stopAll([mounts.watch(changed), health.watch(changed), arrays.watch(changed)]);
    },
    close: diskstats.close,
  };
};

function readStats(text: string | null, reasons: Reasons): DiskStat[] | null {
  if (text !== null) return parseDiskstats(text);
  const sentence = '/proc/diskstats cannot be read; mount /proc, or set HOSTLER_PROC to where it is mounted';
  reasons.missing('io_counters', sentence);
  reasons.missing('devices[].io_counters', sentence);
  return null;
}
