import type { Clock } from '../lib/clock.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Authenticator } from './authenticator.ts';
import { type Caller, commandLineId } from './caller.ts';

/** How long an action may run for its caller. Its signals are created at first use, because most actions end at once. */
export interface Cancellation {
  /** Aborts with a ServiceError when the connection closes, the call is cancelled, or the token no longer grants what it did. */
  readonly signal: AbortSignal;
  /** The same for orders that are carried out without a waiting client: a closed connection does not abort it. */
  readonly orderSignal: AbortSignal;
  /** The action has finished: nothing aborts any more. */
  end(): void;
}

export interface Asking {
  /** Aborts when the connection closes; created when an action uses it. */
  gone?: (() => AbortSignal) | undefined;
  /** Aborts when this call is cancelled. */
  cancelled?: AbortSignal | undefined;
}

/** Most actions have finished by then, and cost no check of the tokens. */
const firstCheckMs = 100;
/** Revoking is announced at once; expiry is not. */
const checkEveryMs = 1000;

interface Watched {
  caller: Caller;
  revoke(): void;
}

/** One rule for everything that takes time: it ends with the connection and the token that requested it. */
export function createCancellations(
  authenticator: Pick<Authenticator, 'admits' | 'follow'>,
  clock: Pick<Clock, 'after'>,
): (caller: Caller, asking: Asking) => Cancellation {
  const watched = new Set<Watched>();
  let cancelCheck = () => {};
  let stopFollowing: (() => void) | null = null;

  const check = () => {
    for (const one of [...watched]) if (!authenticator.admits(one.caller)) one.revoke();
  };
  const checkRegularly = () => {
    stopFollowing ??= authenticator.follow(check);
    check();
    if (watched.size > 0) cancelCheck = clock.after(checkEveryMs, checkRegularly);
  };
  const watch = (one: Watched) => {
    watched.add(one);
    if (watched.size === 1) cancelCheck = clock.after(firstCheckMs, checkRegularly);
  };
  const unwatch = (one: Watched) => {
    if (!watched.delete(one) || watched.size > 0) return;
    cancelCheck();
    stopFollowing?.();
    stopFollowing = null;
  };

  return (caller, { gone, cancelled }) => {
    const any = new AbortController();
    const order = new AbortController();
    const stops: (() => void)[] = [];
    let isWatched = false;

    const abort = (reason: ServiceError) => {
      any.abort(reason);
      order.abort(reason);
    };
    const follow = (signal: AbortSignal | undefined, aborted: () => void) => {
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted);
      stops.push(() => signal?.removeEventListener('abort', aborted));
    };
    const begin = () => {
      if (isWatched) return;
      isWatched = true;
      follow(cancelled, () => abort(ended('it was cancelled')));
      follow(gone?.(), () => any.abort(ended('the connection of the caller was closed')));
      // Its socket identifies it: there is nothing to revoke.
      if (caller.tokenId === commandLineId) return;
      const one = { caller, revoke: () => abort(ended('the token of the caller was revoked, or lost a scope')) };
      watch(one);
      stops.push(() => unwatch(one));
    };
    return {
      get signal() {
        begin();
        return any.signal;
      },
      get orderSignal() {
        begin();
        return order.signal;
      },
      end() {
        for (const stop of stops.splice(0)) stop();
      },
    };
  };
}

const ended = (why: string) => new ServiceError('failed', `The request was cancelled before it was complete: ${why}`);
