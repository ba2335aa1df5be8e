import { celsiusSensor, type ModuleEntities, sensor, uniqueKeys } from '../../core/readings/entities.ts';
import type { Sensors } from './sensors.schema.ts';

/** A server has dozens: the rest is there for whoever turns it on. */
const shown = 8;

export const sensorsEntities: ModuleEntities<Sensors> = {
  // They change slowly, and each is a file of its own.
  atMostEvery: 30,
  read: ({ temperatures, fans }) => [
    ...uniqueKeys(temperatures, ({ key }) => key).map(([key, { key: name, temperature }], index) =>
      celsiusSensor(`temp_${key}`, `Temperature ${name}`, temperature, { isDiagnostic: true, isOff: index >= shown }),
    ),
    ...uniqueKeys(fans, ({ key }) => key).map(([key, { key: id, label, speed_rpm }], index) =>
      sensor(`fan_${key}`, `Fan ${label || id}`, speed_rpm, {
        unit: 'rpm',
        isDiagnostic: true,
        isOff: index >= shown,
        icon: 'mdi:fan',
      }),
    ),
  ],
};
