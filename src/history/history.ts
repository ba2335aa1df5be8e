import type { FollowedHistory, History, HistoryFollower } from '../core/readings/history.ts';
import type { Store } from '../core/store.ts';
import { messageOf } from '../lib/errors.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Archive, ArchiveParts } from './archive.ts';
import { type Journal, openJournal } from './journal.ts';
import type { Watching } from './live-sampler.ts';
import { createRecorder, type Recorder, type SampleTap } from './recorder.ts';

export interface HistoryParts extends ArchiveParts {
  store: Pick<Store, 'get'>;
  timers: SharedTimers;
}

export interface RunningHistory extends History, FollowedHistory {
  stop(): Promise<void>;
}

/** Records while the settings enable it, and answers from the recorded data. The reader is loaded with the first request. */
export function startHistory(parts: HistoryParts): RunningHistory {
  const { host, log, settings, timers, modules, store } = parts;
  const enabled = () => settings.current().history.enabled;
  let recorder: Recorder | null = null;
  let journal: Journal | null = null;
  let archive: Promise<Archive> | null = null;
  const { followers, tap, watch } = createFollowers(parts, () => recorder !== null);

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
      const ended = recorder;
      recorder = null;
      ended?.stop();
      watch();
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
        loadSamplers: async () =>
          (await import('./samplers.ts')).loadSamplers({ modules, store, host, log, settings: settings.current }),
        takeIn: async () => (await archiveOf()).maintain(),
        tap: () => (followers.size === 0 ? null : tap),
      });
      watch();
    } catch (error) {
      log.warn(`history: recording could not be started: ${messageOf(error)}`);
    }
  };

  follow();
  const stopFollowing = settings.onChange(follow);
  return {
    async read(query) {
      const opened = await archiveOf();
      return opened.read(query, () => ({
        recording: recorder !== null,
        unwritten: recorder?.unwritten() ?? [],
        intervalMs: recorder?.intervalMs() ?? settings.current().history.interval * 1000,
      }));
    },
    note(kind, text) {
      if (recorder !== null) recorder.note(kind, text);
      else if (followers.size > 0) tap.happened({ at: host.clock.now(), kind, text });
    },
    known: async () => (await (await import('./series-catalogue.ts')).knownHistory(modules))(settings.current()),
    follow(follower) {
      followers.add(follower);
      watch();
      return () => {
        if (followers.delete(follower)) watch();
      };
    },
    async stop() {
      stopFollowing();
      followers.clear();
      watch();
      recorder?.stop();
      recorder = null;
      (await archive)?.close();
    },
  };
}

/** Who follows the samples: from the recorder, or from a sampler of their own while nothing is recorded. */
function createFollowers({ host, log, timers, modules, store, settings }: HistoryParts, isRecording: () => boolean) {
  const followers = new Set<HistoryFollower>();
  let watching: Promise<Watching> | null = null;
  const tap: SampleTap = {
    sampled(values) {
      for (const follower of followers) follower.sampled(values);
    },
    happened(event) {
      for (const { kinds, happened } of followers) if (kinds.includes(event.kind)) happened(event);
    },
  };
  /** Starts, replaces or ends the sampler. */
  const watch = () => {
    void watching?.then((ended) => ended.stop());
    watching = null;
    if (isRecording() || followers.size === 0) return;
    watching = import('./live-sampler.ts').then(({ startWatching }) =>
      startWatching({
        host,
        log,
        timers,
        modules,
        store,
        tap,
        followers: [...followers],
        settings: settings.current,
      }),
    );
    watching.catch((error: unknown) => log.error(`history: live sampling could not be started: ${messageOf(error)}`));
  };
  return { followers, tap, watch };
}
