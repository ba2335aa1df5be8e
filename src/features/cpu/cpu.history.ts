import type { ModuleHistory } from '../../core/readings/history.ts';
import type { Cpu } from './cpu.schema.ts';

export const cpuHistory: ModuleHistory<Cpu> = {
  series: {
    cpu: { unit: 'percent', description: 'Share of the time all cores were busy; cpu/0 and so on: one core' },
    load: { unit: 'processes', description: 'Processes that ran or waited to run, on average of the last minute' },
    'cpu.temperature': { unit: 'celsius', description: 'Temperature of the processor package' },
    'cpu.power': { unit: 'watts', description: 'Power draw of all processor packages', counts: true },
    'pressure.cpu': { unit: 'percent', description: 'Share of the time something waited for a core', counts: true },
    'pressure.memory': { unit: 'percent', description: 'Share of the time something waited for memory', counts: true },
    'pressure.io': { unit: 'percent', description: 'Share of the time something waited for a disk', counts: true },
  },
  read({ usage, per_cpu, load_average, temperature }, moment) {
    moment.value('cpu', usage);
    for (const core of per_cpu) moment.value('cpu', core.usage, String(core.id));
    moment.value('load', load_average);
    moment.value('cpu.temperature', temperature);
  },
  samplers: { linux: async () => (await import('./linux/cpu.sampler.ts')).cpuHistoryLinux },
};
