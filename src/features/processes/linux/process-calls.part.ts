import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ProcessCalls } from './process-calls.ts';

/** Loaded with the first call. Rejects where there is no C library. */
export const processCalls = definePart<ProcessCalls, LinuxHost>({
  name: 'processes.calls',
  create: async ({ environment }) => (await import('./process-calls.ts')).openProcessCalls(environment.machine),
  absent: { open: () => ENOSYS, setNice: () => ENOSYS, setIoPriority: () => ENOSYS, ioPriority: () => null },
});

/** The number of process-calls.ts, which is loaded later. */
const ENOSYS = 38;
