import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Bluetooth } from './bluetooth.schema.ts';

export const bluetoothMetrics: ModuleMetrics<Bluetooth> = {
  read: ({ adapters, devices }) => [
    gauge(
      'hostler_bluetooth_adapter_powered',
      'Whether a Bluetooth adapter is on',
      adapters.map(({ id, powered }) => [{ adapter: id }, powered] as const),
    ),
    gauge(
      'hostler_bluetooth_device_connected',
      'Whether a paired Bluetooth device is connected',
      devices.map((device) => [labelsOf(device), device.connected] as const),
    ),
    gauge(
      'hostler_bluetooth_device_charge_ratio',
      'Charge of the battery of a paired Bluetooth device',
      devices.map((device) => [labelsOf(device), device.battery === null ? null : device.battery / 100] as const),
    ),
  ],
};

const labelsOf = ({ adapter, address, name, kind }: Bluetooth['devices'][number]) => ({
  adapter,
  device: address,
  name,
  kind,
});
