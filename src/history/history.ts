import type { History } from '../core/history.ts';
import type { Store } from '../core/store.ts';
import type { FollowedSettings } from '../core/transport.ts';
import { messageOf } from '../lib/errors.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Archive, ArchiveParts } from './archive.ts';
import { type Journal, openJournal } from './journal.ts';
import { createRecorder, type Recorder } from './recorder.ts';

export interface HistoryParts extends ArchiveParts {
  store: Pick<Store, 'get'>;
  timers: SharedTimers;
  settings: FollowedSettings;
}

export interface RunningHistory extends History {
  stop(): Promise<void>;
}

/** Records while the settings say so, and answers from what was recorded. What reads it is loaded when somebody asks. */
export function startHistory(parts: HistoryParts): RunningHistory {
  const { host, log, settings, timers, modules, store } = parts;
  const enabled = () => settings.current().history.enabled;
  let recorder: Recorder | null = null;
  let journal: Journal | null = null;
  let archive: Promise<Archive> | null = null;

  const journalOf = () => {
    journal ??= openJournal(host);
    return journal;
  };
  const archiveOf = () => {
    archive ??= import('./archive.ts').then(({ openArchive }) => openArchive(parts, journalOf()));
    return archive;
  };

  const follow = () => {
    if (!enabled()) {
      recorder?.stop();
      recorder = null;
      return;
    }
    if (recorder !== null) return recorder.reschedule();
    try {
      recorder = createRecorder({
        host,
        log,
        timers,
        journal: journalOf(),
        settings: () => settings.current().history,
        loadSamplers: async () => (await import('./samplers.ts')).loadSamplers({ modules, store, host, log }),
        takeIn: async () => (await archiveOf()).tidy(),
      });
    } catch (error) {
      log.warn(`history: nothing is recorded: ${messageOf(error)}`);
    }
  };

  follow();
  const stopFollowing = settings.onChange(follow);
  return {
    async read(question) {
      const opened = await archiveOf();
      return opened.read(question, {
        recording: recorder !== null,
        unwritten: recorder?.unwritten() ?? [],
        intervalMs: recorder?.intervalMs() ?? settings.current().history.interval * 1000,
      });
    },
    note: (kind, text) => recorder?.note(kind, text),
    async stop() {
      stopFollowing();
      recorder?.stop();
      recorder = null;
      (await archive)?.close();
    },
  };
}
