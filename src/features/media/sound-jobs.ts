import type { ActionContext, ActionParts } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { refuseWhilePaused } from '../../core/control-pause.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { createSparingLines } from '../../lib/rate-limited-log.ts';

export type SoundJobs = ReturnType<typeof createSoundJobs>;

type JobContext = Pick<ActionContext, 'caller' | 'admits' | 'onTokensChange'>;

interface Job {
  share: string;
  isAdmitted(): boolean;
  ending: AbortController;
}

const mostPerToken = 4;
const mostOfAll = 16;
/** The expiry of a token is not announced. */
const checkEveryMs = 60_000;
/** Failures in the log, per minute. */
const mostFailures = 5;

/** Work that outlives its request, one at a time. It ends with its token, when control is paused, and with the service. */
export function createSoundJobs({ host: { clock }, log, controlPause }: ActionParts, what: string) {
  const jobs = new Set<Job>();
  const failures = createSparingLines(clock, {
    most: mostFailures,
    write: log.warn,
    more: (count) => `${what} failed ${count} more times in this minute`,
  });
  let last: Promise<void> = Promise.resolve();
  let stopTokens: (() => void) | null = null;
  let cancelCheck = () => {};
  let isClosed = false;

  const end = (ended: readonly Job[], why = `${what} was ended`): number => {
    for (const job of ended) {
      jobs.delete(job);
      job.ending.abort(new ServiceError('conflict', why));
    }
    if (jobs.size === 0) {
      cancelCheck();
      stopTokens?.();
      stopTokens = null;
    }
    return ended.length;
  };
  const endRevoked = () => void end([...jobs].filter((job) => !job.isAdmitted()));
  const checkRegularly = () => {
    endRevoked();
    cancelCheck();
    if (jobs.size > 0) cancelCheck = clock.after(checkEveryMs, checkRegularly);
  };

  const stopPauses = controlPause.onChange(() => {
    if (controlPause.current() !== null) end([...jobs], `Control was paused: ${what.toLowerCase()} was ended`);
  });

  return {
    /** Throws rate_limited when there are too many. `done` rejects with the error of the work. */
    add(work: (signal: AbortSignal) => Promise<void>, { caller, admits, onTokensChange }: JobContext) {
      const share = shareIdOf(caller);
      const ahead = jobs.size;
      if (isClosed) throw new ServiceError('failed', 'The service is ending');
      refuseWhilePaused(controlPause, { effect: 'disrupt' });
      if (ahead >= mostOfAll || [...jobs].filter((job) => job.share === share).length >= mostPerToken)
        throw new ServiceError('rate_limited', `${what}: too many are waiting; try again when one has ended`, {
          retryAfterSeconds: 10,
        });
      const ending = new AbortController();
      const { tokenId } = caller;
      const job: Job = { share, ending, isAdmitted: () => admits({ tokenId, scopes: new Set(['media'] as const) }) };
      jobs.add(job);
      stopTokens ??= onTokensChange(endRevoked);
      if (ahead === 0) checkRegularly();
      const done = last.then(async () => {
        ending.signal.throwIfAborted();
        await work(ending.signal);
      });
      last = done
        .catch((error) => {
          if (!ending.signal.aborted) failures.say(() => `${what} failed: ${messageOf(error)}`);
        })
        .finally(() => {
          if (jobs.has(job)) end([job]);
        });
      return { ahead, done };
    },
    /** Ends all; returns how many. */
    end: () => end([...jobs]),
    close() {
      isClosed = true;
      stopPauses();
      end([...jobs]);
      failures.close();
    },
  };
}
