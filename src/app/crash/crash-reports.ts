import path from 'node:path';
import type { Host } from '../../host/host.ts';
import type { Log } from '../../lib/log.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { hasFields } from '../../lib/values.ts';
import { type CrashFacts, crashReportText } from './crash-report.text.ts';

export interface CrashEntry {
  /** Unix milliseconds. */
  at: number;
  version: string;
  /** Absolute. */
  file: string;
}

/** Older ones are removed. */
const mostReports = 10;
/** This many within a minute are not a coincidence, and systemd starts the service no more often than that. */
const tooMany = { count: 5, withinMs: 60_000 };
const dayMs = 86_400_000;
/** Older reports are not part of the status. */
const freshDays = 7;

type CrashHost = Pick<Host, 'storage' | 'paths' | 'clock'>;

const directoryOf = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'crashes');
const listOf = (host: Pick<Host, 'paths'>) => path.join(directoryOf(host), 'list.json');
const reportOf = (host: Pick<Host, 'paths'>, slot: number) => path.join(directoryOf(host), `crash-${slot}.txt`);

/** The newest last. An unreadable entry is ignored. */
export function readCrashes(host: CrashHost, sinceMs = Number.NEGATIVE_INFINITY): CrashEntry[] {
  return readSlots(host)
    .filter(({ at }) => at >= sinceMs)
    .map(({ at, version, slot }) => ({ at, version, file: reportOf(host, slot) }));
}

/**
 * Writes a report and logs its path. Never throws: the process is about to end. The files have ten fixed names, whatever happens to the
 * list.
 */
export function writeCrash(
  host: CrashHost,
  log: Pick<Log, 'error'>,
  facts: Omit<CrashFacts, 'at'> & { isSupervised: boolean },
): void {
  try {
    const at = host.clock.now();
    const known = readSlots(host);
    const slot = ((known.at(-1)?.slot ?? 0) % mostReports) + 1;
    const list = [...known.filter((one) => one.slot !== slot), { at, version: facts.version, slot }].slice(
      -mostReports,
    );
    host.storage.prepareDirectory(directoryOf(host));
    host.storage.write(reportOf(host, slot), crashReportText({ ...facts, at }));
    host.storage.write(listOf(host), `${JSON.stringify(list)}\n`);
    log.error(`A report of this crash, without secrets, is in ${reportOf(host, slot)}`);
    const lately = list.filter((one) => Math.abs(at - one.at) <= tooMany.withinMs).length;
    if (lately >= tooMany.count && facts.isSupervised)
      log.error(
        `Hostler crashed ${lately} times within a minute. systemd starts it no more than five times a minute and then leaves it stopped: "${ownCommand('service restart')}" starts it again, "${ownCommand('doctor')}" names the reports`,
      );
  } catch (error) {
    log.error('The report of this crash cannot be written', error);
  }
}

/** A sentence about the last day; null: no crash. */
export function crashesLately(host: CrashHost): { sentence: string; file: string } | null {
  const now = host.clock.now();
  // The clock may have been set back meanwhile.
  const recent = readCrashes(host, now - dayMs).filter(({ at }) => at <= now + dayMs);
  const newest = recent.at(-1);
  if (newest === undefined) return null;
  const times =
    recent.length === 1 ? 'once' : `${recent.length}${recent.length === mostReports ? ' or more' : ''} times`;
  return { sentence: `Hostler crashed ${times} in the past day`, file: newest.file };
}

export const freshCrashes = (host: CrashHost): CrashEntry[] => readCrashes(host, host.clock.now() - freshDays * dayMs);

type CrashSlot = Omit<CrashEntry, 'file'> & { slot: number };

function readSlots({ storage, paths }: CrashHost): CrashSlot[] {
  try {
    const list: unknown = JSON.parse(storage.read(listOf({ paths })) ?? '[]');
    if (!Array.isArray(list)) return [];
    return list
      .flatMap((one: unknown) => {
        if (!hasFields(one, { at: 'number', version: 'string', slot: 'number' })) return [];
        const { at, version, slot } = one;
        const isSlot = Number.isInteger(slot) && slot >= 1 && slot <= mostReports;
        return isSlot ? [{ at, version: version.slice(0, 40), slot }] : [];
      })
      .slice(-mostReports);
  } catch {
    return [];
  }
}
