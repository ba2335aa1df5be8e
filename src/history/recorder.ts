import type { History, HistoryEvent } from '../core/readings/history.ts';
import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { SampleBlock } from './block.ts';
import type { SampleSink } from './buffer.ts';
import { createBuffer } from './buffer.ts';
import type { Journal } from './journal.ts';
import type { Samplers } from './samplers.ts';

/** Samples the machine periodically and records the values. */
export interface Recorder extends Pick<History, 'note'> {
  /** Samples that are not in the journal yet. */
  unwritten(): SampleBlock[];
  intervalMs(): number;
  reschedule(): void;
  stop(): void;
}

export interface RecorderParts {
  host: Pick<Host, 'clock' | 'environment'>;
  log: Log;
  timers: SharedTimers;
  settings(): Settings['history'];
  journal: Journal;
  loadSamplers(): Promise<Samplers>;
  /** The journal is due: moves it to the database. */
  takeIn(): Promise<void>;
  /** Receives the samples; null: there are no followers. */
  tap?(): SampleTap | null;
}

export interface SampleTap {
  sampled(values: ReadonlyMap<string, number | null>): void;
  happened(event: HistoryEvent): void;
}

const writeEveryMs = 5 * 60_000;
/** A smaller correction of the wall clock is ignored. */
const jumpMs = 2000;
/** Uptime has whole seconds on some systems. */
const sleptMs = 3000;
/** Blocks of an hour that could not be written. */
const maxUnwritten = 12;

export function createRecorder({ host, log, timers, settings, journal, ...parts }: RecorderParts): Recorder {
  const { clock } = host;
  const buffer = createBuffer();
  const writer = createBlockWriter(journal, log);
  const jumpSince = createJumpDetector(host);
  let loading: Promise<Samplers> | null = null;
  let samplers: Samplers | null = null;
  let onBattery = false;
  let stopped = false;
  /** Samples that wait for slow values. */
  let sampling = 0;
  let isMoving = false;
  let cancel = () => {};
  let writtenAt = clock.monotonic();

  const intervalMs = () => 1000 * (onBattery ? settings().batteryInterval : settings().interval);

  const schedule = () => {
    cancel();
    if (!stopped) cancel = timers.next(intervalMs(), () => void sample());
  };

  const note = (kind: string, text: string, at = clock.now()) => {
    const event = { at, kind, text };
    buffer.event(event);
    parts.tap?.()?.happened(event);
  };

  /** The machine slept or its clock was set. The next samples are no continuation. */
  const noticeJump = () => {
    const { slept, jumped, before } = jumpSince();
    if (slept >= sleptMs) {
      note('sleep', 'The machine went to sleep', before);
      note('wake', `The machine woke up after ${durationOf(slept)}`);
    } else if (Math.abs(jumped) >= jumpMs) {
      note('clock', `The clock was set ${jumped > 0 ? 'forward' : 'back'} by ${durationOf(Math.abs(jumped))}`);
    } else return;
    samplers?.forgetCounts();
    write();
  };

  const write = () => {
    writtenAt = clock.monotonic();
    writer.write(buffer.isEmpty() ? null : buffer.take(intervalMs()));
  };

  /** A journal that takes long to move, as on a busy disk, must not delay samples. */
  const writeIfDue = async () => {
    if (clock.monotonic() - writtenAt < writeEveryMs - 1000) return;
    write();
    if (isMoving || !journal.isLong()) return;
    isMoving = true;
    try {
      await parts.takeIn();
    } finally {
      isMoving = false;
    }
  };

  const load = async (): Promise<Samplers> => {
    loading ??= parts.loadSamplers();
    try {
      samplers = await loading;
      return samplers;
    } catch (error) {
      loading = null;
      throw error;
    }
  };

  /** The next sample is due at its time, however long this one takes. */
  const sample = async () => {
    schedule();
    sampling += 1;
    const wasOnBattery = onBattery;
    try {
      noticeJump();
      const loaded = samplers ?? (await load());
      if (!stopped) onBattery = await sampleInto(loaded, buffer, parts.tap?.() ?? null);
    } catch (error) {
      log.error('history: a sample failed', error);
    } finally {
      sampling -= 1;
      if (stopped && sampling === 0) samplers?.close();
    }
    if (stopped) return;
    if (wasOnBattery !== onBattery) schedule();
    await writeIfDue().catch((error: unknown) => log.error('history: the journal could not be moved', error));
  };

  note('start', 'Hostler was started');
  schedule();
  return {
    note,
    intervalMs,
    reschedule: schedule,
    unwritten: () => (buffer.isEmpty() ? writer.waiting() : [...writer.waiting(), buffer.peek(intervalMs())]),
    stop() {
      if (stopped) return;
      note('stop', 'Hostler was stopped');
      stopped = true;
      cancel();
      write();
      if (sampling === 0) samplers?.close();
    },
  };
}

/** Blocks that cannot be written are retained and tried again with the next one. */
function createBlockWriter(journal: Journal, log: Log) {
  let waiting: SampleBlock[] = [];
  let complained = false;
  return {
    waiting: () => waiting,
    write(next: SampleBlock | null): void {
      if (next !== null) waiting = [...waiting, next].slice(-maxUnwritten);
      try {
        for (let block = waiting[0]; block !== undefined; block = waiting[0]) {
          journal.add(block);
          waiting.shift();
        }
        if (complained) log.info('history: the files can be written again');
        complained = false;
      } catch (error) {
        if (!complained)
          log.warn(
            `history: the files cannot be written: ${messageOf(error)}. The service continues without a history`,
          );
        complained = true;
      }
    },
  };
}

/** How far the clocks moved apart since the previous call, ms; `before`: its time. */
function createJumpDetector({ clock, environment }: RecorderParts['host']) {
  const read = () => ({ now: clock.now(), monotonic: clock.monotonic(), uptimeMs: environment.uptime() * 1000 });
  let last = read();
  return () => {
    const [before, now] = [last, read()];
    const passed = now.monotonic - before.monotonic;
    last = now;
    return {
      before: before.now,
      jumped: now.now - before.now - passed,
      slept: now.uptimeMs - before.uptimeMs - passed,
    };
  };
}

/** Passes the samples to the followers as well. */
export async function sampleInto(samplers: Samplers, buffer: SampleSink, tap: SampleTap | null): Promise<boolean> {
  if (tap === null) return await samplers.sample(buffer);
  const values = new Map<string, number | null>();
  const onBattery = await samplers.sample({
    ...buffer,
    set(series, value) {
      values.set(series, value);
      buffer.set(series, value);
    },
    event(event) {
      buffer.event(event);
      tap.happened(event);
    },
  });
  tap.sampled(values);
  return onBattery;
}

function durationOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}
