import { defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import type { BluetoothControl } from './bluetooth.contract.ts';

const controls: PerPlatform<BluetoothControl> = {
  linux: async () => (await import('./bluetooth.control.linux.ts')).bluetoothControlLinux,
};
const what = 'Controlling Bluetooth';
const schemas = () => import('./bluetooth.schema.ts');

/** Limits the requests that wait for slow devices. */
const mostAtOnce = 16;
const pendingRequests = () =>
  createPlaces(mostAtOnce, 'Too many Bluetooth devices are being connected at once; try again later', 10);

const bluetoothOrder = (verb: 'connect' | 'disconnect') =>
  defineAction({
    name: `bluetooth.${verb}`,
    description:
      verb === 'connect' ? 'Connects a paired Bluetooth device' : 'Disconnects a Bluetooth device, which stays paired',
    input: async () => (await schemas()).bluetoothOrderInputSchema,
    output: async () => (await schemas()).bluetoothOrderOutputSchema,
    scopes: ['control'],
    // A disconnected keyboard or headset disturbs the user.
    effect: verb === 'connect' ? 'write' : 'disrupt',
    example: { device: 'AA:BB:CC:DD:EE:FF' },
    wire: { event: `BLUETOOTH_${verb.toUpperCase()}`, reply: `BLUETOOTH_${verb.toUpperCase()}ED` },
    unavailable: ({ host }) => unavailableFor(host, controls, what),
    async run(input, { host, keep, caller }) {
      const control = await requireFor(host, controls, what);
      const data = await keep(pendingRequests).run(shareIdOf(caller), () => control[verb](input));
      return { message: data.done ? `${data.name} is ${verb}ed` : `${data.name} is still being ${verb}ed`, data };
    },
  });

const bluetoothPower = defineAction({
  name: 'bluetooth.power',
  description: 'Switches Bluetooth on or off',
  input: async () => (await schemas()).bluetoothPowerInputSchema,
  output: async () => (await schemas()).bluetoothPowerOutputSchema,
  scopes: ['control'],
  effect: 'disrupt',
  example: { on: true },
  wire: { event: 'BLUETOOTH_POWER', reply: 'BLUETOOTH_POWER_SET' },
  entities: async () => (await import('./bluetooth.controls.ts')).bluetoothPowerEntities,
  unavailable: ({ host }) => unavailableFor(host, controls, what),
  async run(input, { host }) {
    const data = await (await requireFor(host, controls, what)).power(input);
    const states = data.adapters.map(({ id, powered }) => `${id} is ${powered ? 'on' : 'off'}`);
    return { message: `Bluetooth: ${states.join(', ')}`, data };
  },
});

export const bluetoothActions = [bluetoothOrder('connect'), bluetoothOrder('disconnect'), bluetoothPower] as const;
