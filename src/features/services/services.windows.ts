import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import { pollChanges } from '../../host/windows/change-poller.ts';
import { processEntries, SystemProcessInformation } from '../../host/windows/native/process-entries.ts';
import { unixSeconds } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import { createUnchangedEntries } from '../../lib/unchanged-entries.ts';
import { hasFailed, listUnits, noServices } from './services.payload.ts';
import type { Services, ServiceUnit } from './services.schema.ts';
import type { ListedService } from './windows/scm.ts';
import { scmLibrary } from './windows/scm.ts';
import { enabledWords, serviceStateWords } from './windows/service-states.ts';

/** Polling interval while the module is watched. */
const pollEveryMs = 2000;
/** Per-user services: the template, and the instances. */
const { OF_USER, OF_LOGIN } = { OF_USER: 0x40, OF_LOGIN: 0x80 };

/** The service control manager, called in a thread: it may wait for a service that hangs. */
export const servicesWindows: CreateSource<Services, WindowsHost> = (host, { settings }) => {
  const scm = host.nativeElsewhere(scmLibrary);
  const startTypes = createStartTypes(scm.startTypes);
  const keepUnchanged = createUnchangedEntries<ServiceUnit>();
  return {
    async read(reasons) {
      const listed = await scm.list().catch(messageOf);
      if (listed === null || typeof listed === 'string') {
        reasons.missing(null, `The service control manager of Windows does not list the services: ${listed ?? noList}`);
        return noServices;
      }
      const services = listed.filter(({ type }) => (type & OF_USER) === 0 || (type & OF_LOGIN) !== 0);
      const types = await startTypes.of(services).catch(() => new Map<string, number | null>());
      const block = (await host.native()).ntdll.systemInformation(SystemProcessInformation);
      const usage = new Map(
        block === null ? [] : processEntries(block).map(({ entry }) => [entry.UniqueProcessId, usageOf(entry)]),
      );
      const { allowlist } = settings().services;
      const units = describeServices(services, types, usage, allowlist);
      return toPayload(keepUnchanged(units.map((unit) => [unit.name, unit])), reasons);
    },
    watch: (changed) => pollChanges(host.clock, pollEveryMs, scm.stamp, changed),
  };
};

type ProcessEntry = ReturnType<typeof processEntries>[number]['entry'];
type ProcessUsage = ReturnType<typeof usageOf>;

const usageOf = (entry: ProcessEntry) => ({
  since: Math.max(0, unixSeconds(entry.CreationTime)),
  cpuTime: (entry.UserTime + entry.KernelTime) / 1e7,
  memory: entry['vmCounters.WorkingSetSize'],
});

const noList = 'this user has no access to it';

/** Failed services first, then by name. */
function describeServices(
  services: readonly ListedService[],
  types: ReadonlyMap<string, number | null>,
  usage: ReadonlyMap<number, ProcessUsage>,
  allowlist: readonly string[],
): ServiceUnit[] {
  // Usage is known only for services that do not share their process.
  const inProcess = new Map<number, number>();
  for (const { pid } of services) inProcess.set(pid, (inProcess.get(pid) ?? 0) + 1);
  const units = services.map((service): ServiceUnit => {
    const { name, title, pid } = service;
    const used = pid !== 0 && inProcess.get(pid) === 1 ? usage.get(pid) : undefined;
    return {
      name,
      scope: 'system',
      description: shownText(title, 256),
      allowed: allowlist.includes(name),
      load_state: 'loaded',
      ...serviceStateWords(service),
      since: used?.since ?? null,
      main_pid: pid === 0 ? null : pid,
      memory: used?.memory ?? null,
      cpu_time: used?.cpuTime ?? null,
      restarts: null,
      enabled: enabledWords[types.get(name) ?? 0] ?? null,
    };
  });
  return units.sort(
    (a, b) => Number(hasFailed(b)) - Number(hasFailed(a)) || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1),
  );
}

function toPayload(units: ServiceUnit[], reasons: Reasons): Services {
  reasons.inherent('user_state', 'Windows has one service manager for the machine and its users');
  explainNulls(units, 'units[]', explained, reasons.inherent);
  const state = units.some(hasFailed) ? 'degraded' : 'running';
  return { manager: 'windows', state, user_state: null, ...listUnits(units) };
}

const shared = 'Services that do not run use none, and services that share a process have no usage of their own';
const explained = {
  since: 'Known only for services that run in their own process, as the start of that process',
  main_pid: 'Services that do not run have no process',
  memory: shared,
  cpu_time: shared,
  restarts: 'Windows does not count how often it restarted a service',
  enabled: 'Windows does not let this user see how some services are started',
};

/** Unchanged services queried per read; each takes a call of its own. */
const atATime = 32;

/** Start types: queried at first, again after a state change, and in rotation for the others. */
function createStartTypes(query: (names: string[]) => Promise<(number | null)[]>) {
  const known = new Map<string, { type: number | null; state: number }>();
  let next = 0;
  return {
    async of(services: readonly ListedService[]): Promise<Map<string, number | null>> {
      const names = new Set(services.map(({ name }) => name));
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
      const start = services.length === 0 ? 0 : next % services.length;
      const due = new Set(services.slice(start, start + atATime).map(({ name }) => name));
      next = start + atATime;
      const wanted = services.filter(({ name, state }) => due.has(name) || known.get(name)?.state !== state);
      const types = wanted.length === 0 ? [] : await query(wanted.map(({ name }) => name));
      for (const [index, { name, state }] of wanted.entries()) known.set(name, { type: types[index] ?? null, state });
      return new Map([...known].map(([name, { type }]) => [name, type]));
    },
  };
}
