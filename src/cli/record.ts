import path from 'node:path';
import { openRecorder } from '../app/recorder.ts';
import { version } from '../app/version.ts';
import type { ModuleDefinition, Source, SourceContext } from '../core/module.ts';
import { loadFor } from '../core/platform.ts';
import type { Reasons } from '../core/reasons.ts';
import { modules, settingsCatalogue } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import type { MachineRecorder, RecordingReport } from '../host/recording/recording.contract.ts';
import { sleep } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { openSettings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';

/** Between the two reads, ms: rates need some time. */
const betweenMs = 2000;
/** A module that does not answer must not keep the others out of the recording, ms. */
const patienceMs = 15_000;

/** Writes this machine as a directory that can be replayed elsewhere. */
export async function recordMachine(context: CliContext, directory: string): Promise<void> {
  const target = path.resolve(directory);
  const { host } = context;
  const recorder = await openRecorder(host, version);
  if (recorder === null) throw new Error('Recording a machine is not supported on this platform yet');
  const log = createLog(() => {}, 'ERROR');
  const settings = await openSettings(settingsCatalogue, host, log);
  // Output of the user's own commands and files is private.
  const withoutOwn = { ...settings.current(), custom: { sensors: [] } };
  const source: SourceContext = { version, settings: () => withoutOwn, locks: settings.locks, log, passing: true };
  const failed = await readTwice(recorder, source);
  const report = recorder.write(target);
  const expected = await writeExpected(recorder, target, source);
  const files = report.replaced.map(({ kind, standIn, times }) => ({ kind, stand_in: standIn, times }));
  recorder.add(target, 'replaced.json', files);
  const { files: read, answers, bytes, left } = report;
  await context.answer(
    { directory: target, modules: expected, files: read, answers, bytes, left, failed, replaced: files },
    () => printSummary(context, target, expected.length, report, failed),
  );
}

const silent: Reasons = { missing: () => {}, inherent: () => {} };

/** Names of modules that could not be read, with the reason. */
async function readTwice(recorder: MachineRecorder, context: SourceContext): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  const sources = new Map<string, Source<unknown>>();
  for (const definition of modules) {
    const made = await loadFor(recorder.host, definition.sources);
    if (made !== null) sources.set(definition.name, made(context));
  }
  const readModules = async () => {
    for (const [name, source] of sources) {
      await within(recorder.host, name, async () => await source.read(silent)).catch((error: unknown) => {
        failed[name] = messageOf(error);
      });
    }
  };
  await readModules();
  await sleep(recorder.host.clock, betweenMs);
  recorder.goOn();
  await readModules();
  for (const source of sources.values()) source.close?.();
  return failed;
}

async function within<T>({ clock }: Host, name: string, work: () => Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(patienceMs, () => reject(new Error(`${name} did not answer within ${patienceMs / 1000} s`)));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    cancel();
  }
}

/** The payload of each module from the recording, to compare with a replay. Returns the names of modules with a payload. */
async function writeExpected(recorder: MachineRecorder, directory: string, context: SourceContext): Promise<string[]> {
  const written: string[] = [];
  for (const definition of modules) {
    const payload = await replayedPayload(recorder, directory, definition, context);
    if (payload === undefined) continue;
    recorder.add(directory, path.join('expected', `${definition.name}.json`), payload);
    written.push(definition.name);
  }
  return written;
}

/** undefined: it cannot be read there. */
async function replayedPayload(
  recorder: MachineRecorder,
  directory: string,
  definition: ModuleDefinition,
  context: SourceContext,
): Promise<unknown> {
  const machine = recorder.replayed(directory);
  const source = (await loadFor(machine.host, definition.sources))?.(context);
  if (source === undefined) return undefined;
  const state = { settled: false };
  const reading = Promise.resolve(source.read(silent))
    .catch(() => undefined)
    .finally(() => {
      state.settled = true;
    });
  // The clock of the recording only advances here, so there is nothing else to wait for.
  for (let turns = 0; !state.settled && turns < mostTurns; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!state.settled) machine.goOn();
  }
  source.close?.();
  return state.settled ? await reading : undefined;
}

/** More than any source waits for. */
const mostTurns = 10_000;

function printSummary(
  { print, isForPeople, command }: CliContext,
  directory: string,
  count: number,
  { files, answers, bytes, left, replaced }: RecordingReport,
  failed: Record<string, string>,
): void {
  print(
    `Recorded ${count} modules: ${files} files and ${answers} answers of the buses, ${(bytes / 1e6).toFixed(1)} MB, in ${directory}`,
  );
  for (const [name, reason] of Object.entries(failed)) print(`  ✗ ${name}: ${reason}`);
  if (left.length > 0) print(`  Left out because of their size: ${left.join(', ')}`);
  print('\nReplaced, everywhere by the same stand-in:');
  for (const [kind, entries] of Map.groupBy(replaced, ({ kind: of }) => of)) {
    print(`  ${kind}`);
    // The originals are only for the user: they are printed to a terminal, never written to a file.
    for (const { original, standIn, times } of entries.slice(0, mostShown))
      print(
        `    ${isForPeople() ? `${printable(original)} → ` : ''}${standIn}   (${times === 1 ? 'once' : `${times} times`})`,
      );
    if (entries.length > mostShown)
      print(`    and ${entries.length - mostShown} more; replaced.json lists the stand-ins`);
  }
  if (replaced.length === 0) print('  nothing');
  print(
    [
      '',
      'Look through the directory before you send it. Arguments and environments of programs, what was playing and full names are not in it;',
      'names of programs, units, volume groups and network interfaces are, unchanged.',
      `Replay it with: HOSTLER_ROOT='${directory}' ${command} serve`,
    ].join('\n'),
  );
}

const mostShown = 12;

/** Text of the machine may contain anything. */
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, '·').slice(0, 80);
