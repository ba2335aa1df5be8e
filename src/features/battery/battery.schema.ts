import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const deviceKinds = [
  'mouse',
  'keyboard',
  'touchpad',
  'pen',
  'tablet',
  'game_controller',
  'headset',
  'headphones',
  'speakers',
  'phone',
  'media_player',
  'wearable',
  'remote_control',
  'camera',
  'ups',
  'other',
] as const;

export const batterySchema = z.object({
  is_charging: z.boolean().nullable().describe('Whether the battery is charging'),
  percentage: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Charge level of all batteries together, 0-100')
    .meta(unit('percent')),
  time_remaining: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Time until empty, or until full while charging, seconds')
    .meta(unit('seconds')),
  devices: z
    .array(
      z.object({
        id: z.string().describe('Identifier that stays the same as long as the device is known'),
        name: z.string().describe('Name of the device'),
        kind: z.enum(deviceKinds).describe('Kind of device; other if the system does not report it'),
        percentage: z.number().min(0).max(100).nullable().describe('Charge level, 0-100').meta(unit('percent')),
        level: z
          .enum(['critical', 'low', 'normal', 'high', 'full'])
          .nullable()
          .describe('Charge level of devices that report no percentage'),
        is_charging: z.boolean().nullable().describe('Whether its battery is charging'),
      }),
    )
    .describe('Batteries of attached devices: mice, keyboards, headsets, phones and the like'),
});

export type Battery = z.infer<typeof batterySchema>;
export type BatteryDevice = Battery['devices'][number];
