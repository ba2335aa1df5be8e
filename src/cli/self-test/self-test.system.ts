import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Store } from '../../core/store.ts';
import type { CliContext } from '../context.ts';
import { openLocalStore } from '../offline-store.ts';
import type { SelfTestFlags } from './self-test.ts';
import type { ComparedFact, WitnessFact } from './witness.ts';

const witnesses: PerPlatform<Promise<WitnessFact[]>> = {
  windows: async () => (await import('./wmi-reference.windows.ts')).askWmiWitness,
};

/** What other parts of the system have to do. */
const checks: PerPlatform<Promise<ComparedFact[]>> = {
  windows: async () => (await import('./desktop-checks.windows.ts')).checkDesktop,
};

/** Compares the modules with the tools of the system. */
export async function testSystem({ host, print, table }: CliContext, { json = false }: SelfTestFlags): Promise<void> {
  const ask = await loadFor(host, witnesses);
  if (ask === null) throw new Error('This system has no tools to compare with: this test is for Windows');
  const facts = await ask();
  if (facts.length === 0) throw new Error('WMI does not answer, so there is nothing to compare with');
  const store = await openLocalStore(host);
  const payloads = new Map<string, unknown>();
  for (const module of new Set(facts.map((fact) => fact.module))) payloads.set(module, await payloadOf(store, module));
  store.close();
  const compared = facts.map((fact) => compareFact(fact, payloads.get(fact.module)));
  const results = [...compared, ...((await (await loadFor(host, checks))?.()) ?? [])];
  if (json) print(JSON.stringify({ results }, null, 2));
  else
    table(
      ['MODULE', 'FIELD', 'HOSTLER', 'WINDOWS', ''],
      results.map(({ module, field, ours, theirs, passed }) => [
        module,
        field,
        String(ours ?? 'missing'),
        String(theirs),
        passed ? 'ok' : 'DIFFERS',
      ]),
      { isWhole: true },
    );
  const failed = results.filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new Error(`Different from Windows: ${failed.map(({ module, field }) => `${module} ${field}`).join(', ')}`);
  if (!json) print(`${results.length} passed, 0 failed`);
}

/** undefined: it cannot be read, which differs from every value of Windows. */
async function payloadOf(store: Store, module: string): Promise<unknown> {
  try {
    return (await store.get(module)).payload;
  } catch {
    return undefined;
  }
}

export function compareFact({ module, field, theirs, within = 0, pick }: WitnessFact, payload: unknown): ComparedFact {
  const ours = pick(payload) ?? null;
  const isNear = typeof ours === 'number' && typeof theirs === 'number' && Math.abs(ours - theirs) <= within;
  return { module, field, ours, theirs, passed: isNear || ours === theirs };
}
