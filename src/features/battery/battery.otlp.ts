import { type ModuleOtlp, otlpGauge, otlpPoints } from '../../core/readings/otlp.ts';

/** All batteries together are one here, as in the module. */
const battery = { 'hw.id': 'battery' };

export const batteryOtlp = (): ModuleOtlp => ({
  metrics(found) {
    const charging = found('hostler_battery_charging')[0]?.value;
    const state = charging === undefined ? {} : { 'hw.state': charging === 1 ? 'charging' : 'discharging' };
    return [
      otlpGauge('hw.battery.charge', '1', [
        ...otlpPoints(found('hostler_battery_charge_ratio'), () => battery),
        ...otlpPoints(found('hostler_battery_device_charge_ratio'), ({ device = '', name = '' }) => ({
          'hw.id': device,
          'hw.name': name,
        })),
      ]),
      otlpGauge(
        'hw.battery.time_left',
        's',
        otlpPoints(found('hostler_battery_remaining_seconds'), () => ({ ...battery, ...state })),
      ),
    ];
  },
});
