import {
  celsiusSensor,
  type ModuleEntities,
  percentSensor,
  roundedTo,
  sensor,
  wattSensor,
} from '../../core/readings/entities.ts';
import type { Cpu } from './cpu.schema.ts';

const off = { isOff: true, isDiagnostic: true };

export const cpuEntities: ModuleEntities<Cpu> = {
  read: ({ usage, temperature, power, frequency, voltage, load_average, per_cpu }) => [
    percentSensor('cpu_usage', 'CPU usage', usage, { icon: 'mdi:cpu-64-bit' }),
    celsiusSensor('cpu_temperature', 'CPU temperature', temperature),
    wattSensor('cpu_power', 'CPU power', power),
    sensor('cpu_frequency', 'CPU frequency', roundedTo(frequency.current, 0), {
      unit: 'MHz',
      deviceClass: 'frequency',
      ...off,
    }),
    sensor('cpu_voltage', 'CPU voltage', roundedTo(voltage, 3), { unit: 'V', deviceClass: 'voltage', ...off }),
    sensor('cpu_load_1m', 'CPU load (1 min)', roundedTo(load_average, 2), { ...off, icon: 'mdi:gauge' }),
    ...per_cpu.map(({ id, usage: share }) => percentSensor(`cpu_${id}_usage`, `CPU ${id} usage`, share, off)),
  ],
};
