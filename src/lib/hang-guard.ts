import type { Clock } from './clock.ts';
import { codeOf } from './errors.ts';

/** The result of a request that may never be answered. */
export type GuardedAnswer<T> =
  | { kind: 'value'; value: T }
  | { kind: 'failed'; code: string }
  /** Requested and not answered for this long. There is no second request before the answer. */
  | { kind: 'silent'; ms: number }
  /** Not requested: silent requests hold all lanes. */
  | { kind: 'behind'; others: string[] };

/** Runs one request at a time. A request that cannot be cancelled holds its lane until the answer. */
export interface Lane<T> {
  ask(key: string): Promise<T>;
  /** Costs resources: used only while silent requests hold the other lanes. */
  spare?: boolean;
}

export interface HangGuard<T> {
  ask(key: string): Promise<GuardedAnswer<T>>;
  /** Called for answers that arrive after the limit; returns the function that unsubscribes. */
  onLate(listener: () => void): () => void;
}

/** Below the answer timeout of the service. */
export const hangLimitMs = 1200;
/** After this time other requests use another lane. */
const suspiciousMs = 250;
/** After this time a late answer is outdated. */
const latestMs = 60_000;

interface Question<T> {
  key: string;
  since: number;
  lane: Lane<T> | null;
  waiting: Set<(answer: GuardedAnswer<T>) => void>;
  /** A caller left without an answer. */
  givenUp: boolean;
}

/**
 * Sends requests that may hang in the kernel, where nothing can interrupt them. Callers wait for a limited time, and there is one request
 * for each key at most. Each key holds one lane at most. A late answer is returned by the next call.
 */
export function createHangGuard<T>(clock: Clock, lanes: Lane<T>[]): HangGuard<T> {
  const open = new Map<string, Question<T>>();
  const late = new Map<string, { answer: GuardedAnswer<T>; at: number }>();
  const listeners = new Set<() => void>();
  let cancelRetry = () => {};

  const age = ({ since }: Question<T>) => clock.monotonic() - since;
  const holders = () => [...open.values()].filter(({ lane }) => lane !== null);
  const isFree = (lane: Lane<T>) => holders().every((question) => question.lane !== lane);

  const freeLane = (): Lane<T> | undefined => {
    const plain = lanes.find((lane) => lane.spare !== true && isFree(lane));
    if (plain !== undefined) return plain;
    return holders().every((question) => age(question) >= suspiciousMs)
      ? lanes.find((lane) => lane.spare === true && isFree(lane))
      : undefined;
  };

  const startNext = () => {
    cancelRetry();
    for (const question of open.values()) {
      if (question.lane !== null) continue;
      const lane = freeLane();
      if (lane === undefined) {
        // By then the requests that hold the lanes may count as slow.
        if (lanes.some(isFree)) cancelRetry = clock.after(suspiciousMs, startNext);
        return;
      }
      start(question, lane);
    }
  };

  const start = (question: Question<T>, lane: Lane<T>) => {
    question.lane = lane;
    question.since = clock.monotonic();
    const settle = (answer: GuardedAnswer<T>) => {
      open.delete(question.key);
      if (question.waiting.size === 0) keep(question.key, answer);
      for (const resume of question.waiting) resume(answer);
      startNext();
      if (question.givenUp) for (const listener of listeners) listener();
    };
    lane.ask(question.key).then(
      (value) => settle({ kind: 'value', value }),
      (error) => settle({ kind: 'failed', code: codeOf(error) ?? String(error) }),
    );
  };

  const keep = (key: string, answer: GuardedAnswer<T>) => {
    for (const [other, { at }] of late) if (clock.monotonic() - at > latestMs) late.delete(other);
    late.set(key, { answer, at: clock.monotonic() });
  };

  const takeLate = (key: string): GuardedAnswer<T> | null => {
    const stored = late.get(key);
    late.delete(key);
    return stored === undefined || clock.monotonic() - stored.at > latestMs ? null : stored.answer;
  };

  const put = (key: string): Question<T> => {
    const question: Question<T> = { key, since: clock.monotonic(), lane: null, waiting: new Set(), givenUp: false };
    open.set(key, question);
    startNext();
    return question;
  };

  const giveUp = (question: Question<T>): GuardedAnswer<T> => {
    if (question.lane !== null) {
      question.givenUp = true;
      return { kind: 'silent', ms: age(question) };
    }
    open.delete(question.key);
    return { kind: 'behind', others: holders().map(({ key }) => key) };
  };

  const wait = (question: Question<T>): Promise<GuardedAnswer<T>> =>
    new Promise((resolve) => {
      const resume = (answer: GuardedAnswer<T>) => {
        cancel();
        question.waiting.delete(resume);
        resolve(answer);
      };
      const cancel = clock.after(hangLimitMs, () => {
        question.waiting.delete(resume);
        resolve(giveUp(question));
      });
      question.waiting.add(resume);
    });

  return {
    async ask(key) {
      const asked = open.get(key);
      if (asked !== undefined) return age(asked) < hangLimitMs ? wait(asked) : giveUp(asked);
      const known = takeLate(key);
      const question = put(key);
      // The next request of this slow source is under way.
      if (known !== null) return known;
      const hopeless = question.lane === null && lanes.every((lane) => !isFree(lane)) && holders().every(isGivenUp);
      return hopeless ? giveUp(question) : wait(question);
    },
    onLate(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const isGivenUp = ({ givenUp }: { givenUp: boolean }) => givenUp;
