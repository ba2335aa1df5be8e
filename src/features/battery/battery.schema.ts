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

const upsSchema = z.object({
  state: z
    .enum(['on_line', 'on_battery', 'bypass', 'off'])
    .nullable()
    .describe('What its outlets are supplied from: the mains, its battery, the mains past its electronics, or nothing'),
  low_battery: z.boolean().nullable().describe('Whether its battery is nearly empty'),
  replace_battery: z.boolean().nullable().describe('Whether its battery needs to be replaced'),
  load: z.number().nonnegative().nullable().describe('Load, percent of its capacity').meta(unit('percent')),
  time_remaining: z
    .number()
    .nonnegative()
    .nullable()
    .describe('How long its battery lasts with this load, seconds')
    .meta(unit('seconds')),
  input_voltage: z.number().nonnegative().nullable().describe('Voltage of the mains, volts').meta(unit('volts')),
});

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
        ups: upsSchema.optional().describe('Only for a UPS of the server that battery.nut names'),
      }),
    )
    .describe('Batteries of attached devices: mice, keyboards, headsets, phones, UPSes and the like'),
});

export type Battery = z.infer<typeof batterySchema>;
export type BatteryDevice = Battery['devices'][number];
