import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const bytes = (meaning: string) => z.number().nonnegative().describe(`${meaning}, bytes`).meta(unit('bytes'));
const count = (meaning: string) => z.number().nonnegative().describe(`${meaning} since boot`);

const countersSchema = z.object({
  read_count: count('Reads completed'),
  write_count: count('Writes completed'),
  read_bytes: bytes('Read since boot'),
  write_bytes: bytes('Written since boot'),
  read_time: z
    .number()
    .nonnegative()
    .describe('Time spent on reads since boot, milliseconds')
    .meta(unit('milliseconds')),
  write_time: z
    .number()
    .nonnegative()
    .describe('Time spent on writes since boot, milliseconds')
    .meta(unit('milliseconds')),
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

export const disksSchema = z.object({
  devices: z
    .array(
      z.object({
        name: z.string().describe('Disk, such as nvme0n1, or what a network file system is mounted from'),
        partitions: z.array(partitionSchema).describe('Its mounted file systems, by mount point'),
        io_counters: countersSchema.nullable().describe('Activity of the disk'),
        temperature: z.number().nullable().describe('Temperature, °C').meta(unit('celsius')),
      }),
    )
    .describe('Physical disks, then volumes that span several disks, then network file systems'),
  io_counters: countersSchema.nullable().describe('Activity of all physical disks together'),
});

export type Disks = z.infer<typeof disksSchema>;
export type Device = Disks['devices'][number];
export type Partition = Device['partitions'][number];
export type Counters = z.infer<typeof countersSchema>;
