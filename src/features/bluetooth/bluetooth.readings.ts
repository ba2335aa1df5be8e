import { readings } from '../../core/readings/readings.ts';
import { each, otlpFlag } from '../../core/readings/rows.ts';
import type { Bluetooth } from './bluetooth.schema.ts';

export const bluetoothReadings = readings<Bluetooth>({
  rows: [
    each(
      ({ adapters }) => adapters,
      { label: ({ id }: Bluetooth['adapters'][number]) => ({ adapter: id }), key: ({ id }) => id },
      [
        {
          id: 'bluetooth_adapter_{key}',
          name: 'Bluetooth {title}',
          help: 'Whether a Bluetooth adapter is on',
          value: ({ powered }) => powered,
          entity: { icon: 'mdi:bluetooth', isDiagnostic: true },
          prometheus: 'hostler_bluetooth_adapter_powered',
          otlp: otlpFlag('hostler.bluetooth.adapter.powered', ({ adapter = '' }) => ({ 'hw.id': adapter })),
        },
      ],
    ),
    // A device known to two adapters has two entries.
    each(
      ({ devices }) => devices,
      {
        label: ({ adapter, address, name, kind }: Bluetooth['devices'][number]) => ({
          adapter,
          device: address,
          name,
          kind,
        }),
        key: ({ address }) => address,
        title: ({ name }) => name,
      },
      [
        {
          id: 'bluetooth_{key}',
          name: '{title}',
          help: 'Whether a paired Bluetooth device is connected',
          value: ({ connected }) => connected,
          entity: { deviceClass: 'connectivity' },
          prometheus: 'hostler_bluetooth_device_connected',
          otlp: otlpFlag('hostler.bluetooth.device.connected', ofDevice),
        },
        {
          // The module battery publishes the devices that UPower knows, with the OTLP metric hw.battery.charge.
          id: 'bluetooth_{key}_battery',
          name: '{title} battery (Bluetooth)',
          help: 'Charge of the battery of a paired Bluetooth device',
          unit: 'percent',
          value: ({ battery }) => battery,
          entity: { deviceClass: 'battery', isOff: true },
          prometheus: { name: 'hostler_bluetooth_device_charge_ratio', scale: 0.01 },
          otlp: [
            {
              name: 'hostler.bluetooth.device.charge',
              unit: '1',
              kind: 'gauge',
              isWhole: false,
              attributes: ofDevice,
            },
          ],
        },
      ],
    ),
  ],
  entities: {
    atOnce: true,
    controlled: ({ adapters }): Record<string, { value: boolean }> =>
      adapters.length === 0 ? {} : { bluetooth_power: { value: adapters.some(({ powered }) => powered) } },
  },
});

function ofDevice({ device = '', name = '', adapter = '' }: Readonly<Record<string, string>>) {
  return { 'hw.id': device, 'hw.name': name, 'hw.parent': adapter };
}
