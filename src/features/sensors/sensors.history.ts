import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Sensors } from './sensors.schema.ts';

export const sensorsHistory: ModuleHistory<Sensors> = {
  series: { temperature: { unit: 'celsius', description: 'temperature/KEY: one sensor, by its key in the module' } },
  read({ temperatures }, moment) {
    for (const { key, temperature } of temperatures) moment.value('temperature', temperature, key);
  },
  samplers: { linux: async () => (await import('./linux/sensors.sampler.ts')).sensorsHistoryLinux },
};
