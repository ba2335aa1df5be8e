import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Battery } from './battery.schema.ts';

export const batteryHistory: ModuleHistory<Battery> = {
  series: {
    battery: { unit: 'percent', description: 'Charge of all batteries together' },
    'battery.power': { unit: 'watts', description: 'Power that flows into or out of the batteries' },
  },
  read({ percentage, is_charging }, moment) {
    if (percentage === null) return;
    moment.value('battery', percentage);
    if (is_charging === false) moment.onBattery();
  },
  samplers: { linux: async () => (await import('./battery.sampler.linux.ts')).batteryHistoryLinux },
};
