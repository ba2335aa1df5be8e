import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Monitors } from './monitors.ts';

export const monitors = definePart<Monitors, LinuxHost>({
  name: 'displays.monitors',
  create: async (host) => (await import('./monitors.ts')).createMonitors(host),
  absent: {
    read: async () => new Map(),
    known: () => new Map(),
    set: async () => {
      throw new Error('A recording has no monitors to be set');
    },
    watch: () => () => {},
  },
});
