import { z } from 'zod';

const rpm = (meaning: string) => z.number().nonnegative().nullable().describe(`${meaning}, revolutions a minute`);

export const sensorsSchema = z.object({
  temperatures: z
    .array(
      z.object({
        key: z
          .string()
          .describe('Chip, device and sensor, such as nvme_0000:01:00.0_composite; the same after every start'),
        temperature: z.number().describe('Temperature now, °C'),
        high: z.number().nonnegative().describe('Above this it is too warm, °C; 0: unknown'),
        critical: z.number().nonnegative().describe('Above this it takes damage or switches off, °C; 0: unknown'),
      }),
    )
    .describe('Every temperature that can be read now'),
  fans: z
    .array(
      z.object({
        key: z.string().describe('Chip, device and fan; the same after every start'),
        name: z.string().describe('Chip or controller the fan is connected to'),
        label: z.string().describe('What the board or the controller calls the fan; empty when unknown'),
        speed_rpm: rpm('Speed now'),
        speed_min: rpm('Below this the fan counts as failed'),
        speed_max: rpm('Highest speed'),
      }),
    )
    .describe('Every fan and pump that tells its speed'),
  windows_sensors: z
    .object({
      hardware: z.array(z.unknown()).describe('Hardware with its sensors'),
      nvidia: z.unknown().describe('What the driver of NVIDIA says'),
    })
    .nullable()
    .describe('Tree of hardware and sensors; Windows only'),
});

export type Sensors = z.infer<typeof sensorsSchema>;
export type Temperature = Sensors['temperatures'][number];
export type Fan = Sensors['fans'][number];
