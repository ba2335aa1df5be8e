import { describe, expect, test } from 'bun:test';
import { measuringOf, recordedPayloads } from '../../../test/doubles/glances-machines.ts';
import { homarrReads, homepageReads } from '../../../test/harness/glances-clients.ts';
import type { Sample } from '../../core/readings/metrics.ts';
// Paths, methods, names and units of Glances 4.5.5: docs/api/openapi.json and the fields_description of its plugins; "": no unit.
import published from './fixtures/glances-4.5.5.json';
import { answerGlances } from './glances.ts';

const units: Record<string, Record<string, string>> = published.units;
const at = () => Date.UTC(2026, 10, 19, 9, 5, 7);
// biome-ignore lint/suspicious/noExplicitAny: JSON of another program's API.
type Answered = any;

const modes = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
const samples = new Map<string, Sample[]>([
  ['node_load5', [{ labels: {}, value: 1 }]],
  ['node_load15', [{ labels: {}, value: 2 }]],
  ['node_processes_threads', [{ labels: {}, value: 300 }]],
]);
const active = { state: 'active', since: 1_700_000_000, series: 'memory', event: null, value: 97, text: 'Memory' };

/** Enough machines that each payload of the fixtures is part of one. */
const machines = Array.from({ length: Math.max(...[...recordedPayloads.values()].map(({ length }) => length)) }).map(
  (_, index) => {
    const payloads = [...recordedPayloads].map(([name, all]) => {
      const usable = all.filter(isUsual);
      return [name, usable[index % usable.length]];
    });
    const { take } = measuringOf({ ...Object.fromEntries(payloads), alerts: { alerts: [active] } }, 5, samples);
    const seconds = (each: number): Map<string, Sample[]> =>
      new Map([
        ...samples,
        [
          'node_cpu_seconds',
          cores(payloads).flatMap((cpu) => modes.map((mode) => ({ labels: { cpu, mode }, value: each }))),
        ],
      ]);
    return {
      async take(names: Parameters<typeof take>[0]) {
        const found = await take(names);
        if (!found.cpu) return found;
        const { now, before } = found.cpu;
        return {
          ...found,
          cpu: { ...found.cpu, now: { ...now, samples: seconds(2) }, before: { ...before, samples: seconds(1) } },
        };
      },
    };
  },
);

/** Processor usage, which is known after the second reading, and memory can be read. */
function isUsual({ usage, virtual }: Answered): boolean {
  return usage !== null && virtual?.total !== null;
}

function cores(payloads: Answered[]): string[] {
  const cpu = payloads.find(([name]) => name === 'cpu')?.[1];
  return (cpu?.per_cpu ?? []).map(({ id }: Answered) => String(id));
}

describe('the published API of Glances 4.5.5', () => {
  /** Fields of Glances that no module has a value for. docs/glances.md says so. */
  const notHere: Record<string, string[]> = {
    containers: ['created', 'command', 'cpu_limit', 'uptime', 'pod_name', 'pod_id'],
    // dpc and interrupt: psutil's names on Windows, where the module has dpc.
    cpu: ['total_min', 'total_max', 'total_mean', 'dpc'],
    ip: ['gateway', 'public_address', 'public_info_human'],
    load: ['min1_min', 'min1_max', 'min1_mean'],
    mem: ['percent_min', 'percent_max', 'percent_mean', 'wired'],
    percpu: ['dpc', 'interrupt'],
    processlist: ['num_threads', 'nice', 'cpu_times', 'gids', 'io_counters', 'cpu_num'],
    quicklook: ['cpu_phys_core'],
  };
  /** Fields that Glances answers without describing them. */
  const undescribed: Record<string, string[]> = {
    containers: ['cpu', 'memory', 'network', 'io'],
    cpu: ['softirq', 'guest_nice'],
    diskio: ['time_since_update'],
    network: ['time_since_update'],
    processlist: ['time_since_update'],
    quicklook: ['percpu'],
  };

  test('every field is one of Glances and has its unit, and what is not here is known', async () => {
    const wrong: string[] = [];
    const seen = new Map<string, Set<string>>();
    for (const machine of machines) {
      const all = (await answerGlances('all', 4, machine, at)) as Record<string, Answered>;
      for (const [plugin, fields] of Object.entries(units)) {
        const answered = all[plugin];
        const names = seen.get(plugin) ?? new Set();
        seen.set(plugin, names);
        if (typeof answered === 'string' || plugin === 'smart') continue;
        for (const entry of Array.isArray(answered) ? answered : [answered])
          for (const [name, value] of Object.entries(entry)) {
            if (name === 'key' || undescribed[plugin]?.includes(name)) continue;
            names.add(name);
            const unit = fields[name];
            if (unit === undefined) wrong.push(`${plugin}.${name} is not a field of Glances`);
            else if (value !== null && !isOf(unit, value, plugin))
              wrong.push(`${plugin}.${name} is ${JSON.stringify(value)}, not ${unit}`);
          }
      }
    }
    expect([...new Set(wrong)]).toEqual([]);
    const missing = Object.entries(units).map(([plugin, fields]) => [
      plugin,
      Object.keys(fields).filter((name) => !seen.get(plugin)?.has(name)),
    ]);
    expect(Object.fromEntries(missing.filter(([, names]) => names?.length))).toEqual(notHere);
  });

  test('the paths of its OpenAPI document', async () => {
    const networks = recordedPayloads.get('networks')?.find((all) => all.networks.length > 0);
    const machine = measuringOf({ networks });
    const [network] = (await answerGlances('network', 4, machine, at)) as Answered[];
    const filled: Record<string, string> = {
      plugin: 'network',
      item: 'bytes_recv',
      key: network.interface_name,
      value: network.bytes_recv,
      nb: '2',
      pid: '1',
      section: 'outputs',
    };
    const answers = await Promise.all(
      Object.keys(published.paths).map(async (path) => {
        const asked = path.slice('/api/4/'.length).replace(/\{(\w+)\}/g, (_, name) => filled[name] ?? '');
        return [
          path,
          await answerGlances(asked, 4, machine, at).then(
            () => true,
            () => false,
          ),
        ];
      }),
    );
    const below = '/api/4/{plugin}';
    expect(answers.filter(([, isServed]) => isServed).map(([path]) => path)).toEqual([
      '/api/4/status',
      '/api/4/all',
      '/api/4/pluginslist',
      below,
      `${below}/top/{nb}`,
      `${below}/{item}`,
      `${below}/{item}/value/{value}`,
      `${below}/{item}/{key}`,
    ]);
  });
});

/** By the unit that Glances gives a field. */
function isOf(unit: string, value: unknown, plugin = ''): boolean {
  if (['', 'string'].includes(unit)) return true;
  if (unit === 'bool') return typeof value === 'boolean';
  if (unit === 'list') return Array.isArray(value);
  // Memory of a process has several kinds.
  if (typeof value === 'object') return Object.values(value ?? {}).every((each) => isOf(unit, each, plugin));
  if (typeof value !== 'number') return false;
  if (unit === 'timestamp') return value === -1 || value > 1e9;
  if (unit === 'celsius' || unit === 'float' || plugin === 'sensors') return true;
  if (['byte', 'bytes', 'hertz', 'int', 'bitpersecond'].includes(unit)) return Number.isInteger(value) && value >= 0;
  return value >= 0 && (unit !== 'seconds' || value > 0);
}

describe('clients', () => {
  const problemsOf = async (reads: typeof homarrReads, version: 3 | 4) => {
    const found = new Set<string>();
    for (const machine of machines)
      for (const [path, schema] of Object.entries(reads)) {
        const answer = await answerGlances(path, version, machine, at);
        const { error } = schema.safeParse(answer);
        for (const { path: where, message } of error?.issues ?? [])
          found.add(`${path}: ${where.filter((part) => typeof part === 'string').join('.')}: ${message}`);
      }
    return [...found];
  };

  test.each([3, 4] as const)('what every widget of Homepage shows is there, in version %d', async (version) => {
    expect(await problemsOf(homepageReads(version), version)).toEqual([]);
  });

  test('what the integration of Homarr reads is there', async () => {
    expect(await problemsOf(homarrReads, 4)).toEqual([]);
  });

  test('containers that are not running are left out, the busiest are first, and their traffic is in bytes', async () => {
    const [running] =
      recordedPayloads
        .get('containers')
        ?.flatMap(({ containers }) => containers.filter(({ state }: Answered) => state === 'running')) ?? [];
    const engines = [{ id: 'docker', name: 'docker' }];
    const named = (name: string, state: string, cpu_usage: number | null) => ({
      ...running,
      name,
      state,
      cpu_usage,
      network: { received_per_second: 800, sent_per_second: 80 },
    });
    const containers = [
      named('ended', 'exited', null),
      named('new', 'created', null),
      named('idle', 'paused', 0),
      named('busy', 'running', 90),
    ];
    const shown = (await answerGlances(
      'containers',
      4,
      measuringOf({ containers: { engines, containers } }),
      at,
    )) as Answered[];
    expect(shown.map(({ name, network_rx, network_tx }) => [name, network_rx, network_tx])).toEqual([
      ['busy', 800, 80],
      ['idle', 800, 80],
    ]);
  });
});
