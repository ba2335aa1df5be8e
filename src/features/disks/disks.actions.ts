import { defineAction } from '../../core/action.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { DiskMount, DiskMounts } from './disks.schema.ts';

/** Secondary mounts, including those that the settings do not allow. */
const readers: PerPlatform<Promise<DiskMount[]>> = {
  linux: async () => (await import('./linux/disks.control.ts')).secondaryLinux,
};

export const diskMounts = defineAction<object, DiskMounts>({
  name: 'disks.mounts',
  description: 'Lists all mounts, including those the module disks leaves out',
  input: async () => (await import('./disks.schema.ts')).mountsInputSchema,
  output: async () => (await import('./disks.schema.ts')).mountsOutputSchema,
  scopes: ['files'],
  effect: 'read',
  example: {},
  wire: { event: 'GET_DISK_MOUNTS', reply: 'DISK_MOUNTS' },
  unavailable: async () => null,
  async run(_input, { host, read }) {
    const { disksPayloadSchema } = await import('./disks.schema.ts');
    const { devices } = disksPayloadSchema.parse((await read('disks')).payload);
    const listed = devices.flatMap(({ partitions }) => partitions).sort(byPlace);
    const readSecondary = await loadFor(host, readers);
    const all = readSecondary === null ? listed : (await readSecondary()).sort(byPlace);
    const of = (mounts: DiskMount[], category: DiskMount['category']) =>
      mounts.filter((mount) => mount.category === category);
    return {
      message: '',
      data: {
        primary: of(listed, 'primary'),
        secondary: { bind: of(all, 'bind'), squashfs: of(all, 'squashfs') },
      },
    };
  },
});

const byPlace = (a: DiskMount, b: DiskMount) => (a.mount_point < b.mount_point ? -1 : 1);
