import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const bluetoothKinds = [
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
  trusted: z.boolean().describe('Whether it may connect without confirmation'),
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

export const bluetoothOrderInputSchema = z.strictObject({
  device: z
    .string()
    .min(1)
    .max(200)
    .describe('Address of a paired device, such as AA:BB:CC:DD:EE:FF, or its name as the module bluetooth lists it'),
  adapter: z.string().min(1).max(32).nullish().describe('id of the adapter, where several know the device'),
});
export type BluetoothOrderInput = z.infer<typeof bluetoothOrderInputSchema>;

export const bluetoothOrderOutputSchema = z.object({
  address: z.string().describe('Address of the device'),
  name: z.string().describe('Its name'),
  adapter: z.string().describe('id of the adapter'),
  connected: z.boolean().describe('Whether it is connected now'),
  done: z.boolean().describe('false: it is taking longer, and goes on'),
});
export type BluetoothOrderOutput = z.infer<typeof bluetoothOrderOutputSchema>;

export const bluetoothPowerInputSchema = z.strictObject({
  adapter: z.string().min(1).max(32).nullish().describe('id of an adapter, such as hci0; all of them if omitted'),
  on: z.boolean().describe('true switches Bluetooth on, false off, which disconnects everything'),
});
export type BluetoothPowerInput = z.infer<typeof bluetoothPowerInputSchema>;

export const bluetoothPowerOutputSchema = z.object({
  adapters: z
    .array(z.object({ id: z.string(), powered: z.boolean().describe('Whether it is on now') }))
    .describe('What was switched'),
});
export type BluetoothPowerOutput = z.infer<typeof bluetoothPowerOutputSchema>;
