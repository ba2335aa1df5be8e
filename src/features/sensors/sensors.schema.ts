import { z } from 'zod';
import { quantity, quantityOrNull } from '../../core/quantity.schema.ts';
import { unit } from '../../core/unit.schema.ts';

const rpm = (meaning: string) => quantityOrNull('rpm', `${meaning}, revolutions per minute`);

export const sensorsSchema = z.object({
  temperatures: z
    .array(
      z.object({
        key: z
          .string()
          .describe('Chip, device and sensor, such as nvme_0000:01:00.0_composite; stable across restarts'),
        temperature: z.number().describe('Current temperature, °C').meta(unit('celsius')),
        high: quantity('celsius', 'Temperature above which it is too warm, °C; 0: unknown'),
        critical: quantity('celsius', 'Temperature above which it shuts down or takes damage, °C; 0: unknown'),
      }),
    )
    .describe('Every temperature that can be read'),
  fans: z
    .array(
      z.object({
        key: z.string().describe('Chip, device and fan; stable across restarts'),
        name: z.string().describe('Chip or controller the fan is connected to'),
        label: z.string().describe('What the board or the controller calls the fan; empty when unknown'),
        speed_rpm: rpm('Current speed'),
        speed_min: rpm('Speed below which the fan counts as failed'),
        speed_max: rpm('Highest speed'),
      }),
    )
    .describe('Every fan and pump that reports a speed'),
  windows_sensors: z
    .object({
      hardware: z.array(z.unknown()).describe('Hardware with its sensors'),
      nvidia: z.unknown().describe('Data of the NVIDIA driver'),
    })
    .nullable()
    .describe('Tree of hardware and sensors; Windows only'),
});

export type Sensors = z.infer<typeof sensorsSchema>;
export type Temperature = Sensors['temperatures'][number];
export type Fan = Sensors['fans'][number];
