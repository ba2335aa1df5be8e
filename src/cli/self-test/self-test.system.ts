import path from 'node:path';
import { version } from '../../app/version.ts';
import { answering } from '../../core/command.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Store } from '../../core/store.ts';
import { actions } from '../../features/index.ts';
import { messageOf } from '../../lib/errors.ts';
import { table } from '../../lib/text-table.ts';
import type { CliContext } from '../context.ts';
import { openLocalStore } from '../offline-store.ts';
import type { ComparedFact, WitnessFact } from './witness.ts';

const witnesses: PerPlatform<Promise<WitnessFact[]>> = {
  windows: async () => (await import('./wmi-reference.windows.ts')).askWmiWitness,
};

/** What other parts of the system have to do. */
const checks: PerPlatform<Promise<ComparedFact[]>> = {
  windows: async () => (await import('./desktop-checks.windows.ts')).checkDesktop,
};

const reportFile = 'hostler-self-test.txt';

/** Compares the modules with the tools of the system, tries the actions that only read, and writes a report without names. */
export async function testSystem(context: CliContext): Promise<void> {
  const { host, print, complain, isJson } = context;
  const ask = await loadFor(host, witnesses);
  if (ask === null) throw new Error('This system has no tools to compare with: this test is for Windows');
  const facts = await ask();
  if (facts.length === 0) throw new Error('WMI does not answer, so there is nothing to compare with');
  const store = await openLocalStore(host);
  const payloads = new Map<string, unknown>();
  for (const module of new Set(facts.map((fact) => fact.module))) payloads.set(module, await payloadOf(store, module));
  store.close();
  const compared = facts.map((fact) => compareFact(fact, payloads.get(fact.module)));
  const others = [...((await (await loadFor(host, checks))?.()) ?? []), ...(await tryActions(context))];
  const results = [...compared, ...others];
  const shown = table(
    ['MODULE', 'FIELD', 'HOSTLER', 'WINDOWS', ''],
    results.map(({ module, field, ours, theirs, passed }) => [
      module,
      field,
      String(ours ?? 'missing'),
      String(theirs),
      passed ? 'ok' : 'DIFFERS',
    ]),
  );
  await context.answer({ results }, shown);
  await writeReport(context, shown).then(
    () => isJson || print(`The report for a bug report, without names and addresses: ${reportFile}`),
    (error) => complain(`${reportFile} cannot be written here: ${messageOf(error)}`),
  );
  const failed = results.filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new Error(`Different from Windows: ${failed.map(({ module, field }) => `${module} ${field}`).join(', ')}`);
  if (!isJson) print(`${results.length} passed, 0 failed`);
}

/** Those that only read and need no input, where a service runs. */
async function tryActions({ call, isServiceRunning }: CliContext): Promise<ComparedFact[]> {
  if (!(await isServiceRunning())) return [];
  const harmless = actions.filter(
    ({ effect, example }) => effect === 'read' && Object.keys(example as object).length === 0,
  );
  return await Promise.all(
    harmless.map(async ({ name }) => {
      const ours = await call(name, {}).then(() => 'answers', messageOf);
      return { module: 'action', field: name, ours, theirs: 'answers', passed: ours === 'answers' };
    }),
  );
}

/** With what a bug report contains: every module, what each action needs, and the log. */
async function writeReport(context: CliContext, shown: string): Promise<void> {
  const { createSupportScrubber, printSupport } = await import('../support.ts');
  const lines = [`hostler ${version}, ${new Date(context.host.clock.now()).toISOString()}`, '', shown, ''];
  await printSupport({ ...context, ...answering((line) => void lines.push(line), false) });
  const all = lines.join('\n').split('\n');
  const scrub = await createSupportScrubber(context.host, all);
  context.writeFile(path.resolve(reportFile), Buffer.from(`${all.map(scrub).join('\r\n')}\r\n`));
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
