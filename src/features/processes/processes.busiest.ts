import { type ActionContext, defineAction } from '../../core/action.ts';
import { loadFor, type PerPlatform, unsupportedHere } from '../../core/platform.ts';
import { busiestUse } from './processes.agent.ts';
import type { BusiestProcesses, Process } from './processes.schema.ts';

/** Disk I/O by process ID, bytes per second; `reason`: why it is incomplete or missing. */
export type ReadDiskRates = (ids: readonly number[]) => Promise<{
  rates: ReadonlyMap<number, { read_per_second: number | null; written_per_second: number | null }> | null;
  reason: string | null;
}>;

const readers: PerPlatform<ReadDiskRates> = {
  linux: async () => (await import('./linux/processes.busiest.ts')).diskRatesLinux,
};

const count = 5;
const noNetwork =
  'The kernel does not count network traffic by process; networks.connections lists the connections of each process';

export const busiestProcesses = defineAction<object, BusiestProcesses>({
  name: 'processes.busiest',
  description: 'Lists the five processes that use most CPU, memory and disk I/O',
  input: async () => (await import('./processes.schema.ts')).busiestInputSchema,
  output: async () => (await import('./processes.schema.ts')).busiestSchema,
  scopes: ['read'],
  effect: 'read',
  readAt: '/api/processes/busiest',
  example: {},
  wire: { event: 'GET_BUSIEST_PROCESSES', reply: 'BUSIEST_PROCESSES' },
  agent: busiestUse,
  unavailable: async () => null,
  async run(_input, context) {
    const shared = context.keep(sharedSample);
    shared.now ??= sample(context).finally(() => {
      shared.now = null;
    });
    return { message: '', data: await shared.now };
  },
});

/** Sampling every process is expensive: concurrent requests share the result. */
const sharedSample = (): { now: Promise<BusiestProcesses> | null } => ({ now: null });

async function sample({ host, read }: Pick<ActionContext, 'host' | 'read'>): Promise<BusiestProcesses> {
  // The payload follows the schema of the module.
  const all = (await read('processes')).payload as Process[];
  const readRates = await loadFor(host, readers);
  const { rates, reason } =
    readRates === null
      ? { rates: null, reason: unsupportedHere('Disk I/O of processes') }
      : await readRates()(all.map(({ id }) => id));
  const diskOf = ({ id }: Process) => {
    const { read_per_second = 0, written_per_second = 0 } = rates?.get(id) ?? {};
    return { read_per_second, written_per_second };
  };
  const moved = (process: Process) => {
    const { read_per_second, written_per_second } = diskOf(process);
    return (read_per_second ?? 0) + (written_per_second ?? 0);
  };
  const named = ({ id, start_time, name }: Process) => ({ id, start_time, name });
  return {
    cpu: most(all, ({ cpu_usage }) => cpu_usage).map((each) => ({ ...named(each), cpu_usage: each.cpu_usage })),
    memory: most(all, ({ memory_usage }) => memory_usage ?? 0).map((each) => ({
      ...named(each),
      memory_usage: each.memory_usage,
    })),
    disk: rates === null ? null : most(all, moved).map((each) => ({ ...named(each), ...diskOf(each) })),
    network: null,
    reasons: [...(reason === null ? [] : [{ field: 'disk', reason }]), { field: 'network', reason: noNetwork }],
  };
}

/** The items with the largest numbers, without zeros. */
function most(all: readonly Process[], numberOf: (process: Process) => number): Process[] {
  return all
    .filter((process) => numberOf(process) > 0)
    .sort((a, b) => numberOf(b) - numberOf(a) || a.id - b.id)
    .slice(0, count);
}
