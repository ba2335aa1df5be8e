import type { Clock } from './clock.ts';
import { codeOf } from './errors.ts';
import { createListeners } from './listeners.ts';

/** The result of a request that may never be answered. */
export type GuardedResult<T> =
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

/** Below the answer timeout of the service. */
export const hangLimitMs = 1200;
/** After this time other requests use another lane. */
const suspiciousMs = 250;
/** After this time a late answer is outdated. */
const latestMs = 60_000;

interface Pending<T> {
  key: string;
  since: number;
  lane: Lane<T> | null;
  waiting: Set<(result: GuardedResult<T>) => void>;
  /** A caller left without an answer. */
  givenUp: boolean;
}

/**
 * Sends requests that may hang in the kernel, where nothing can interrupt them. Callers wait for a limited time, and there is one request
 * for each key at most. Each key holds one lane at most. A late answer is returned by the next call.
 */
export function createHangGuard<T>(clock: Clock, lanes: Lane<T>[]) {
  const open = new Map<string, Pending<T>>();
  const late = new Map<string, { result: GuardedResult<T>; at: number }>();
  const listeners = createListeners();
  let cancelRetry = () => {};

  const age = ({ since }: Pending<T>) => clock.monotonic() - since;
  const holders = () => [...open.values()].filter(({ lane }) => lane !== null);
  const isFree = (lane: Lane<T>) => holders().every((request) => request.lane !== lane);

  const freeLane = (): Lane<T> | undefined => {
    const plain = lanes.find((lane) => lane.spare !== true && isFree(lane));
    if (plain !== undefined) return plain;
    return holders().every((request) => age(request) >= suspiciousMs)
      ? lanes.find((lane) => lane.spare === true && isFree(lane))
      : undefined;
  };

  const startNext = () => {
    cancelRetry();
    for (const request of open.values()) {
      if (request.lane !== null) continue;
      const lane = freeLane();
      if (lane === undefined) {
        // By then the requests that hold the lanes may count as slow.
        if (lanes.some(isFree)) cancelRetry = clock.after(suspiciousMs, startNext);
        return;
      }
      start(request, lane);
    }
  };

  const start = (request: Pending<T>, lane: Lane<T>) => {
    request.lane = lane;
    request.since = clock.monotonic();
    const settle = (result: GuardedResult<T>) => {
      open.delete(request.key);
      if (request.waiting.size === 0) keep(request.key, result);
      for (const resume of request.waiting) resume(result);
      startNext();
      if (request.givenUp) listeners.announce();
    };
    lane.ask(request.key).then(
      (value) => settle({ kind: 'value', value }),
      (error) => settle({ kind: 'failed', code: codeOf(error) ?? String(error) }),
    );
  };

  const keep = (key: string, result: GuardedResult<T>) => {
    for (const [other, { at }] of late) if (clock.monotonic() - at > latestMs) late.delete(other);
    late.set(key, { result, at: clock.monotonic() });
  };

  const takeLate = (key: string): GuardedResult<T> | null => {
    const stored = late.get(key);
    late.delete(key);
    return stored === undefined || clock.monotonic() - stored.at > latestMs ? null : stored.result;
  };

  const put = (key: string): Pending<T> => {
    const request: Pending<T> = { key, since: clock.monotonic(), lane: null, waiting: new Set(), givenUp: false };
    open.set(key, request);
    startNext();
    return request;
  };

  const giveUp = (request: Pending<T>): GuardedResult<T> => {
    if (request.lane !== null) {
      request.givenUp = true;
      return { kind: 'silent', ms: age(request) };
    }
    open.delete(request.key);
    return { kind: 'behind', others: holders().map(({ key }) => key) };
  };

  const wait = (request: Pending<T>): Promise<GuardedResult<T>> =>
    new Promise((resolve) => {
      const resume = (result: GuardedResult<T>) => {
        cancel();
        request.waiting.delete(resume);
        resolve(result);
      };
      const cancel = clock.after(hangLimitMs, () => {
        request.waiting.delete(resume);
        resolve(giveUp(request));
      });
      request.waiting.add(resume);
    });

  return {
    async ask(key: string): Promise<GuardedResult<T>> {
      const asked = open.get(key);
      if (asked !== undefined) return age(asked) < hangLimitMs ? wait(asked) : giveUp(asked);
      const known = takeLate(key);
      const request = put(key);
      // The next request of this slow source is under way.
      if (known !== null) return known;
      const hopeless = request.lane === null && lanes.every((lane) => !isFree(lane)) && holders().every(isGivenUp);
      return hopeless ? giveUp(request) : wait(request);
    },
    /** Called for answers that arrive after the limit; returns the function that unsubscribes. */
    onLate: listeners.add,
  };
}

const isGivenUp = ({ givenUp }: { givenUp: boolean }) => givenUp;
