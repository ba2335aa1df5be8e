import { type ModuleOtlp, otlpGauge, otlpPoints, otlpWholeGauge } from '../../core/readings/otlp.ts';

/** OpenTelemetry has no names for these: they are ours. The charge is not hw.battery.charge, under which the module battery sends the same devices. */
export const bluetoothOtlp = (): ModuleOtlp => ({
  metrics: (found) => [
    otlpWholeGauge(
      'hostler.bluetooth.adapter.powered',
      '1',
      otlpPoints(found('hostler_bluetooth_adapter_powered'), ({ adapter = '' }) => ({ 'hw.id': adapter })),
    ),
    otlpWholeGauge(
      'hostler.bluetooth.device.connected',
      '1',
      otlpPoints(found('hostler_bluetooth_device_connected'), ofDevice),
    ),
    otlpGauge(
      'hostler.bluetooth.device.charge',
      '1',
      otlpPoints(found('hostler_bluetooth_device_charge_ratio'), ofDevice),
    ),
  ],
});

const ofDevice = ({ device = '', name = '', adapter = '' }: Readonly<Record<string, string>>) => ({
  'hw.id': device,
  'hw.name': name,
  'hw.parent': adapter,
});
