import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

export const bluetoothKinds = [
  'headset',
  'headphones',
  'speakers',
  'mouse',
  'keyboard',
  'game_controller',
  'tablet',
  'phone',
  'computer',
  'camera',
  'printer',
  'media_player',
  'display',
  'network',
  'other',
] as const;

const adapterSchema = z.object({
  id: z.string().describe('Name of the adapter in the system, such as hci0'),
  name: z.string().describe('What others see this machine as'),
  address: z.string().describe('Its Bluetooth address'),
  powered: z.boolean().describe('Whether it is on'),
  discovering: z.boolean().describe('Whether it is searching for devices'),
});

const deviceSchema = z.object({
  address: z.string().describe('Its Bluetooth address'),
  adapter: z.string().describe('id of the adapter that knows it'),
  name: z
    .string()
    .max(100)
    .describe('What it is called, at most 100 characters, without control characters; its address if it has no name'),
  kind: z.enum(bluetoothKinds).describe('What kind of device it is'),
  paired: z.boolean().describe('Whether it is paired; only paired devices can be connected'),
  trusted: z.boolean().describe('Whether it may connect by itself'),
  connected: z.boolean().describe('Whether it is connected'),
  battery: z.number().min(0).max(100).nullable().describe('Charge of its battery, 0-100').meta(unit('percent')),
  rssi: z.number().nullable().describe('Strength of its signal, dBm; only while the adapter is searching'),
});

export const bluetoothSchema = z.object({
  adapters: z.array(adapterSchema).describe('Bluetooth adapters of this machine'),
  devices: z
    .array(deviceSchema)
    .describe('Devices that were paired with this machine, or marked as trusted; others nearby are never listed'),
});

export type Bluetooth = z.infer<typeof bluetoothSchema>;
export type BluetoothDevice = z.infer<typeof deviceSchema>;
