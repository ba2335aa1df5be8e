import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ReadClockDiscipline } from './clock-discipline.ts';

/** Loaded with the first scrape. null: this system does not report it. */
export const clockDiscipline = definePart<ReadClockDiscipline | null, LinuxHost>({
  name: 'system.clock-discipline',
  create: async () => (await import('./clock-discipline.ts')).openClockDiscipline(),
  absent: null,
});
