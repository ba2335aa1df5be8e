import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const megahertz = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, MHz`).meta(unit('megahertz'));
const seconds = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, seconds since boot`).meta(unit('seconds'));
const percent = (meaning: string) =>
  z.number().min(0).max(100).nullable().describe(`${meaning}, 0-100`).meta(unit('percent'));
const count = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning} since boot`);
const watts = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, watts`).meta(unit('watts'));
const volts = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, volts`).meta(unit('volts'));

const frequency = (whose: string) =>
  z
    .object({
      current: megahertz(`Current frequency of ${whose}`),
      min: megahertz('Lowest allowed frequency'),
      max: megahertz('Highest allowed frequency'),
    })
    .describe(`Frequency of ${whose}`);

const times = (whose: string) =>
  z
    .object({
      user: seconds('Programs, except niced ones'),
      system: seconds('The kernel, on behalf of programs'),
      idle: seconds('Idle, not counting waiting for disks'),
      interrupt: seconds('Handling hardware interrupts'),
      dpc: seconds('Deferred procedure calls; Windows only'),
    })
    .describe(`Time spent by ${whose}`);

const timesPercent = (whose: string) =>
  z
    .object({
      user: percent('Programs, except niced ones'),
      system: percent('The kernel, on behalf of programs'),
      idle: percent('Idle, not counting waiting for disks or time taken by other virtual machines'),
      interrupt: percent('Handling hardware interrupts'),
      dpc: percent('Deferred procedure calls; Windows only'),
    })
    .describe(`Time spent by ${whose} since the last reading`);

export const cpuSchema = z.object({
  count: z.number().int().positive().nullable().describe('Logical cores that are online'),
  name: z.string().nullable().describe('Model of the processor; several kinds of cores are joined with +'),
  vendor: z.string().nullable().describe('Vendor of the processor'),
  family: z.string().nullable().describe('Family number (x86) or architecture'),
  frequency: frequency('all cores, averaged'),
  load_average: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Processes running or waiting to run, averaged over the last minute; null on Windows'),
  per_cpu: z
    .array(
      z.object({
        id: z
          .number()
          .int()
          .nonnegative()
          .describe('Number of the logical core; it does not change when others go offline'),
        frequency: frequency('this core'),
        power: watts('Power draw of this core'),
        times: times('this core'),
        times_percent: timesPercent('this core'),
        usage: percent('Share of time this core was busy since the last reading'),
        voltage: volts('Voltage of this core'),
      }),
    )
    .describe('Every logical core, by id; the values of one that is offline are null'),
  power: watts('Power draw of all processor packages'),
  stats: z
    .object({
      ctx_switches: count('Context switches'),
      interrupts: count('Hardware interrupts'),
      soft_interrupts: count('Soft interrupts'),
      syscalls: count('System calls; null on Linux'),
    })
    .describe('Counters'),
  temperature: z
    .number()
    .nullable()
    .describe('Temperature of the processor package (the hottest, if there are several), °C')
    .meta(unit('celsius')),
  times: times('all cores together'),
  times_percent: timesPercent('all cores together'),
  usage: percent('Share of time all cores were busy since the last reading'),
  voltage: volts('Core voltage'),
});

export type Cpu = z.infer<typeof cpuSchema>;
export type CpuFrequency = Cpu['frequency'];
export type CpuTimes = Cpu['times'];
export type PerCpu = Cpu['per_cpu'][number];
