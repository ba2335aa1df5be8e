import type { CommandContext } from '../../core/command.ts';
import type { Store } from '../../core/store.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { findSmi, querySmi, type SmiGpu, type SmiValue, smiFields } from './nvidia/nvidia-smi.ts';

const rounds = 10;
/** Longer than the cache time of a payload. */
const betweenMs = 350;
const warmUpMs = 30_000;

/** Compares every field of the module with nvidia-smi. */
export async function testGpu(context: CommandContext): Promise<void> {
  const { host, print, isJson, answer } = context;
  const program = findSmi(host);
  if (program === null) throw new Error('There is no nvidia-smi to compare with: this test needs an NVIDIA GPU');
  const store = await context.openStore();
  await warmUp(host.clock, store);
  const comparisons: Comparison[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await querySmi(host, program);
    const ours = await readGpus(store);
    const after = await querySmi(host, program);
    comparisons.push(...before.flatMap((gpu, index) => compareGpu(gpu, ours, after[index] ?? gpu)));
    await sleep(host.clock, betweenMs);
  }
  const cost = (await store.describe()).find(({ name }) => name === 'gpus')?.cost ?? null;
  store.close();
  const results = summarize(comparisons);
  const failed = results.filter(({ passed }) => !passed);
  await answer({ results, cost }, () => printResults(context, results));
  if (!isJson && cost !== null) print(`read in ${cost.wall_ms.toFixed(2)} ms, ${cost.cpu_ms.toFixed(2)} ms CPU`);
  if (results.length === 0) throw new Error('nvidia-smi lists no GPU');
  if (failed.length > 0) throw new Error(`Different from nvidia-smi: ${failed.map(({ field }) => field).join(', ')}`);
  if (!isJson) print(`${results.length} passed, 0 failed`);
}

/** An idle driver takes seconds to start. */
async function warmUp(clock: Clock, store: Store): Promise<void> {
  const end = clock.monotonic() + warmUpMs;
  while ((await readGpus(store)).length === 0 && clock.monotonic() < end) await sleep(clock, betweenMs);
}

async function readGpus(store: Store): Promise<SmiGpu[]> {
  const { payload } = await store.get('gpus');
  return Array.isArray(payload) ? payload : [];
}

/** One field of one GPU in one round. */
export interface Comparison {
  gpu: string;
  field: string;
  before: SmiValue;
  ours: SmiValue | undefined;
  after: SmiValue;
  agrees: boolean;
}

/** How far our value may lie outside the values of nvidia-smi just before and after. */
const tolerances: Record<string, number> = {
  core_clock: 30,
  core_load: 10,
  memory_clock: 30,
  memory_load: 10,
  memory_free: 1,
  memory_used: 1,
  power_usage: 10,
  temperature: 2,
};

export function compareGpu(before: SmiGpu, ours: SmiGpu[], after: SmiGpu): Comparison[] {
  const found = ours.find(({ id }) => id === before.id);
  const gpu = String(before.id);
  const listed = smiFields.map((field) => {
    const values = { before: before[field] ?? null, ours: found?.[field], after: after[field] ?? null };
    return { gpu, field, ...values, agrees: agrees(values, tolerances[field] ?? 0) };
  });
  const fan = found?.fan_speed;
  return [...listed, { gpu, field: 'fan_speed', before: null, ours: fan, after: null, agrees: fan === null }];
}

function agrees({ before, ours, after }: Pick<Comparison, 'before' | 'ours' | 'after'>, tolerance: number): boolean {
  if (typeof before !== 'number' || typeof after !== 'number' || typeof ours !== 'number') {
    return ours === before || ours === after;
  }
  return ours >= Math.min(before, after) - tolerance && ours <= Math.max(before, after) + tolerance;
}

export interface Result extends Omit<Comparison, 'agrees'> {
  agreed: number;
  rounds: number;
  passed: boolean;
}

/** Constant values must agree every time, others nearly every time: they change during the comparison. */
export function summarize(comparisons: Comparison[]): Result[] {
  const groups = Map.groupBy(comparisons, ({ gpu, field }) => `${gpu} ${field}`);
  return [...groups.values()].flatMap((group) => {
    const last = group.findLast(({ agrees }) => !agrees) ?? group.at(-1);
    if (last === undefined) return [];
    const { agrees: _agrees, ...shown } = last;
    const agreed = group.filter(({ agrees }) => agrees).length;
    const needed = shown.field in tolerances ? group.length * 0.8 : group.length;
    return [{ ...shown, agreed, rounds: group.length, passed: agreed >= needed }];
  });
}

function printResults({ table }: CommandContext, results: Result[]): void {
  const show = (value: SmiValue | undefined) => (value === undefined ? 'missing' : String(value));
  const rows = results.map(({ gpu, field, before, ours, after, agreed, rounds: all, passed }) => [
    gpu,
    field,
    show(ours),
    `${show(before)} … ${show(after)}`,
    `${agreed} of ${all}`,
    passed ? 'ok' : 'DIFFERS',
  ]);
  table(['GPU', 'FIELD', 'HOSTLER', 'NVIDIA-SMI BEFORE … AFTER', 'AGREED', ''], rows, { isWhole: true });
}
