import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { Battery } from './battery.schema.ts';

export const batteryMetrics: ModuleMetrics<Battery> = {
  read: ({ percentage, is_charging, time_remaining, devices }) => [
    gauge(
      'hostler_battery_charge_ratio',
      'Charge of all batteries together',
      percentage === null ? null : percentage / 100,
    ),
    gauge('hostler_battery_charging', 'Whether the battery is charging', is_charging),
    gauge('hostler_battery_remaining_seconds', 'Time until empty, or until full while charging', time_remaining),
    gauge(
      'hostler_battery_device_charge_ratio',
      'Charge of the battery of an attached device',
      devices.map(
        ({ id, name, kind, percentage: charge }) =>
          [{ device: id, name, kind }, charge === null ? null : charge / 100] as const,
      ),
    ),
  ],
};
