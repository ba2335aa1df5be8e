import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { messageOf } from '../../lib/errors.ts';
import type { AuditEntry } from './audit.records.ts';
import { countsOf, type Dropped, joinDropped, parseRecords, single } from './audit.records.ts';

/**
 * `consent`: the user was asked. `acting`: an agent changed something and needed no consent. `mqtt`: a client of the broker changed something.
 * `reading`: the rest, also calls refused early.
 * Each kind has its own files, so that repeated calls of one kind do not displace those of another.
 */
export type AuditKind = 'consent' | 'acting' | 'mqtt' | 'reading';

export type Audit = (entry: AuditEntry, kind: AuditKind) => void;

export const auditFiles: Record<AuditKind, string> = {
  consent: 'agents.log',
  acting: 'agents-acting.log',
  mqtt: 'mqtt-acting.log',
  reading: 'agents-reading.log',
};

/** Size of one file; there are two of each kind. */
const maxBytes = 512 * 1024;

/** One line of JSON per call, in the state directory, which only the owner can read. A line counts lost lines and gives their times. */
export function createAudit(
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  complain: (sentence: string) => void,
  limit = maxBytes,
): Audit {
  /** Entries that could not be written; counted in the next line that can. */
  const unwritten = new Map<AuditKind, Dropped>();

  const heading = (gone: string) => {
    const dropped = countsOf(parseRecords(gone));
    return dropped === null ? null : noteOf(dropped);
  };
  const noteOf = (dropped: Dropped) => JSON.stringify({ time: new Date(clock.now()).toISOString(), dropped });

  return (entry, kind) => {
    const file = path.join(paths.state, auditFiles[kind]);
    const time = new Date(clock.now()).toISOString();
    const lost = unwritten.get(kind);
    try {
      if (lost !== undefined) storage.append(file, noteOf(lost), limit, heading);
      unwritten.delete(kind);
      storage.append(file, JSON.stringify({ time, ...entry }), limit, heading);
    } catch (error) {
      if (unwritten.size === 0) complain(`${file}: the calls of agents cannot be recorded: ${messageOf(error)}`);
      unwritten.set(kind, joinDropped(unwritten.get(kind) ?? null, single(time, entry.tool)));
    }
  };
}
