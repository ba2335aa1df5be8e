import path from 'node:path';
import type { ModuleDefinition } from '../core/module.ts';
import type { HistoryQuery, HistoryResult } from '../core/readings/history.ts';
import type { FollowedSettings } from '../core/transport.ts';
import { type Database, DatabaseError } from '../host/database.ts';
import type { Host } from '../host/host.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import { createSequence } from '../lib/later.ts';
import type { Log } from '../lib/log.ts';
import { type HistoryDatabase, openHistoryDatabase } from './database.ts';
import type { Journal } from './journal.ts';
import { type Present, readHistory } from './query.ts';

export interface ArchiveParts {
  modules: readonly ModuleDefinition[];
  host: Host;
  log: Log;
  settings: FollowedSettings;
}

const databaseName = 'history.db';
/** The file is closed after a time without requests, which frees its memory. */
const idleMs = 60_000;
/** A clock that has just been set may be wrong and is corrected soon: nothing is deleted before this time. */
const trustClockAfterMs = 3_600_000;
const forgetEveryMs = 3_600_000;

export type Archive = ReturnType<typeof openArchive>;

/** The recorded history in its file. A broken file is set aside; an unusable one costs only the past. */
export function openArchive({ modules, host, log, settings }: ArchiveParts, journal: Journal) {
  const { clock, databases, paths } = host;
  const file = path.join(paths.state, databaseName);
  let open: { database: Database; history: HistoryDatabase } | null = null;
  let opening: Promise<HistoryDatabase> | null = null;
  let cancelIdle = () => {};
  let complaint: string | null = null;
  let lead = clock.now() - clock.monotonic();
  let trustedFrom = clock.monotonic() + trustClockAfterMs;
  let forgottenAt = Number.NEGATIVE_INFINITY;

  const close = () => {
    cancelIdle();
    open?.database.close();
    open = null;
    opening = null;
  };

  const openNow = async (): Promise<HistoryDatabase> => {
    const database = await databases.open(file);
    try {
      const history = openHistoryDatabase(database);
      open = { database, history };
      return history;
    } catch (error) {
      database.close();
      throw error;
    }
  };

  const current = (): Promise<HistoryDatabase> => {
    opening ??= openNow().catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  };

  /** Retries with a new file if the old one is broken. */
  const using = async <T>(work: (history: HistoryDatabase) => T | Promise<T>): Promise<T> => {
    cancelIdle();
    try {
      const result = await work(await current());
      complaint = null;
      return result;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.trouble === 'broken')) throw error;
      close();
      log.warn(`history: ${file} is broken (${error.message}). It was set aside as ${databases.setAside(file)}`);
      return await work(await current());
    } finally {
      cancelIdle = clock.after(idleMs, close);
    }
  };

  /** One after the other: samples that were moved to the database while a read pauses would count twice. */
  const inTurn = createSequence();

  const takeIn = (history: HistoryDatabase) => {
    // Blocks of an earlier process come first, then those written since.
    for (let turn = 0; turn < 2 && !journal.isEmpty(); turn += 1) journal.takeIn(history.takeIn);
  };

  const forget = (history: HistoryDatabase) => {
    const now = clock.monotonic();
    const leadNow = clock.now() - now;
    if (Math.abs(leadNow - lead) > 60_000) trustedFrom = now + trustClockAfterMs;
    lead = leadNow;
    if (now < trustedFrom || now - forgottenAt < forgetEveryMs) return;
    forgottenAt = now;
    history.forget(clock.now());
  };

  /** On failure the blocks stay in the journal. */
  const quietly = async (work: (history: HistoryDatabase) => void): Promise<void> => {
    try {
      await using(work);
    } catch (error) {
      if (messageOf(error) !== complaint) log.warn(`history: ${file} cannot be written: ${messageOf(error)}`);
      complaint = messageOf(error);
    }
  };

  return {
    read: (query: HistoryQuery, present: () => Present): Promise<HistoryResult> =>
      inTurn(async () => {
        await quietly(takeIn);
        try {
          return await using((history) => readHistory(query, present(), history, modules, settings.current(), clock));
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error;
          throw new ServiceError('failed', `The history cannot be read now: ${error.message}`, { cause: error });
        }
      }),
    /** Moves the journal to the database and deletes expired data. */
    maintain: () =>
      inTurn(() =>
        quietly((history) => {
          takeIn(history);
          forget(history);
        }),
      ),
    close,
  };
}
