import type { Clock } from '../lib/clock.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Gate } from './authenticator.ts';
import { type Caller, tokenlessIds } from './caller.ts';

/** How long an action may go on for the one who asked. Its signals are made when they are first looked at: most actions end at once. */
export interface Permit {
  /** Aborts with a ServiceError when the connection closes, the call is cancelled, or the token is no longer good for what it was. */
  readonly signal: AbortSignal;
  /** The same for orders that are carried out even if nobody waits for the answer: a closed connection does not abort it. */
  readonly orderSignal: AbortSignal;
  /** The action is done: nothing aborts any more. */
  end(): void;
}

/** What a transport knows about the one who asked. */
export interface Asking {
  /** Aborts when the connection closes; made when an action wants to know. */
  gone?: (() => AbortSignal) | undefined;
  /** Aborts when this very call is taken back. */
  cancelled?: AbortSignal | undefined;
}

/** Most actions are over by then, and cost no look at the tokens. */
const firstLookMs = 100;
/** Revoking is announced at once; that a token expires is not. */
const lookEveryMs = 1000;

interface Watched {
  caller: Caller;
  revoke(): void;
}

/** One rule for everything that takes time: it ends with the connection that asked for it and with the token it was asked with. */
export function createPermits(
  gate: Pick<Gate, 'admits' | 'follow'>,
  clock: Pick<Clock, 'after'>,
): (caller: Caller, asking: Asking) => Permit {
  const watched = new Set<Watched>();
  let cancelLook = () => {};
  let stopFollowing: (() => void) | null = null;

  const check = () => {
    for (const one of [...watched]) if (!gate.admits(one.caller)) one.revoke();
  };
  const look = () => {
    stopFollowing ??= gate.follow(check);
    check();
    if (watched.size > 0) cancelLook = clock.after(lookEveryMs, look);
  };
  const watch = (one: Watched) => {
    watched.add(one);
    if (watched.size === 1) cancelLook = clock.after(firstLookMs, look);
  };
  const unwatch = (one: Watched) => {
    if (!watched.delete(one) || watched.size > 0) return;
    cancelLook();
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
      follow(gone?.(), () => any.abort(ended('the connection that asked for it was closed')));
      // The command line proves who it is by its socket, the broker by its connection.
      if (tokenlessIds.has(caller.tokenId)) return;
      const one = { caller, revoke: () => abort(ended('the token that asked for it was revoked, or may do less')) };
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

const ended = (why: string) => new ServiceError('failed', `This was stopped before it was done: ${why}`);
