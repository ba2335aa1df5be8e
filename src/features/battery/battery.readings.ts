import { otlpGauge, otlpPoints } from '../../core/readings/otlp.ts';
import { asGauge } from '../../core/readings/otlp.uses.ts';
import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { Battery } from './battery.schema.ts';
import { recordUps, upsProblems, upsRows, upsSeries } from './battery.ups-rows.ts';

/** All batteries of the machine count as one, as in the module. */
const all = { 'hw.id': 'battery' };

export const batteryReadings = readings<Battery>({
  rows: [
    {
      id: 'battery',
      name: 'Battery',
      help: 'Charge of all batteries together',
      unit: 'percent',
      value: ({ percentage }) => percentage,
      entity: { deviceClass: 'battery' },
      prometheus: { name: 'hostler_battery_charge_ratio', scale: 0.01 },
      otlp: asGauge('hw.battery.charge', '1', all),
      record: { name: 'battery', onlyKnown: true },
    },
    {
      id: 'battery_charging',
      name: 'Battery charging',
      help: 'Whether the battery is charging',
      value: ({ is_charging }) => is_charging,
      entity: { deviceClass: 'battery_charging' },
      prometheus: 'hostler_battery_charging',
    },
    {
      id: 'battery_time_left',
      name: 'Battery time left',
      help: 'Time until empty, or until full while charging',
      unit: 'seconds',
      value: ({ time_remaining }) => time_remaining,
      entity: true,
      prometheus: 'hostler_battery_remaining_seconds',
    },
    each(
      ({ devices }) => devices,
      {
        label: ({ id, name, kind }) => ({ device: id, name, kind }),
        key: ({ id }) => id,
        title: ({ name }) => name,
      },
      [
        {
          id: 'battery_device_{key}',
          name: '{title} battery',
          help: 'Charge of the battery of an attached device',
          unit: 'percent',
          value: ({ percentage }) => percentage,
          entity: { deviceClass: 'battery' },
          prometheus: { name: 'hostler_battery_device_charge_ratio', scale: 0.01 },
          otlp: asGauge('hw.battery.charge', '1', ({ device = '', name = '' }) => ({
            'hw.id': device,
            'hw.name': name,
          })),
        },
      ],
    ),
    upsRows,
  ],
  otlp: () => ({
    metrics(found) {
      const charging = found('hostler_battery_charging')[0]?.value;
      const state = charging === undefined ? {} : { 'hw.state': charging === 1 ? 'charging' : 'discharging' };
      const left = otlpPoints(found('hostler_battery_remaining_seconds'), () => ({ ...all, ...state }));
      return [otlpGauge('hw.battery.time_left', 's', left)];
    },
  }),
  problems: upsProblems,
  announcesProblems: true,
  // Not every driver announces a new charge level.
  entities: { atOnce: true, atMostEvery: 60 },
  history: {
    series: {
      'battery.power': {
        unit: 'watts',
        title: 'Battery power',
        description: 'Power that flows into or out of the batteries',
      },
    },
    configured: ({ battery }) => (battery.nut === '' ? {} : upsSeries),
    read(payload, moment) {
      const { percentage, is_charging } = payload;
      if (percentage !== null && is_charging === false) moment.onBattery();
      recordUps(payload, moment);
    },
  },
  sampler: { linux: async () => (await import('./battery.sampler.linux.ts')).batteryHistoryLinux },
});
