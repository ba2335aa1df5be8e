import { ServiceError } from '../lib/errors.ts';

/** Work that takes a while, a few at a time. Equal questions share one answer, and what nobody waits for any more is dropped. */
export interface Turns<T> {
  /** `work` is to look at its signal now and then. Throws rate_limited where too much waits already. */
  run(question: string, asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface Asker {
  /** Whose budget it is. */
  tokenId: string;
  /** Aborts when the answer is wanted no more. */
  signal: AbortSignal;
}

export interface TurnLimits {
  atOnce: number;
  /** Those at work and those that wait. */
  inAll: number;
  perCaller: number;
  /** The refusal, as a sentence. */
  full: string;
}

interface Job<T> {
  question: string;
  tokenId: string;
  waiters: number;
  stop: AbortController;
  outcome: PromiseWithResolvers<T>;
  work(signal: AbortSignal): Promise<T>;
}

export function createTurns<T>({ atOnce, inAll, perCaller, full }: TurnLimits): Turns<T> {
  const jobs = new Map<string, Job<T>>();
  const line: Job<T>[] = [];
  let working = 0;

  const forget = (job: Job<T>) => {
    if (jobs.get(job.question) === job) jobs.delete(job.question);
  };

  const next = () => {
    while (working < atOnce) {
      const job = line.shift();
      if (job === undefined) return;
      if (!job.stop.signal.aborted) void start(job);
    }
  };

  const start = async (job: Job<T>) => {
    working++;
    try {
      job.outcome.resolve(await job.work(job.stop.signal));
    } catch (error) {
      job.outcome.reject(error);
    } finally {
      working--;
      forget(job);
      next();
    }
  };

  const begin = (question: string, tokenId: string, work: Job<T>['work']): Job<T> => {
    const mine = [...jobs.values()].filter((job) => job.tokenId === tokenId).length;
    if (mine >= perCaller || working + line.length >= inAll)
      throw new ServiceError('rate_limited', full, { retryAfterSeconds: 1 });
    const outcome = Promise.withResolvers<T>();
    // Nobody may be left to hear of it.
    outcome.promise.catch(() => {});
    const job: Job<T> = { question, tokenId, waiters: 0, stop: new AbortController(), outcome, work };
    jobs.set(question, job);
    line.push(job);
    return job;
  };

  const leave = (job: Job<T>, reason: unknown) => {
    job.waiters--;
    if (job.waiters > 0) return;
    // Whoever asks the same from now on does not get the end of this one.
    forget(job);
    const waiting = line.indexOf(job);
    if (waiting !== -1) line.splice(waiting, 1);
    job.stop.abort(reason);
  };

  return {
    async run(question, { tokenId, signal }, work) {
      signal.throwIfAborted();
      const job = jobs.get(question) ?? begin(question, tokenId, work);
      job.waiters++;
      const gone = Promise.withResolvers<never>();
      const left = () => {
        leave(job, signal.reason);
        gone.reject(signal.reason);
      };
      signal.addEventListener('abort', left, { once: true });
      next();
      try {
        return await Promise.race([job.outcome.promise, gone.promise]);
      } finally {
        signal.removeEventListener('abort', left);
      }
    },
  };
}
