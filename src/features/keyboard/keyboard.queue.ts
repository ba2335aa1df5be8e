import type { ActionParts } from '../../core/action.ts';
import { onInputStop, refuseInput } from '../../core/input-guard.ts';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';

/** Keys of two callers must not mix, so they take turns; and nobody keeps the keyboard for long. */
export interface KeyboardTurns {
  /** Rejects with rate_limited when too much waits already, and with a ServiceError when it is stopped before or in its turn. */
  take(wanted: WantedTurn, work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** For our own housekeeping, when nobody types. */
  between(work: () => Promise<void>): void;
  /** Stops what is being typed and everything that waits; how many that were. */
  cancel(why: string): number;
  /** Stops everything for good; resolves when nothing is under way. */
  close(): Promise<void>;
}

export interface WantedTurn {
  tokenId: string;
  /** How long it will take at least, ms. */
  takesMs: number;
  /** Of the one who asked. */
  signal: AbortSignal;
}

/** All delays of one request, and of everything that waits for one token, ms. */
export const mostMs = 60_000;
/** Of everything that waits, ms: whoever comes last waits no longer. */
const mostTogetherMs = 120_000;
/** A desktop that is slow to take keys does not get more time than this for one request, ms. */
const mostTurnMs = 300_000;
const mostWaiting = 100;

export function createKeyboardTurns(clock: Clock): KeyboardTurns {
  const stopping = new AbortController();
  const waiting = new Set<WantedTurn>();
  let cancelling = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const waitingMs = (tokenId: string | null) =>
    [...waiting].reduce((sum, one) => sum + (tokenId === null || one.tokenId === tokenId ? one.takesMs : 0), 0);

  const refuse = ({ tokenId, takesMs }: WantedTurn) => {
    if (waiting.size >= mostWaiting) {
      throw new ServiceError('rate_limited', `${mostWaiting} other keys and texts are waiting to be typed; send fewer`);
    }
    if (waitingMs(tokenId) + takesMs > mostMs || waitingMs(null) + takesMs > mostTogetherMs) {
      throw new ServiceError('rate_limited', 'Other texts are being typed; wait for them, or send KEYBOARD_CANCEL');
    }
  };

  const turn = async (signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>) => {
    signal.throwIfAborted();
    const late = new AbortController();
    const cancelLate = clock.after(mostTurnMs, () =>
      late.abort(new ServiceError('failed', 'Typing took longer than 5 minutes; not everything was typed')),
    );
    await work(AbortSignal.any([signal, late.signal])).finally(cancelLate);
  };

  return {
    async take(wanted, work) {
      wanted.signal.throwIfAborted();
      refuse(wanted);
      waiting.add(wanted);
      const signal = AbortSignal.any([wanted.signal, cancelling.signal, stopping.signal]);
      const turned = inTurn(() => turn(signal, work));
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      // One that still waits is told at once; one that is being typed when its keys are up again.
      const isWaiting = () => waiting.values().next().value !== wanted;
      const abortWaiting = () => isWaiting() && abort();
      signal.addEventListener('abort', abortWaiting);
      try {
        await Promise.race([turned, aborted.promise]);
      } finally {
        signal.removeEventListener('abort', abortWaiting);
        turned.catch(() => {});
        waiting.delete(wanted);
      }
    },
    between: (work) => void inTurn(work).catch(() => {}),
    cancel(why) {
      const count = waiting.size;
      const before = cancelling;
      cancelling = new AbortController();
      before.abort(new ServiceError('failed', `${why}; not everything was typed`));
      return count;
    },
    async close() {
      stopping.abort(new ServiceError('failed', 'The service is stopping; not everything was typed'));
      await last;
    },
  };
}

/** Those of a service: whatever stops input stops what waits and what is being typed. */
export function createServiceTurns(parts: ActionParts): KeyboardTurns {
  const turns = createKeyboardTurns(parts.host.clock);
  const unfollow = onInputStop(parts, turns.cancel);
  return {
    ...turns,
    take: (wanted, work) =>
      turns.take(wanted, async (signal) => {
        refuseInput(parts);
        await work(signal);
      }),
    async close() {
      unfollow();
      await turns.close();
    },
  };
}

/** For a text whose delays alone would take longer than that. */
export function tooLongToType(takesMs: number): ServiceError {
  const seconds = Math.round(takesMs / 1000);
  return new ServiceError(
    'invalid',
    `keyboard.text: with this delay the text takes ${seconds} s to type, and at most ${mostMs / 1000} s are accepted; send less at a time, or a shorter delay`,
  );
}
