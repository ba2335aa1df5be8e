import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const megahertz = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, MHz`).meta(unit('megahertz'));
const mebibytes = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, MiB`).meta(unit('mebibytes'));
const percent = (meaning: string) =>
  z.number().min(0).max(100).nullable().describe(`${meaning}, 0-100`).meta(unit('percent'));

const processSchema = z.object({
  pid: z.int().nonnegative().describe('Process ID'),
  name: z.string().nullable().describe('Name of the program'),
  load: percent('Share of time its busiest kind of engine worked for this process'),
  memory: mebibytes('Memory of the GPU that it uses; system memory where the GPU has none of its own'),
});

export const gpusSchema = z.array(
  z.object({
    id: z.string().describe('Location of the GPU, such as its PCI address; stable across restarts'),
    name: z.string().describe('Vendor and model'),
    core_clock: megahertz('GPU clock'),
    core_load: percent(
      'Share of time the GPU was busy; where the driver keeps no total, that of its busiest engine, counting the programs this user may inspect',
    ),
    memory_clock: megahertz('Memory clock'),
    memory_load: percent('Share of time the memory was read or written'),
    memory_free: mebibytes('Dedicated memory that is free'),
    memory_used: mebibytes('Dedicated memory in use'),
    memory_total: mebibytes('Dedicated memory; null where the GPU uses system memory'),
    power_usage: z.number().nonnegative().nullable().describe('Power draw, watts').meta(unit('watts')),
    temperature: z.number().nullable().describe('Temperature, °C').meta(unit('celsius')),
    processes: z
      .array(processSchema)
      .nullable()
      .optional()
      .describe(
        'Processes that use the GPU, as far as its driver reports them and this user may inspect them; the busiest first',
      ),
    fan_speed: z.null().describe('Always null; the module sensors reports the fans'),
  }),
);

export type Gpus = z.infer<typeof gpusSchema>;
export type Gpu = Gpus[number];
export type GpuProcess = z.infer<typeof processSchema>;
