import type { ModuleHistory } from '../../core/readings/history.ts';
import { disksInTrouble } from '../../lib/disk-problems.ts';
import type { Disks } from './disks.schema.ts';

export const disksHistory: ModuleHistory<Disks> = {
  series: {
    'disk.read': {
      unit: 'bytes_per_second',
      description: 'Read from all disks; disk.read/sda and so on: from one',
      counts: true,
    },
    'disk.written': {
      unit: 'bytes_per_second',
      description: 'Written to all disks; disk.written/sda and so on: to one',
      counts: true,
    },
  },
  sets: {
    mounts: { kind: 'mount', came: (name) => `${name} was mounted`, went: (name) => `${name} was unmounted` },
    trouble: {
      kind: 'drive',
      came: (sentence) => sentence,
      went: (sentence) => `No longer: ${sentence}`,
    },
  },
  read({ devices, arrays, io_counters }, moment) {
    moment.members('trouble', disksInTrouble(devices, arrays));
    moment.value('disk.read', io_counters?.read_bytes ?? null);
    moment.value('disk.written', io_counters?.write_bytes ?? null);
    const mounts = devices.flatMap(({ partitions }) => partitions);
    moment.members(
      'mounts',
      mounts.map(({ device, mount_point }) => `${mount_point} (${device})`),
    );
  },
  samplers: { linux: async () => (await import('./linux/disks.sampler.ts')).disksHistoryLinux },
};
