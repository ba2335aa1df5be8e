import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { type Batch, createWaiting } from './batch-queue.ts';
import { waitMs } from './retry.ts';
import type { SendBatch, SendOutcome } from './send.ts';

/** Status for users. */
export interface OtlpReport {
  /** The collector's address, without secrets. */
  address: string;
  /** Unix milliseconds; null: nothing was accepted yet. */
  last_sent: number | null;
  /** null: no error, or no attempt yet. */
  problem: string | null;
  /** Batches that wait to be sent. */
  waiting: number;
  /** Batches that were lost: refused, or dropped from a full queue. */
  lost: number;
}

export interface OtlpPush {
  report(): OtlpReport;
  stop(): void;
}

export interface PushParts {
  /** The current metrics, encoded. */
  collect(): Promise<Batch>;
  send: SendBatch;
  address: string;
  intervalMs: number;
  clock: Clock;
  log: Log;
  /** 0 to 1. */
  random(): number;
}

/** Spreads the first request of machines that start together. */
const firstWithinMs = 10_000;
const saidAgainMs = 10 * 60_000;

/** Collects at an interval and sends in the order of collection: one request at a time, a failed batch first. */
export function startPush({ collect, send, address, intervalMs, clock, log, random }: PushParts): OtlpPush {
  const waiting = createWaiting();
  const ending = new AbortController();
  let cancelNext = () => {};
  let cancelRetry: (() => void) | null = null;
  let isCollecting = false;
  let isSending = false;
  let failures = 0;
  let refused = 0;
  let lastSent: number | null = null;
  let problem: string | null = null;
  let saidAt = 0;
  let saidPartly = false;

  /** Logs a problem when it begins, and at intervals when it changes; not at every attempt. */
  const trouble = (sentence: string, consequence: string) => {
    const isAnother = problem !== null && kindOf(problem) !== kindOf(sentence);
    if (problem === null || (isAnother && clock.monotonic() - saidAt > saidAgainMs)) {
      log.warn(`otlp: nothing could be sent to ${address}: ${sentence}. ${consequence}`);
      saidAt = clock.monotonic();
    }
    problem = sentence;
  };

  const settle = (batch: Batch, outcome: SendOutcome): boolean => {
    if (outcome.kind === 'later') {
      failures += 1;
      trouble(outcome.problem, 'Hostler retries and queues the batches');
      const pause = waitMs(failures, outcome.askedForMs, random());
      cancelRetry = clock.after(pause, () => {
        cancelRetry = null;
        void flush();
      });
      return false;
    }
    failures = 0;
    waiting.remove(batch);
    if (outcome.kind === 'refused') {
      refused += 1;
      trouble(outcome.problem, 'The rejected batch is lost; later batches are still sent');
      return true;
    }
    if (problem !== null)
      log.info(`otlp: ${address} accepts metrics again; ${refused + waiting.givenUp()} batches were lost so far`);
    problem = null;
    lastSent = clock.now();
    if (outcome.partial !== null && !saidPartly) {
      saidPartly = true;
      const { rejected, message } = outcome.partial;
      log.warn(`otlp: ${address} rejected ${rejected} of ${batch.points} data points: ${message}. This is logged once`);
    }
    return true;
  };

  const flush = async () => {
    // New batches wait for Retry-After as well.
    if (isSending || cancelRetry !== null) return;
    isSending = true;
    try {
      for (let batch = waiting.first(); batch !== null; batch = waiting.first()) {
        const outcome = await send(batch, ending.signal);
        if (ending.signal.aborted || !settle(batch, outcome)) return;
      }
    } finally {
      isSending = false;
    }
  };

  const collectNow = async () => {
    if (isCollecting) return;
    isCollecting = true;
    try {
      waiting.add(await collect());
      if (!ending.signal.aborted) void flush();
    } catch (error) {
      log.warn(`otlp: the metrics could not be collected: ${messageOf(error)}`);
    } finally {
      isCollecting = false;
    }
  };

  const schedule = (ms: number) => {
    cancelNext = clock.after(ms, () => {
      schedule(intervalMs);
      void collectNow();
    });
  };
  schedule(random() * Math.min(firstWithinMs, intervalMs));

  return {
    report: () => ({
      address,
      last_sent: lastSent,
      problem,
      waiting: waiting.count(),
      lost: refused + waiting.givenUp(),
    }),
    stop() {
      cancelNext();
      cancelRetry?.();
      ending.abort();
    },
  };
}

/** Without the server's message, which may differ every time. */
const kindOf = (problem: string) => problem.replace(/ \(.*$/s, '');
