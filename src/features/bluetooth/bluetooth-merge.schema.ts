import { z } from 'zod';

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
