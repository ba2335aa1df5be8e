import type { Clock } from './clock.ts';
import { codeOf } from './errors.ts';

/** What came of a question that may never be answered. */
export type GuardedAnswer<T> =
  | { kind: 'value'; value: T }
  | { kind: 'failed'; code: string }
  /** Asked, and not answered for so long. It is not asked again before that. */
  | { kind: 'silent'; ms: number }
  /** Not asked: all lanes are held by others that do not answer. */
  | { kind: 'behind'; others: string[] };

/** A way to ask, for one question at a time. What cannot be taken back is held until the answer comes. */
export interface Lane<T> {
  ask(key: string): Promise<T>;
  /** Costs something: used only while the others are held by questions that are not answered. */
  spare?: boolean;
}

export interface HangGuard<T> {
  ask(key: string): Promise<GuardedAnswer<T>>;
  /** Hears of answers that came after they were given up; returns the way to stop. */
  onLate(listener: () => void): () => void;
}

/** Less than an answer of the service may take altogether. */
export const hangLimitMs = 1200;
/** From then on others need not wait for their turn behind it. */
const suspiciousMs = 250;
/** A late answer says nothing about now after that. */
const latestMs = 60_000;

interface Question<T> {
  key: string;
  since: number;
  lane: Lane<T> | null;
  waiting: Set<(answer: GuardedAnswer<T>) => void>;
  /** Somebody went away without an answer. */
  givenUp: boolean;
}

/**
 * Asks what may hang in the kernel, where nothing can interrupt it: never longer than a little, and never a second time while
 * the first is open. So each of them holds one lane at most, and the others go on. An answer that comes late is the next one.
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
        // By then those that hold the lanes may have become suspicious.
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
      for (const tell of question.waiting) tell(answer);
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
    const kept = late.get(key);
    late.delete(key);
    return kept === undefined || clock.monotonic() - kept.at > latestMs ? null : kept.answer;
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
      const tell = (answer: GuardedAnswer<T>) => {
        cancel();
        question.waiting.delete(tell);
        resolve(answer);
      };
      const cancel = clock.after(hangLimitMs, () => {
        question.waiting.delete(tell);
        resolve(giveUp(question));
      });
      question.waiting.add(tell);
    });

  return {
    async ask(key) {
      const asked = open.get(key);
      if (asked !== undefined) return age(asked) < hangLimitMs ? wait(asked) : giveUp(asked);
      const known = takeLate(key);
      const question = put(key);
      // Whoever is slow is asked for the next time already.
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
