import type { InputRequired } from '@hostler/mcp/input-required.ts';
import type { Answerer, AskUser } from '../../core/agent.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { safeLine } from './calls.sanitise.ts';
import { type AskedOfClient, callDigest, validMs } from './consent.client-prompt.ts';

/** Where consent was given; `client`: in the agent's client, if the settings trust it. */
export type Agreement = 'screen' | 'client' | Answerer['at'];

/** `by`: who answered elsewhere than on the screen. */
export type Decided = { agreed: Agreement; by?: string } | { refused: ServiceError; by?: string };

export type Verdict =
  | Decided
  /** The prompt is open: the same call, made again, waits for its answer. */
  | { pending: ServiceError }
  /** The prompt that the client must show. */
  | { passedOn: InputRequired };

export interface WantedCall extends AskedOfClient {
  /** Whether the client claims to support prompts. */
  canElicit: boolean;
  /** Receives a decision that comes while no call waits for it. */
  unattended(decided: Decided): void;
}

export type PromptedCall = Pick<WantedCall, 'tool' | 'given' | 'prompt' | 'caller'>;

export interface UserPromptParts {
  askUser: AskUser;
  clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Called when the user does not agree, however that shows. */
  refused(tokenId: string): void;
  /** Called when a prompt opens and when it is off the screen. */
  changed(): void;
}

/** How long a call waits for the user. Home Assistant gives up after 10 s. */
export const patienceMs = 5000;
/** An answer that comes while no call waits is kept this long. */
export const keptMs = 60_000;
/** Calls that wait for one prompt. Another one learns at once that it is open. */
const mostWaiting = 4;

interface Prompted {
  digest: string;
  caller: Caller;
  /** Monotonic: the end of the prompt, and then of its answer. */
  until: number;
  waiting: number;
  /** Rejects if the prompt was not shown. */
  decision: Promise<Decided>;
  /** null: not decided. */
  decided: Decided | null;
  withdraw(): void;
}

/**
 * Prompts to the user of this machine. A call waits a short time for the answer, because clients give up after 10 to 60 s. Then the prompt
 * stays open, and the same call, made again with the same token, learns the answer. An approval counts for one call.
 */
export function createUserPrompts({ askUser, clock, refused, changed }: UserPromptParts) {
  const { monotonic, after } = clock;
  /** By token: its prompt, or the answer that it has not used. */
  const known = new Map<string, Prompted>();
  /** The prompt on the screen. One for all: the user must not press Allow for a prompt that was just replaced. */
  let open: Prompted | null = null;

  const find = (wanted: PromptedCall): Prompted | null => {
    for (const [token, { until, waiting }] of known) if (until <= monotonic() && waiting === 0) known.delete(token);
    const prompted = known.get(wanted.caller.tokenId);
    return prompted?.digest === callDigest(wanted) ? prompted : null;
  };

  const show = (wanted: WantedCall): Prompted => {
    const { tool, prompt, caller } = wanted;
    const withdrawn = new AbortController();
    const late = new AbortController();
    const cancel = after(validMs, () => late.abort());
    const limit = AbortSignal.any([withdrawn.signal, late.signal]);
    const answerers: Answerer[] = [];
    const title = safeLine(`${JSON.stringify(caller.tokenName)} asks for ${tool}`);
    const asking = askUser({ title, text: prompt }, limit, (by) => void answerers.push(by)).finally(() => {
      cancel();
      // Only when it is off the screen, however long ago it was withdrawn.
      open = null;
      changed();
    });
    const decide = async (): Promise<Decided> => {
      const answer = await Promise.race([asking, deniedWhen(limit)]);
      const [answerer] = answerers;
      const by = answerer === undefined ? {} : { by: answerer.who };
      if (answer === 'allowed') return { agreed: answerer?.at ?? 'screen', ...by };
      if (withdrawn.signal.aborted) return { refused: withdrawnCall(tool) };
      return { refused: late.signal.aborted ? unanswered(tool) : denied(tool), ...by };
    };
    const prompted: Prompted = {
      digest: callDigest(wanted),
      caller,
      until: monotonic() + validMs,
      waiting: 0,
      decided: null,
      withdraw: () => withdrawn.abort(),
      decision: decide().then(
        (decided) => {
          if ('refused' in decided) refused(caller.tokenId);
          prompted.decided = decided;
          prompted.until = monotonic() + keptMs;
          if (prompted.waiting === 0) wanted.unattended(decided);
          return decided;
        },
        (error: unknown) => {
          forget(prompted);
          throw error;
        },
      ),
    };
    // Another call may have nothing to wait for when it fails.
    prompted.decision.catch(() => {});
    open = prompted;
    known.set(caller.tokenId, prompted);
    changed();
    return prompted;
  };

  const forget = (prompted: Prompted) => {
    const { tokenId } = prompted.caller;
    if (known.get(tokenId) === prompted) known.delete(tokenId);
  };

  /** The answer, once; null: none yet. Throws if a call that waited as well has used it. */
  const use = (prompted: Prompted): Decided | null => {
    if (prompted.decided === null) return null;
    if (known.get(prompted.caller.tokenId) !== prompted) throw usedUp();
    forget(prompted);
    return prompted.decided;
  };

  /** Its cancellation withdraws the prompt only while it waits. */
  const wait = async (prompted: Prompted, { request: { signal }, tool }: WantedCall): Promise<Verdict> => {
    const patience = Promise.withResolvers<null>();
    const cancel = after(patienceMs, () => patience.resolve(null));
    if (signal.aborted) prompted.withdraw();
    signal.addEventListener('abort', prompted.withdraw);
    prompted.waiting++;
    try {
      await Promise.race([prompted.decision, patience.promise]);
      return use(prompted) ?? pendingFor(tool, prompted.until - monotonic());
    } finally {
      prompted.waiting--;
      cancel();
      signal.removeEventListener('abort', prompted.withdraw);
    }
  };

  return {
    /** Throws if another prompt is open. */
    async ask(wanted: WantedCall): Promise<Verdict> {
      const earlier = find(wanted);
      if (earlier !== null && earlier.waiting >= mostWaiting)
        return pendingFor(wanted.tool, earlier.until - monotonic());
      if (earlier !== null) return await wait(earlier, wanted);
      if (open !== null) throw stillAsking(open.caller.tokenId === wanted.caller.tokenId);
      return await wait(show(wanted), wanted);
    },
    /** Whether the user is being asked about this call, or has answered and the answer is not used yet. */
    knows: (wanted: PromptedCall) => find(wanted) !== null,
    /** Withdraws the prompt of a token that is no longer valid. */
    admit(admits: (caller: Caller) => boolean) {
      if (open !== null && !admits(open.caller)) open.withdraw();
    },
    /** Prompts on the screen. */
    count: () => (open === null ? 0 : 1),
    close: () => open?.withdraw(),
  };
}

function deniedWhen(signal: AbortSignal): Promise<'denied'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('denied');
    else signal.addEventListener('abort', () => resolve('denied'), { once: true });
  });
}

export const denied = (tool: string) =>
  new ServiceError('forbidden', `The user did not allow ${tool}. Do not try again unless the user asks for it`);

const withdrawnCall = (tool: string) =>
  new ServiceError('forbidden', `${tool} was withdrawn before the user had answered`);

const places = () =>
  `at the screen of this machine, in its dashboard with the scope admin, or with "${ownCommand('approve')}" on this machine`;

const unanswered = (tool: string) =>
  new ServiceError(
    'forbidden',
    `The user did not answer within ${validMs / 60_000} minutes, so ${tool} is refused. The user can answer ${places()}`,
  );

const pendingFor = (tool: string, ms: number): Verdict => ({
  pending: new ServiceError(
    'conflict',
    `Approval is pending: ${tool} has not run yet, and the user is being asked. The user can answer ${places()}. Call ${tool} again with the same arguments within ${Math.max(1, Math.floor(ms / 1000))} s: it waits for the answer, and runs once if the user allows it`,
  ),
});

const stillAsking = (same: boolean) =>
  new ServiceError(
    'conflict',
    `The user is still being asked about ${same ? 'an earlier call' : 'a call of another agent'}: wait for that answer`,
  );

const usedUp = () =>
  new ServiceError('conflict', 'The user agreed to one call, and the same call, made at the same time, has used it');
