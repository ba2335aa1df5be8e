import { defineAction } from '../../core/action.ts';
import { loadFor, type PerPlatform, requireFor, unsupportedHere } from '../../core/platform.ts';
import type { ProcessDetails, ProcessInput } from './processes.schema.ts';

/** Finds the command line of a process. Throws not_found when there is no such process. */
export type ReadCommandLine = (pid: number) => string[] | null;

const readers: PerPlatform<ReadCommandLine> = {
  linux: async () => (await import('./processes.linux.ts')).commandLineLinux,
};
const what = 'The command line of a process';

/** Not in the module: programs are given passwords and addresses as arguments, and whoever reads the module need not know them. */
export const processDetails = defineAction<ProcessInput, ProcessDetails>({
  name: 'processes.get',
  description: 'Shows the command line of a process',
  input: async () => (await import('./processes.schema.ts')).processInputSchema,
  output: async () => (await import('./processes.schema.ts')).processDetailsSchema,
  scopes: ['command', 'admin'],
  effect: 'read',
  readAt: '/api/processes/details',
  example: { id: 1234 },
  wire: { event: 'GET_PROCESS', reply: 'PROCESS' },
  unavailable: async ({ host }) => ((await loadFor(host, readers)) === null ? unsupportedHere(what) : null),
  async run({ id }, { host }) {
    const read = await requireFor(host, readers, what);
    return { message: '', data: { id, command_line: read(id) } };
  },
});
