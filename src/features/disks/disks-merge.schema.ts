import { z } from 'zod';

const mountSchema = z.object({
  device: z.string().describe('Device, server or pool that is mounted'),
  mount_point: z.string().describe('Where it is mounted'),
  filesystem_type: z.string().describe('Type of the file system, such as ext4'),
  category: z.enum(['primary', 'bind', 'squashfs']),
  usage: z
    .object({ total: z.number(), used: z.number(), free: z.number(), percent: z.number() })
    .nullable()
    .describe('How full it is, in bytes and percent; null when unknown'),
});

export type DiskMount = z.infer<typeof mountSchema>;

export const mountsInputSchema = z.object({});

export const mountsOutputSchema = z.object({
  primary: z.array(mountSchema).describe('Mounts that the module disks always includes'),
  secondary: z
    .object({ bind: z.array(mountSchema), squashfs: z.array(mountSchema) })
    .describe('Mounts it includes only if disks.allowedSecondaryMountPoints names them; here all of them'),
});

export type DiskMounts = z.infer<typeof mountsOutputSchema>;

/** What is used here of the module's payload. */
export const disksPayloadSchema = z.object({ devices: z.array(z.object({ partitions: z.array(mountSchema) })) });
