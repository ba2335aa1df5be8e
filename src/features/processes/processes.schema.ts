import { z } from 'zod';
import { quantity, quantityOrNull } from '../../core/quantity.schema.ts';
import { unit } from '../../core/unit.schema.ts';
import { ioClasses, largestPid } from './processes.control.schema.ts';

const percent = (meaning: string) => quantity('percent', meaning);

export const processSchema = z.object({
  id: z.int().positive().describe('Process ID'),
  parent_id: z.int().nonnegative().describe('ID of the process that started it, or took it over; 0: none'),
  name: z.string().describe('Process name'),
  cpu_usage: percent('CPU time used since the last reading, percent; 100 is one core'),
  memory_usage: percent('Resident share of the physical memory, 0-100').max(100).nullable(),
  created: quantityOrNull('unix_seconds', 'When the process was started, Unix seconds'),
  start_time: z
    .int()
    .nonnegative()
    .describe(
      'When it was started, as the kernel counts: clock ticks since boot on Linux, microseconds since 1970 on Windows. Together with the ID it identifies the process exactly',
    ),
  path: z.string().nullable().describe('Program file'),
  status: z
    .string()
    .describe(
      'State of the process: running, sleeping, disk-sleep, stopped, tracing-stop, zombie, dead, wake-kill, waking, idle, parked or unknown',
    ),
  username: z.string().nullable().describe('Owner: the user name, or the user ID if it has no name'),
  working_directory: z.string().nullable().describe('Working directory'),
});

export const processesSchema = z.array(processSchema);

export type Process = z.infer<typeof processSchema>;

/** Query parameters and path segments are text. */
const numeral = (schema: z.ZodInt) =>
  z.preprocess((given) => (typeof given === 'string' && /^-?\d{1,15}$/.test(given) ? Number(given) : given), schema);

export const processInputSchema = z.object({
  id: numeral(z.int().min(1).max(largestPid)).describe('Process ID'),
  start_time: numeral(z.int().nonnegative())
    .optional()
    .describe('Answer only if the process has this start_time, as the processes module reports it'),
});

export type ProcessInput = z.infer<typeof processInputSchema>;

const percentOrNull = (meaning: string) => quantityOrNull('percent', meaning);
const bytesOrNull = (meaning: string) => quantityOrNull('bytes', meaning);

const reasonsSchema = z
  .array(z.object({ field: z.string(), reason: z.string() }))
  .describe('Why fields are null, or lists are incomplete');

export const processDetailsSchema = z.object({
  id: z.int().describe('Process ID'),
  start_time: z.int().describe('Identifies the process together with its ID: clock ticks since boot'),
  name: z.string().describe('Process name'),
  parent_id: z.int().describe('ID of the process that started it, or took it over; 0: none'),
  status: z.string().describe('State, in the words of the processes module'),
  username: z.string().nullable().describe('Owner'),
  cpu_usage: percentOrNull('CPU time used lately, percent; 100 is one core'),
  memory_usage: percentOrNull('Resident share of the physical memory, 0-100'),
  created: quantityOrNull('unix_seconds', 'When the process was started, Unix seconds'),
  path: z.string().nullable().describe('Program file'),
  working_directory: z.string().nullable().describe('Working directory'),
  nice: z.int().describe('CPU priority: 19 gives way to everything, 0 is usual, -20 comes first'),
  io_priority: z
    .object({
      class: z.enum(['none', ...ioClasses]).describe('none: it follows the CPU priority'),
      level: z.int().nullable().describe('0 comes first, 7 last; null: this class has no levels'),
    })
    .nullable()
    .describe('Disk priority'),
  threads: z.int().describe('Number of threads'),
  open_files: z.int().nullable().describe('Number of open files, sockets and pipes included'),
  cgroup: z.string().nullable().describe('Control group'),
  unit: z.string().nullable().describe('Unit of systemd it belongs to'),
  user_unit: z.string().nullable().describe("Unit of the user's own systemd it belongs to"),
  container: z
    .object({
      engine: z.string().describe('docker, podman, containerd, cri-o, kubernetes, lxc, systemd-nspawn or machine'),
      id: z.string().describe('ID or name of the container'),
    })
    .nullable()
    .describe('The container it runs in, by its control group'),
  io: z
    .object({
      read_bytes: bytesOrNull('Read from disks since its start'),
      written_bytes: bytesOrNull('Written to disks since its start'),
      read_per_second: bytesOrNull('Read from disks, bytes per second, during the measurement'),
      written_per_second: bytesOrNull('Written to disks, bytes per second, during the measurement'),
    })
    .nullable()
    .describe('Disk I/O'),
  gpus: z
    .array(
      z.object({
        id: z.string().describe('Address of the GPU on the PCI bus, or the name of its device'),
        usage: percentOrNull('Share of the time its busiest engine worked for this process, 0-100'),
      }),
    )
    .nullable()
    .describe('GPUs that it uses'),
  command_line: z
    .array(z.string())
    .nullable()
    .describe('The program and its arguments, at most 64 KiB; takes the scope command or admin'),
  measured_ms: z.number().describe('Duration of the measurement, for rates and for GPUs').meta(unit('milliseconds')),
  reasons: reasonsSchema,
});

export type ProcessDetails = z.infer<typeof processDetailsSchema>;

export const busiestInputSchema = z.object({});

const busy = { id: z.int().describe('Process ID'), start_time: z.int(), name: z.string() };

export const busiestSchema = z.object({
  cpu: z.array(z.object({ ...busy, cpu_usage: percentOrNull('CPU time, percent; 100 is one core') })),
  memory: z.array(z.object({ ...busy, memory_usage: percentOrNull('Share of the physical memory, 0-100') })),
  disk: z
    .array(
      z.object({
        ...busy,
        read_per_second: bytesOrNull('Read from disks, bytes per second'),
        written_per_second: bytesOrNull('Written to disks, bytes per second'),
      }),
    )
    .nullable()
    .describe('Those that read from or wrote to disks during the measurement'),
  network: z.null().describe('Always null: the kernel does not count it by process'),
  reasons: reasonsSchema,
});

export type BusiestProcesses = z.infer<typeof busiestSchema>;

/** Input of the agent tool. */
export const noWordsSchema = z.strictObject({});
export const getProcessInputSchema = z.strictObject({ pid: z.int().min(1).max(largestPid) });
