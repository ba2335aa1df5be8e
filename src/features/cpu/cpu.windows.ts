import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SYSTEM_PERFORMANCE_INFORMATION } from '../../host/windows/native/ntdll.structs.ts';
import { PROCESSOR_POWER_INFORMATION } from '../../host/windows/native/powrprof.structs.ts';
import { readStruct, readStructs } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createPairs, type Pair } from '../../lib/sample-pair.ts';
import {
  type ProcessorTicks,
  parseProcessors,
  processorSharesBetween,
  secondsOf,
  sumOfProcessors,
} from './cpu.processors.windows.ts';
import type { Cpu, CpuFrequency } from './cpu.schema.ts';

const SystemPerformanceInformation = 2;
const SystemProcessorPerformanceInformation = 8;
const processorKey = 'HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0';

export const cpuWindows: CreateSource<Cpu, WindowsHost> = (host) => {
  let take: (() => Pair<ProcessorTicks[]> | Promise<Pair<ProcessorTicks[]>>) | null = null;
  return {
    async read(reasons) {
      const native = await host.native();
      take ??= createPairs(host.clock, () =>
        parseProcessors(
          native.ntdll.systemInformation(SystemProcessorPerformanceInformation)?.bytes ?? new Uint8Array(),
        ),
      );
      const pair = await take();
      return describe(pair, native, reasons);
    },
  };
};

function describe({ before, after }: Pair<ProcessorTicks[]>, native: Native, reasons: Reasons): Cpu {
  const frequencies = parseFrequencies(native.powrprof.processors(Math.max(1, after.length)) ?? new Uint8Array());
  const counters = native.ntdll.systemInformation(SystemPerformanceInformation);
  const counted = counters === null ? null : readStruct(SYSTEM_PERFORMANCE_INFORMATION, counters.bytes);
  const isComparable = before.length === after.length && after.length > 0;
  const all = isComparable ? processorSharesBetween(sumOfProcessors(before), sumOfProcessors(after)) : null;
  const identity = readIdentity(native);
  const payload: Cpu = {
    count: after.length === 0 ? null : after.length,
    ...identity,
    frequency: averageOf(frequencies),
    load_average: null,
    per_cpu: after.map((ticks, id) => {
      const earlier = before[id];
      const own = isComparable && earlier !== undefined ? processorSharesBetween(earlier, ticks) : null;
      return {
        id,
        frequency: frequencies[id] ?? unknownFrequency,
        power: null,
        times: secondsOf(ticks),
        times_percent: own?.shares ?? unknownTimes,
        usage: own?.usage ?? null,
        voltage: null,
      };
    }),
    power: null,
    stats: {
      ctx_switches: counted?.ContextSwitches ?? null,
      interrupts: after.length === 0 ? null : sumOfProcessors(after).interrupts,
      soft_interrupts: null,
      syscalls: counted?.SystemCalls ?? null,
    },
    temperature: null,
    times: after.length === 0 ? unknownTimes : secondsOf(sumOfProcessors(after)),
    times_percent: all?.shares ?? unknownTimes,
    usage: all?.usage ?? null,
    voltage: null,
  };
  explain(payload, reasons);
  return payload;
}

const unknownTimes = { user: null, system: null, idle: null, interrupt: null, dpc: null };
const unknownFrequency: CpuFrequency = { current: null, min: null, max: null };

/** From the registry: the firmware's data as of boot. */
function readIdentity({ advapi32 }: Native): Pick<Cpu, 'name' | 'vendor' | 'family'> {
  const text = (name: string) => String(advapi32.value('HKLM', processorKey, name) ?? '').trim() || null;
  return {
    name: text('ProcessorNameString'),
    vendor: vendorOf(text('VendorIdentifier')),
    family: familyOf(text('Identifier')),
  };
}

const vendors: Partial<Record<string, string>> = { GenuineIntel: 'Intel', AuthenticAMD: 'AMD' };
const vendorOf = (identifier: string | null) => (identifier === null ? null : (vendors[identifier] ?? identifier));

/** As in "Intel64 Family 6 Model 158 Stepping 10" or "ARMv8 (64-bit) Family 8 Model D4B Revision 0". */
export function familyOf(identifier: string | null): string | null {
  if (identifier === null) return null;
  if (/^ARM/.test(identifier)) return identifier.split(' ')[0] ?? null;
  return /Family (\d+)/.exec(identifier)?.[1] ?? null;
}

const parseFrequencies = (bytes: Uint8Array): CpuFrequency[] =>
  readStructs(PROCESSOR_POWER_INFORMATION, bytes).map(({ MaxMhz, CurrentMhz }) =>
    MaxMhz === 0 ? unknownFrequency : { current: CurrentMhz || null, min: null, max: MaxMhz },
  );

function averageOf(frequencies: CpuFrequency[]): CpuFrequency {
  const average = (key: keyof CpuFrequency) => {
    const known = frequencies.flatMap((frequency) => frequency[key] ?? []);
    return known.length === 0 ? null : Math.round(known.reduce((sum, value) => sum + value, 0) / known.length);
  };
  return { current: average('current'), min: null, max: average('max') };
}

function explain(payload: Cpu, reasons: Reasons): void {
  const driver = 'Windows reports this to drivers only, and this service has none';
  reasons.inherent('load_average', 'Windows has no load average');
  reasons.inherent('stats.soft_interrupts', 'Windows has deferred procedure calls instead, and reports their time');
  for (const field of ['power', 'per_cpu[].power', 'voltage', 'per_cpu[].voltage', 'temperature'])
    reasons.inherent(field, driver);
  for (const prefix of ['', 'per_cpu[].'])
    reasons.inherent(`${prefix}frequency.min`, 'Windows does not report the lowest frequency');
  if (payload.count === null) {
    for (const field of ['count', 'times', 'times_percent', 'usage', 'stats.interrupts'])
      reasons.missing(field, 'The kernel does not report the times of the processors');
  } else if (payload.usage === null) {
    for (const field of ['times_percent', 'usage', 'per_cpu[].times_percent', 'per_cpu[].usage'])
      reasons.inherent(field, 'Processors were added or removed just now');
  }
  if (payload.stats.ctx_switches === null)
    for (const field of ['ctx_switches', 'syscalls'])
      reasons.missing(`stats.${field}`, 'The kernel does not report its counters');
  if (payload.frequency.current === null)
    for (const field of ['frequency', 'per_cpu[].frequency'])
      reasons.inherent(field, 'Windows does not report the frequency, as in some virtual machines');
  for (const key of ['name', 'vendor', 'family'] as const)
    if (payload[key] === null) reasons.inherent(key, `The registry does not report the ${key} of this processor`);
}
