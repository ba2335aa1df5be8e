import { defineTool, type ToolContext } from '../../core/tool.ts';
import type { Battery } from '../../features/battery/battery.schema.ts';
import type { Cpu } from '../../features/cpu/cpu.schema.ts';
import type { Disks } from '../../features/disks/disks.schema.ts';
import type { Media } from '../../features/media/media.schema.ts';
import type { Memory } from '../../features/memory/memory.schema.ts';
import type { Process } from '../../features/processes/processes.schema.ts';
import type { System } from '../../features/system/system.schema.ts';
import { disksInTrouble } from '../../lib/disk-problems.ts';
import { firstSorted } from '../first-sorted.ts';
import { type ModuleReading, moduleReadingOrNull } from '../payloads.ts';
import { renamed, whyNull } from '../why-null.ts';
import type { GetOverviewOutput } from './get-overview.schema.ts';
import { warningsOf } from './warnings.ts';

export const getOverview = defineTool<object, GetOverviewOutput>({
  name: 'get_overview',
  title: 'Overview',
  description:
    'Begin here: CPU, memory, disks, battery, what plays, the 5 busiest processes, and what is wrong (full or failing disks, failed systemd units, pending reboot, overload).',
  input: async () => (await import('./get-overview.schema.ts')).getOverviewInputSchema,
  output: async () => (await import('./get-overview.schema.ts')).getOverviewOutputSchema,
  scopes: ['read'],
  resource: {
    uri: 'system://overview',
    description: 'The machine at a glance',
    modules: ['battery', 'cpu', 'disks', 'media', 'memory', 'system'],
    everyMs: 1000,
  },
  run: (_input, context) => overview(context),
});

const maxDisks = 6;
const maxProcesses = 5;
const maxUnavailable = 6;
const maxUnits = 10;

async function overview(context: ToolContext): Promise<GetOverviewOutput> {
  const read = <K extends keyof typeof names>(module: K) => moduleReadingOrNull(context, module);
  const [system, cpu, memory, battery, disks, processes, media, failed, states] = await Promise.all([
    read('system'),
    read('cpu'),
    read('memory'),
    read('battery'),
    read('disks'),
    read('processes'),
    read('media'),
    context.failedUnits(),
    context.describe(),
  ]);
  const charge = toBattery(battery.payload);
  const playing = toPlaying(media.payload);
  const facts = {
    cpu: cpu.payload === null ? null : toCpu(cpu.payload),
    memory: memory.payload === null ? null : toMemory(memory.payload),
    ...(charge === null ? {} : { battery: charge }),
    ...(playing === null ? {} : { playing }),
    disks: toDisks(disks.payload),
    top_processes: topOf(processes.payload ?? []),
    pending_reboot: system.payload?.pending_reboot ?? null,
    failed_units: failed.units?.slice(0, maxUnits) ?? null,
  };
  const output = {
    taken_at: new Date(context.now()).toISOString(),
    ...toNames(system.payload),
    ...facts,
    warnings: warningsOf({ ...facts, failed: failed.units?.length ?? 0, trouble: troubleOf(disks.payload) }),
  };
  const unavailable = states
    .filter(({ availability }) => availability === 'unavailable')
    .slice(0, maxUnavailable)
    .map(({ name, reasons }) => ({ module: name, reason: reasons[0]?.reason ?? 'no data at the moment' }));
  const units = failed.reasons.map((reason) => ({ field: 'failed_units', reason }));
  const reasons = reasonsOf(
    { system, cpu, memory, battery, disks, processes, media },
    new Set(unavailable.map(({ module }) => module)),
  );
  return { ...output, unavailable, ...whyNull(output, [...reasons, ...units]) };
}

/** Where the overview has the fields of modules. */
const names = {
  system: { hostname: 'hostname', platform: 'platform', uptime: 'uptime_s', pending_reboot: 'pending_reboot' },
  cpu: {
    usage: 'cpu.usage_percent',
    count: 'cpu.cores',
    load_average: 'cpu.load_1m',
    temperature: 'cpu.temperature_c',
  },
  memory: {
    'virtual.percent': 'memory.used_percent',
    'virtual.available': 'memory.available_gb',
    'virtual.total': 'memory.total_gb',
    'swap.percent': 'memory.swap_used_percent',
  },
  battery: { is_charging: 'battery.charging', time_remaining: 'battery.minutes_left' },
  disks: { devices: 'disks' },
  processes: { '[].memory_usage': 'top_processes[].memory' },
  media: { artist: 'playing.artist', status: 'playing.status' },
} as const;

/** An unavailable module is named with its reason under `unavailable`; the sentence is not repeated. */
function reasonsOf(modules: Record<keyof typeof names, ModuleReading<unknown>>, unavailable: ReadonlySet<string>) {
  return Object.entries(modules).flatMap(([module, { payload, reasons }]) => {
    const fields: Record<string, string> = names[module as keyof typeof names];
    if (payload !== null) return renamed(reasons, fields);
    const reason = unavailable.has(module) ? `${module} has no data: see unavailable` : (reasons[0]?.reason ?? '');
    return [...new Set(Object.values(fields).map(rootOf))].map((field) => ({ field, reason }));
  });
}

const rootOf = (path: string) => /^\w+/.exec(path)?.[0] ?? path;

const toNames = (system: System | null) => ({
  hostname: system?.hostname ?? null,
  platform: [system?.platform, system?.platform_version].filter(Boolean).join(' ') || null,
  uptime_s: system?.uptime == null ? null : Math.round(system.uptime),
});

const toCpu = ({ usage, count, load_average, temperature }: Cpu) => ({
  usage_percent: tenths(usage),
  cores: count,
  load_1m: load_average === null ? null : Math.round(load_average * 100) / 100,
  temperature_c: tenths(temperature),
});

const toMemory = ({ virtual, swap }: Memory) => ({
  used_percent: tenths(virtual.percent),
  available_gb: gigabytes(virtual.available),
  total_gb: gigabytes(virtual.total),
  swap_used_percent: tenths(swap.percent),
});

function toBattery(battery: Battery | null): NonNullable<GetOverviewOutput['battery']> | null {
  if (battery === null || battery.percentage === null) return null;
  const { percentage, is_charging, time_remaining } = battery;
  return {
    percent: Math.round(percentage),
    charging: is_charging,
    minutes_left: time_remaining === null ? null : Math.round(time_remaining / 60),
  };
}

/** null: no player has media. */
function toPlaying(media: Media | null): NonNullable<GetOverviewOutput['playing']> | null {
  if (media === null || media.title === null) return null;
  return { title: media.title, artist: media.artist, status: media.status };
}

const troubleOf = (disks: Disks | null) => (disks === null ? [] : disksInTrouble(disks.devices, disks.arrays));

/** The fullest first: the least relevant are cut. */
function toDisks(disks: Disks | null): GetOverviewOutput['disks'] {
  return (disks?.devices ?? [])
    .flatMap(({ partitions }) => partitions)
    .flatMap(({ mount_point, category, usage }) =>
      category !== 'primary' || usage === null || usage.total === 0
        ? []
        : [
            {
              mount: mount_point,
              used_percent: Math.round(usage.percent),
              free_gb: gigabytes(usage.free) ?? 0,
              total_gb: gigabytes(usage.total) ?? 0,
            },
          ],
    )
    .sort((a, b) => b.used_percent - a.used_percent)
    .slice(0, maxDisks);
}

function topOf(processes: Process[]): GetOverviewOutput['top_processes'] {
  const top = firstSorted(processes, maxProcesses, (a, b) => weightOf(b) - weightOf(a));
  return top.map(({ id, name, cpu_usage, memory_usage }) => ({
    pid: id,
    name,
    cpu: tenths(cpu_usage) ?? 0,
    memory: tenths(memory_usage),
  }));
}

const weightOf = ({ cpu_usage, memory_usage }: Process) => cpu_usage * 1000 + (memory_usage ?? 0);

const tenths = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10);
const gigabytes = (bytes: number | null) => (bytes === null ? null : Math.round(bytes / 1e8) / 10);
