import { type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Process } from './processes.schema.ts';

export const processesEntities: ModuleEntities<Process[]> = {
  // The longest list there is, for one number.
  atMostEvery: 600,
  read(processes) {
    const busiest = [...processes].sort((one, other) => other.cpu_usage - one.cpu_usage).slice(0, 5);
    return [
      sensor('processes', 'Processes', processes.length, { isDiagnostic: true, icon: 'mdi:cog-box' }),
      sensor('top_process', 'Busiest process', busiest[0]?.name ?? null, {
        stateClass: null,
        isOff: true,
        isDiagnostic: true,
        attributes: {
          processes: busiest.map(({ id, name, cpu_usage, memory_usage }) => ({ id, name, cpu_usage, memory_usage })),
        },
      }),
    ];
  },
};
