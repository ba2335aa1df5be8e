import { z } from 'zod';

const megahertz = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning}, MHz`);
const seconds = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning}, seconds since boot`);
const percent = (meaning: string) => z.number().min(0).max(100).nullable().describe(`${meaning}, 0-100`);
const count = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning} since boot`);
const watts = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning}, watts`);
const volts = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning}, volts`);

const frequency = (whose: string) =>
  z
    .object({
      current: megahertz(`Frequency of ${whose} now`),
      min: megahertz('Lowest frequency that is allowed'),
      max: megahertz('Highest frequency that is allowed'),
    })
    .describe(`Frequency of ${whose}`);

const times = (whose: string) =>
  z
    .object({
      user: seconds('Programs, other than niced ones'),
      system: seconds('The kernel, on behalf of programs'),
      idle: seconds('Nothing to do; waiting for disks does not count'),
      interrupt: seconds('Serving hardware interrupts'),
      dpc: seconds('Deferred procedure calls; Windows only'),
    })
    .describe(`What ${whose} spent its time on`);

const timesPercent = (whose: string) =>
  z
    .object({
      user: percent('Programs, other than niced ones'),
      system: percent('The kernel, on behalf of programs'),
      idle: percent('Nothing to do; waiting for disks and time taken by other virtual machines do not count'),
      interrupt: percent('Serving hardware interrupts'),
      dpc: percent('Deferred procedure calls; Windows only'),
    })
    .describe(`What ${whose} spent its time on since the last reading`);

export const cpuSchema = z.object({
  count: z.number().int().positive().nullable().describe('Logical cores that are online'),
  name: z.string().nullable().describe('Model of the processor; several kinds of cores are joined with +'),
  vendor: z.string().nullable().describe('Who made or designed the processor'),
  family: z.string().nullable().describe('Family number of an x86 processor, architecture of others'),
  frequency: frequency('all cores on average'),
  load_average: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Processes that ran or waited to run, on average of the last minute; null on Windows'),
  per_cpu: z
    .array(
      z.object({
        id: z.number().int().nonnegative().describe('Number of the logical core; it stays while others come and go'),
        frequency: frequency('this core'),
        power: watts('Power draw of this core'),
        times: times('this core'),
        times_percent: timesPercent('this core'),
        usage: percent('Share of the time this core was busy since the last reading'),
        voltage: volts('Voltage of this core'),
      }),
    )
    .describe('Every logical core in the order of ids; one that is switched off has nulls'),
  power: watts('Power draw of all processor packages'),
  stats: z
    .object({
      ctx_switches: count('Context switches'),
      interrupts: count('Hardware interrupts'),
      soft_interrupts: count('Soft interrupts'),
      syscalls: count('System calls; null on Linux'),
    })
    .describe('Counters'),
  temperature: z.number().nullable().describe('Temperature of the processor package, the hottest of several, °C'),
  times: times('the processor in sum'),
  times_percent: timesPercent('the processor in sum'),
  usage: percent('Share of the time all cores were busy since the last reading'),
  voltage: volts('Core voltage'),
});

export type Cpu = z.infer<typeof cpuSchema>;
export type CpuFrequency = Cpu['frequency'];
export type CpuTimes = Cpu['times'];
export type PerCpu = Cpu['per_cpu'][number];
