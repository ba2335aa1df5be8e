import {
  celsiusSensor,
  type ModuleEntities,
  percentSensor,
  roundedTo,
  sensor,
  uniqueKeys,
  wattSensor,
} from '../../core/readings/entities.ts';
import type { Gpus } from './gpus.schema.ts';

const off = { isOff: true, isDiagnostic: true };

export const gpusEntities: ModuleEntities<Gpus> = {
  read: (gpus) =>
    uniqueKeys(gpus, ({ id }) => id).flatMap(([key, gpu]) => {
      const { name, memory_used: used, memory_total: total } = gpu;
      return [
        percentSensor(`gpu_${key}_load`, `${name} load`, gpu.core_load, { icon: 'mdi:expansion-card' }),
        celsiusSensor(`gpu_${key}_temperature`, `${name} temperature`, gpu.temperature),
        wattSensor(`gpu_${key}_power`, `${name} power`, gpu.power_usage),
        sensor(`gpu_${key}_memory_used`, `${name} memory used`, roundedTo(used, 0), {
          unit: 'MiB',
          deviceClass: 'data_size',
        }),
        percentSensor(
          `gpu_${key}_memory_percent`,
          `${name} memory used`,
          used && total ? (used / total) * 100 : null,
          off,
        ),
        sensor(`gpu_${key}_clock`, `${name} clock`, roundedTo(gpu.core_clock, 0), {
          unit: 'MHz',
          deviceClass: 'frequency',
          ...off,
        }),
      ];
    }),
};
