import { ServiceError } from '../../lib/errors.ts';
import type { AskUser } from '../agent.ts';

export interface PromptQueue {
  /**
   * One prompt at a time, whatever it is for: a user who reads one must not press Allow for another. A second one is refused, and the first counts
   * as open until it is closed. Only a prompt that yields is closed for another.
   */
  ask: AskUser;
  /** For input: closes a prompt that yields, and refuses others that do until the returned function is called. */
  holdOff(): Promise<() => void>;
}

interface Turn {
  yields: boolean;
  withdrawn: AbortController;
  over: PromiseWithResolvers<void>;
}

export function createPromptQueue(askUser: AskUser): PromptQueue {
  let current: Turn | null = null;
  let holds = 0;
  const withdraw = async (turn: Turn) => {
    turn.withdrawn.abort();
    await turn.over.promise;
  };
  return {
    async ask(prompt, signal, answered) {
      const before = current;
      const { yields = false } = prompt;
      if (before !== null && (yields || !before.yields)) throw anotherPrompt();
      if (yields && holds > 0) throw notNow();
      const mine: Turn = { yields, withdrawn: new AbortController(), over: Promise.withResolvers() };
      current = mine;
      try {
        if (before !== null) await withdraw(before);
        const decision = await askUser(prompt, AbortSignal.any([signal, mine.withdrawn.signal]), answered);
        if (decision === 'denied' && mine.withdrawn.signal.aborted) throw withdrawn();
        return decision;
      } finally {
        if (current === mine) current = null;
        mine.over.resolve();
      }
    },
    async holdOff() {
      holds++;
      if (current?.yields) await withdraw(current);
      return () => void holds--;
    },
  };
}

const anotherPrompt = () =>
  new ServiceError('conflict', 'Another permission prompt is open: wait until the user has answered it');

const notNow = () =>
  new ServiceError('conflict', 'A client with a token is using the screen. Send the request again in a moment');

const withdrawn = () =>
  new ServiceError('failed', 'The permission prompt was closed, because a client with a token needed the screen');
