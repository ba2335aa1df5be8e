import type { Reasons } from '../../../core/reasons.ts';
import type { Cpu, CpuFrequency } from '../cpu.schema.ts';

/** Explains the nulls of a payload, except power, temperature and voltage, which their meters explain. */
export function explain(payload: Cpu, offline: number[], reasons: Reasons): void {
  for (const field of ['times.dpc', 'times_percent.dpc', 'per_cpu[].times.dpc', 'per_cpu[].times_percent.dpc'])
    reasons.inherent(field, 'Only Windows has deferred procedure calls');
  reasons.inherent('stats.syscalls', 'Linux does not count system calls');
  reasons.inherent('per_cpu[].voltage', 'Linux does not report the voltage of individual cores');
  if (offline.length > 0) reasons.inherent('per_cpu[]', `Offline: ${offline.join(', ')}`);
  explainStat(payload, reasons);
  explainIdentity(payload, reasons);
  explainFrequency('frequency', payload.frequency, reasons);
  explainCores(payload.per_cpu, new Set(offline), reasons);
}

const procHint = 'mount /proc, or set HOSTLER_PROC to where it is mounted';

function explainStat({ count, times, stats, load_average }: Cpu, reasons: Reasons): void {
  const sentence = `/proc/stat cannot be read; ${procHint}`;
  if (times.user === null) for (const field of ['times', 'times_percent', 'usage']) reasons.missing(field, sentence);
  if (count === null) reasons.missing('count', sentence);
  for (const key of ['ctx_switches', 'interrupts', 'soft_interrupts'] as const)
    if (stats[key] === null) reasons.missing(`stats.${key}`, sentence);
  if (load_average === null) reasons.missing('load_average', `/proc/loadavg cannot be read; ${procHint}`);
}

function explainIdentity(payload: Cpu, reasons: Reasons): void {
  for (const key of ['name', 'vendor', 'family'] as const)
    if (payload[key] === null) reasons.inherent(key, `/proc/cpuinfo does not contain the ${key} of this processor`);
}

function explainFrequency(field: string, { current, min, max }: CpuFrequency, reasons: Reasons): void {
  const unknown = 'Neither cpufreq nor /proc/cpuinfo reports the frequency, which is usual in virtual machines';
  if (current === null && min === null && max === null) reasons.inherent(field, unknown);
  else {
    if (current === null) reasons.inherent(`${field}.current`, unknown);
    if (min === null) reasons.inherent(`${field}.min`, 'The limits are known only with cpufreq');
    if (max === null) reasons.inherent(`${field}.max`, 'The limits are known only with cpufreq');
  }
}

/** The common value of all cores; null where one of them has none. */
function leastKnown(cores: Cpu['per_cpu']): CpuFrequency {
  const known = (key: keyof CpuFrequency) =>
    cores.every(({ frequency }) => frequency[key] !== null) ? (cores[0]?.frequency[key] ?? 0) : null;
  return { current: known('current'), min: known('min'), max: known('max') };
}

function explainCores(cores: Cpu['per_cpu'], offline: ReadonlySet<number>, reasons: Reasons): void {
  const online = cores.filter(({ id }) => !offline.has(id));
  explainFrequency('per_cpu[].frequency', leastKnown(online), reasons);
  const measured = online.filter(({ power }) => power !== null).length;
  if (measured === 0)
    reasons.inherent('per_cpu[].power', 'This processor does not report the energy use of individual cores');
  else if (measured < cores.length)
    reasons.inherent('per_cpu[].power', 'A core with two threads is counted once, at the first of them');
  const fresh = online.filter(({ usage }) => usage === null).map(({ id }) => id);
  if (fresh.length === 0) return;
  const sentence = `Came online just now: ${fresh.join(', ')}`;
  for (const field of ['per_cpu[].usage', 'per_cpu[].times_percent']) reasons.inherent(field, sentence);
}
