import { type ModuleEntities, percentSensor, sizeSensor } from '../../core/readings/entities.ts';
import type { Memory } from './memory.schema.ts';

export const memoryEntities: ModuleEntities<Memory> = {
  read: ({ virtual, swap }) => [
    percentSensor('memory_used_percent', 'Memory used', virtual.percent, { icon: 'mdi:memory' }),
    sizeSensor('memory_used', 'Memory in use', virtual.used, 'GiB'),
    sizeSensor('memory_available', 'Memory available', virtual.available, 'GiB'),
    percentSensor('swap_used_percent', 'Swap used', swap.percent, { isOff: true, isDiagnostic: true }),
  ],
};
