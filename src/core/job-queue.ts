import { ServiceError } from '../lib/errors.ts';

/** Runs long jobs, a few at a time. Equal jobs share one result, and a job without waiting callers is dropped. */
export interface JobQueue<T> {
  /** `work` must check its signal regularly. Throws rate_limited if too many jobs are waiting. */
  run(key: string, asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface Asker {
  tokenId: string;
  /** Aborts when the caller no longer needs the result. */
  signal: AbortSignal;
}

export interface JobLimits {
  atOnce: number;
  /** Running and waiting jobs. */
  inAll: number;
  perCaller: number;
  full: string;
}

interface Job<T> {
  key: string;
  tokenId: string;
  waiters: number;
  stop: AbortController;
  outcome: PromiseWithResolvers<T>;
  work(signal: AbortSignal): Promise<T>;
}

export function createJobQueue<T>({ atOnce, inAll, perCaller, full }: JobLimits): JobQueue<T> {
  const jobs = new Map<string, Job<T>>();
  const line: Job<T>[] = [];
  let working = 0;

  const forget = (job: Job<T>) => {
    if (jobs.get(job.key) === job) jobs.delete(job.key);
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

  const begin = (key: string, tokenId: string, work: Job<T>['work']): Job<T> => {
    const mine = [...jobs.values()].filter((job) => job.tokenId === tokenId).length;
    if (mine >= perCaller || working + line.length >= inAll)
      throw new ServiceError('rate_limited', full, { retryAfterSeconds: 1 });
    const outcome = Promise.withResolvers<T>();
    // All callers may have gone.
    outcome.promise.catch(() => {});
    const job: Job<T> = { key, tokenId, waiters: 0, stop: new AbortController(), outcome, work };
    jobs.set(key, job);
    line.push(job);
    return job;
  };

  const leave = (job: Job<T>, reason: unknown) => {
    job.waiters--;
    if (job.waiters > 0) return;
    // An equal job from now on does not share the end of this one.
    forget(job);
    const waiting = line.indexOf(job);
    if (waiting !== -1) line.splice(waiting, 1);
    job.stop.abort(reason);
  };

  return {
    async run(key, { tokenId, signal }, work) {
      signal.throwIfAborted();
      const job = jobs.get(key) ?? begin(key, tokenId, work);
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
