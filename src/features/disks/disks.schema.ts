import { z } from 'zod';
import { quantity, quantityOrNull } from '../../core/quantity.schema.ts';
import { unit } from '../../core/unit.schema.ts';

const bytes = (meaning: string) => quantity('bytes', `${meaning}, bytes`);
const count = (meaning: string) => z.number().nonnegative().describe(`${meaning} since boot`);

const countersSchema = z.object({
  read_count: count('Reads completed'),
  write_count: count('Writes completed'),
  read_bytes: bytes('Read since boot'),
  write_bytes: bytes('Written since boot'),
  read_time: quantity('milliseconds', 'Time spent on reads since boot, milliseconds'),
  write_time: quantity('milliseconds', 'Time spent on writes since boot, milliseconds'),
});

const partitionSchema = z.object({
  device: z.string().describe('Device, server or pool that is mounted, such as /dev/nvme0n1p2 or nas:/volume1'),
  mount_point: z.string().describe('Where it is mounted'),
  filesystem_type: z.string().describe('Type of the file system, such as ext4'),
  options: z.string().describe('Mount options, separated by commas'),
  category: z
    .enum(['primary', 'bind', 'squashfs'])
    .describe(
      'primary: the file system itself; bind: the same one mounted in a second place; squashfs: the image of a package',
    ),
  usage: z
    .object({
      total: bytes('Size'),
      used: bytes('In use'),
      free: bytes('Space available to ordinary users'),
      percent: z
        .number()
        .min(0)
        .max(100)
        .describe('Share in use of the space ordinary users can have, 0-100')
        .meta(unit('percent')),
    })
    .nullable()
    .describe('How full it is'),
  max_file_size: bytes('Largest file it can hold; 0 when unknown'),
  max_path_length: z.number().nonnegative().describe('Longest path, bytes; 0 when unknown'),
});

const healthSchema = z.object({
  passed: z.boolean().nullable().describe('Whether the drive reports itself healthy; false: it expects to fail'),
  percentage_used: quantityOrNull('percent', 'Share of its rated endurance used, percent; can exceed 100'),
  power_on_hours: z.number().nonnegative().nullable().describe('Hours it has been powered on, in total'),
  temperature: z.number().nullable().describe('Temperature when it was asked, °C').meta(unit('celsius')),
  reallocated: z.number().nonnegative().nullable().describe('Sectors that were replaced by spare ones'),
  pending: z.number().nonnegative().nullable().describe('Sectors that cannot be read and wait to be replaced'),
  media_errors: z.number().nonnegative().nullable().describe('Times data could not be recovered'),
  critical_warnings: z
    .array(z.string())
    .describe(
      'What it warns of: spare, temperature, reliability, read_only, volatile_memory, persistent_memory (NVMe), or the attributes that reached their threshold (ATA)',
    ),
  read_at: quantity('unix_seconds', 'When the drive was asked, Unix seconds'),
});

const arraySchema = z.object({
  name: z.string().describe('Array, volume group, pool or file system, such as md0 or tank'),
  kind: z.enum(['md', 'lvm', 'zfs', 'btrfs']).describe('What it is: RAID of the kernel, LVM, ZFS or btrfs'),
  level: z.string().nullable().describe('Layout of data on its drives, such as raid1'),
  state: z
    .enum(['ok', 'degraded', 'failed', 'inactive'])
    .nullable()
    .describe('ok; degraded: it works without some of its drives; failed: data are missing; inactive: not in use'),
  reported: z.string().nullable().describe("The system's own word for its state, such as clean or ONLINE"),
  activity: z
    .object({
      action: z.string().describe('resync, rebuild, check, repair, reshape, or what btrfs calls it'),
      percent: z.number().min(0).max(100).nullable().describe('How far it is, 0-100').meta(unit('percent')),
    })
    .nullable()
    .describe('What is being done to it'),
  missing: z.number().nonnegative().nullable().describe('How many drives it lacks'),
  members: z
    .array(
      z.object({
        name: z.string().describe('Disk or partition, such as sda1'),
        state: z.enum(['active', 'spare', 'rebuilding', 'failed', 'missing']).describe('What it is to the array'),
        errors: z.number().nonnegative().nullable().describe('Errors it has made so far'),
      }),
    )
    .describe('What it is made of, where that is known'),
  volumes: z.array(z.string()).describe('Logical volumes of a volume group'),
});

export const disksSchema = z.object({
  devices: z
    .array(
      z.object({
        name: z.string().describe('Disk, such as nvme0n1, or what a network file system is mounted from'),
        partitions: z.array(partitionSchema).describe('Its mounted file systems, by mount point'),
        io_counters: countersSchema.nullable().describe('Activity of the disk'),
        temperature: z.number().nullable().describe('Temperature, °C').meta(unit('celsius')),
        health: healthSchema.nullable().describe('Health as the drive reports it (SMART)'),
      }),
    )
    .describe('Physical disks, then volumes that span several disks, then network file systems'),
  arrays: z.array(arraySchema).describe('RAID arrays, volume groups, pools, and file systems that count errors'),
  io_counters: countersSchema.nullable().describe('Activity of all physical disks together'),
});

export type Disks = z.infer<typeof disksSchema>;
export type Device = Disks['devices'][number];
export type Partition = Device['partitions'][number];
export type Health = z.infer<typeof healthSchema>;
export type StorageArray = z.infer<typeof arraySchema>;
export type ArrayMember = StorageArray['members'][number];
export type Counters = z.infer<typeof countersSchema>;

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

/** The part of the payload that the action uses. */
export const disksPayloadSchema = z.object({ devices: z.array(z.object({ partitions: z.array(mountSchema) })) });
