import { z } from 'zod';

const bytes = (meaning: string) => z.number().nonnegative().describe(`${meaning}, bytes`);
const count = (meaning: string) => z.number().nonnegative().describe(`${meaning} since boot`);

const countersSchema = z.object({
  read_count: count('Reads completed'),
  write_count: count('Writes completed'),
  read_bytes: bytes('Read since boot'),
  write_bytes: bytes('Written since boot'),
  read_time: z.number().nonnegative().describe('Time spent on reads since boot, milliseconds'),
  write_time: z.number().nonnegative().describe('Time spent on writes since boot, milliseconds'),
});

const partitionSchema = z.object({
  device: z.string().describe('Device, server or pool that is mounted, such as /dev/nvme0n1p2 or nas:/volume1'),
  mount_point: z.string().describe('Where it is mounted'),
  filesystem_type: z.string().describe('Type of the file system, such as ext4'),
  options: z.string().describe('Mount options, separated by commas'),
  category: z
    .enum(['primary', 'bind', 'squashfs'])
    .describe('primary: the file system itself; bind: a part or a copy of one; squashfs: a package of a program'),
  usage: z
    .object({
      total: bytes('Size'),
      used: bytes('In use'),
      free: bytes('What everybody can still have'),
      percent: z.number().min(0).max(100).describe('Share in use of what everybody can have, 0-100'),
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
        name: z.string().describe('Disk, such as nvme0n1; for network file systems what is mounted'),
        partitions: z.array(partitionSchema).describe('What of it is mounted, by mount point'),
        io_counters: countersSchema.nullable().describe('What the disk has done'),
        temperature: z.number().nullable().describe('Degrees Celsius'),
      }),
    )
    .describe('Physical disks, then volumes over several of them, then network file systems'),
  io_counters: countersSchema.nullable().describe('What all physical disks together have done'),
});

export type Disks = z.infer<typeof disksSchema>;
export type Device = Disks['devices'][number];
export type Partition = Device['partitions'][number];
export type Counters = z.infer<typeof countersSchema>;
