import type { ModuleHistory } from '../../core/readings/history.ts';
import type { System } from './system.schema.ts';

export const systemHistory: ModuleHistory<System> = {
  series: {},
  sets: {
    sessions: { kind: 'session', came: (name) => `${name} logged in`, went: (name) => `${name} logged out` },
  },
  read({ users }, moment) {
    moment.members('sessions', users.map(sessionName));
  },
  samplers: { linux: async () => (await import('./linux/system.sampler.ts')).systemHistoryLinux },
};

/** `anna on pts/0 from 10.0.0.7` */
export function sessionName({ name, terminal, host }: { name: string; terminal: string; host: string }): string {
  return [name, terminal === '' ? '' : `on ${terminal}`, host === '' ? '' : `from ${host}`].filter(Boolean).join(' ');
}
