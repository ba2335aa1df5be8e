import type { Clock } from '../../lib/clock.ts';
import { randomBytes } from '../../lib/digest.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { createListeners } from '../../lib/listeners.ts';
import type { Log } from '../../lib/log.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { Answerer, AskOnScreen, AskUser, UserDecision, UserPrompt } from '../agent.ts';
import { createPromptQueue, type PromptQueue } from './prompt-queue.ts';

/** The prompt that is open now. It is shown on the screen, and can be answered in the dashboard and on the command line as well. */
export interface OpenPrompts extends PromptQueue {
  /** null: no prompt is open. */
  current(): OpenPrompt | null;
  /** How many prompts have opened so far. */
  opened(): number;
  /** Throws not_found unless this prompt is open, and conflict for anything but a denial in its first second. */
  answer(id: string, decision: UserDecision, by: Answerer): void;
  /** Shows it on the screen once more if it is still open. It then counts as unread again there. */
  showAgain(number: number): void;
  /** Called when a prompt opens and when it closes. Returns the function that stops it. */
  onChange(changed: () => void): () => void;
}

export interface OpenPrompt extends UserPrompt {
  /** A number that no other prompt of this process has. */
  number: number;
  /** Random: an answer to a prompt of an earlier process counts for no prompt of this one. */
  id: string;
  /** Unix milliseconds. */
  opened: number;
}

/** An Allow within this time was meant for something else that was there before. */
export const unreadMs = 1000;

interface Asking {
  prompt: OpenPrompt;
  /** Monotonic. */
  since: number;
  takeDown(): void;
  /** null: it is answered. */
  settle: ((decision: UserDecision, by: Answerer) => void) | null;
}

export function createOpenPrompts(
  askOnScreen: AskOnScreen,
  { clock, log }: { clock: Pick<Clock, 'now' | 'monotonic'>; log: Pick<Log, 'info'> },
): OpenPrompts {
  const listeners = createListeners();
  let last = 0;
  let open: Asking | null = null;
  const set = (next: typeof open) => {
    open = next;
    listeners.announce();
  };

  /** null: it was closed to be shown again. An answer given before that counts. */
  const askOnce = async (asking: Asking, signal: AbortSignal, takenDown: AbortSignal) => {
    let isAnswered = false;
    const answer = await askOnScreen(asking.prompt, AbortSignal.any([signal, takenDown]), () => {
      isAnswered = true;
      // Taking it down may last: an answer elsewhere must not replace this one.
      asking.settle = null;
    });
    return answer === 'denied' && takenDown.aborted && !signal.aborted && !isAnswered ? null : answer;
  };
  const atScreen = async (asking: Asking, signal: AbortSignal): Promise<UserDecision> => {
    for (;;) {
      const taken = new AbortController();
      asking.takeDown = () => taken.abort();
      const answer = await askOnce(asking, signal, taken.signal);
      if (answer !== null) return answer;
    }
  };

  /** The first answer counts, wherever it was given. Without a screen the prompt stays open for the others. */
  const ask: AskUser = async (prompt, signal, answered) => {
    const elsewhere = Promise.withResolvers<UserDecision>();
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    const quoted = JSON.stringify(prompt.title);
    last++;
    const asking: Asking = {
      prompt: { ...prompt, number: last, id: randomBytes(4).toString('hex'), opened: clock.now() },
      since: clock.monotonic(),
      takeDown() {},
      settle(decision, by) {
        asking.settle = null;
        answered?.(by);
        log.info(`prompts: ${quoted} was ${decision === 'denied' ? 'denied' : 'allowed'} by ${by.who}`);
        elsewhere.resolve(decision);
      },
    };
    const shown = atScreen(asking, ended).catch((error: unknown) => {
      const how = `Answer it in the dashboard, or with "${ownCommand('approve')}"`;
      if (!ended.aborted) log.info(`prompts: ${quoted} is not on the screen: ${messageOf(error)}. ${how}`);
      return elsewhere.promise;
    });
    ended.addEventListener('abort', () => elsewhere.resolve('denied'));
    if (ended.aborted) elsewhere.resolve('denied');
    set(asking);
    try {
      return await Promise.race([shown, elsewhere.promise]);
    } finally {
      asking.settle = null;
      over.abort();
      // Open until it is off the screen.
      await shown;
      set(null);
    }
  };
  return {
    ...createPromptQueue(ask),
    current: () => open?.prompt ?? null,
    opened: () => last,
    answer(id, decision, by) {
      if (open?.prompt.id !== id || open.settle === null) throw notOpen();
      if (decision !== 'denied' && clock.monotonic() - open.since < unreadMs) throw unread();
      open.settle(decision, by);
    },
    showAgain(number) {
      if (open?.prompt.number === number) open.takeDown();
    },
    onChange: listeners.add,
  };
}

const notOpen = () =>
  new ServiceError('not_found', 'This permission prompt is not open: it was answered, was withdrawn or has expired');

const unread = () =>
  new ServiceError(
    'conflict',
    'The answer came within a second of the prompt and did not count. Read the prompt and answer again',
  );
