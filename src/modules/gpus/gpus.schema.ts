import { z } from 'zod';

const amount = (meaning: string, unit: string) => z.number().nonnegative().nullable().describe(`${meaning}, ${unit}`);
const percent = (meaning: string) => z.number().min(0).max(100).nullable().describe(`${meaning}, 0-100`);

export const gpusSchema = z.array(
  z.object({
    id: z.string().describe('Where the GPU is, such as its PCI address: the same after a restart'),
    name: z.string().describe('Vendor and model'),
    core_clock: amount('Clock of the processor', 'MHz'),
    core_load: percent(
      'Share of the time the processor worked; where the driver does not count, of its busiest engine for the programs this user may look into',
    ),
    memory_clock: amount('Clock of the memory', 'MHz'),
    memory_load: percent('Share of the time the memory was read or written'),
    memory_free: amount('Memory of its own that is free', 'MiB'),
    memory_used: amount('Memory of its own that is in use', 'MiB'),
    memory_total: amount('Memory of its own; null where it uses that of the machine', 'MiB'),
    power_usage: amount('Power draw', 'watts'),
    temperature: z.number().nullable().describe('Temperature, degrees Celsius'),
    fan_speed: z.null().describe('Always null; the module sensors has the fans'),
  }),
);

export type Gpus = z.infer<typeof gpusSchema>;
export type Gpu = Gpus[number];
