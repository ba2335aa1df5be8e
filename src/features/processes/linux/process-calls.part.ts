import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { ProcessCalls } from './process-calls.ts';

/** Loaded at the first call. Rejects without a C library. */
export const processCalls = definePart<ProcessCalls, LinuxHost>({
  name: 'processes.calls',
  create: async ({ environment }) => (await import('./process-calls.ts')).openProcessCalls(environment.machine),
  absent: { open: () => ENOSYS, setNice: () => ENOSYS, setIoPriority: () => ENOSYS, ioPriority: () => null },
});

/** The same as in process-calls.ts, which is loaded later. */
const ENOSYS = 38;
