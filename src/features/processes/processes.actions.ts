import { defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { loadFor, type PerPlatform, requireFor, unsupportedHere } from '../../core/platform.ts';
import { hasScope } from '../../core/require-scope.ts';
import { getProcessUse } from './processes.agent.ts';
import type { ProcessDetails, ProcessInput } from './processes.schema.ts';

/** What a platform implements. The command line is read only for callers with the scope for it. */
export type ProcessFindings = Omit<ProcessDetails, 'command_line'> & {
  command_line(): Promise<string[] | null>;
};

/** Throws not_found without such a process, and conflict if its start time differs. */
export type ReadProcess = (id: number, start_time: number | undefined) => Promise<ProcessFindings>;

const readers: PerPlatform<ReadProcess> = {
  linux: async () => (await import('./linux/processes.details.ts')).processDetailsLinux,
};
const what = 'Reading the details of a process';

/** Not in the module: arguments may contain passwords and addresses, which readers of the module must not see. */
const commandLineScopes = ['command', 'admin'] as const;

export const processDetails = defineAction<ProcessInput, ProcessDetails>({
  name: 'processes.get',
  description: 'Shows everything about one process; its command line takes the scope command or admin',
  input: async () => (await import('./processes.schema.ts')).processInputSchema,
  output: async () => (await import('./processes.schema.ts')).processDetailsSchema,
  scopes: ['read', ...commandLineScopes],
  effect: 'read',
  readAt: '/api/processes/details',
  readBelow: '/api/processes/{id}',
  example: { id: 1234 },
  wire: { event: 'GET_PROCESS', reply: 'PROCESS' },
  agent: getProcessUse,
  unavailable: async ({ host }) => ((await loadFor(host, readers)) === null ? unsupportedHere(what) : null),
  async run({ id, start_time }, { host, caller, keep }) {
    const find = await requireFor(host, readers, what);
    const { command_line, reasons, ...found } = await keep(detailReaders).run(shareIdOf(caller), () =>
      find(id, start_time),
    );
    const may = hasScope(caller, ...commandLineScopes);
    // The platform adds the reason if there is no command line.
    const line = may ? await command_line() : null;
    const refusal = may ? [] : [{ field: 'command_line', reason: notAllowed(caller.tokenName) }];
    return { message: '', data: { ...found, command_line: line, reasons: [...reasons, ...refusal] } };
  },
});

/** A process may have thousands of descriptors. */
const mostDetails = 8;
const detailReaders = () => createPlaces(mostDetails, 'Too many clients are reading details of processes; try again');

const notAllowed = (token: string) =>
  `The token ${JSON.stringify(token)} lacks the scope "${commandLineScopes.join('" or "')}"`;
