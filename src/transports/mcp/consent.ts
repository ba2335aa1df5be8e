import type { InputRequired } from '@hostler/mcp/input-required.ts';
import type { Answerer, AskUser } from '../../core/agent.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { createPauses, type Paces, type Pauses } from '../../lib/prompt-backoff.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { safeLine } from './calls.sanitise.ts';
import { type AskedOfClient, type ClientPrompts, createClientPrompts, validMs } from './consent.client-prompt.ts';

/** The user's consent. The agent's claim is never enough, nor is that of its client unless the settings trust it. */
export interface Consent {
  /** Throws without a decision: a prompt is already shown, or there were too many. */
  ask(wanted: WantedCall): Promise<Verdict>;
  /** The content of a prompt's state that a client returned. Throws if it was not given out for this method and caller. */
  open: ClientPrompts['open'];
}

/** Where consent was given; `client`: in the agent's client, if the settings trust it. */
export type Agreement = 'screen' | 'client' | Answerer['at'];

/** `by`: who answered elsewhere than on the screen. */
export type Verdict =
  | { agreed: Agreement; by?: string }
  | { refused: ServiceError; by?: string }
  /** The prompt that the client must show. */
  | { passedOn: InputRequired };

export interface WantedCall extends AskedOfClient {
  /** Whether the client claims to support prompts. */
  canElicit: boolean;
}

export interface ConsentParts {
  askUser: AskUser;
  settings(): Settings;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
}

/** What a notification has room for: characters and lines. The dashboard and the command line show the same text. */
export const promptRoom = { characters: 500, lines: 6 };

/** The sanitised text of a prompt. Throws where it does not fit whole: the user must not agree to a value that is not shown. */
export function promptText(tool: string, prompt: string): string {
  const { characters, lines } = promptRoom;
  const given = prompt.split('\n');
  const text = prompt.length > characters ? prompt : given.map((line) => safeLine(line)).join('\n');
  if (text.length <= characters && given.length <= lines) return text;
  throw new ServiceError(
    'too_large',
    `The user has to agree to ${tool} and cannot be shown all of it: a prompt holds ${characters} characters in ${lines} lines, and this one needs ${text.length} in ${given.length}. Use shorter values`,
  );
}

export function createConsent({ askUser, settings, monotonic, after }: ConsentParts): Consent {
  const pauses = createPromptPauses(monotonic);
  const ofClient = createClientPrompts(monotonic);
  /** The token whose prompt is open. One for all: the user must not press Allow for a prompt that was just replaced. */
  let asked: string | null = null;

  const ofUser = async ({ tool, prompt, caller, request }: WantedCall): Promise<Verdict> => {
    if (asked !== null) throw stillAsking(asked === caller.tokenId);
    asked = caller.tokenId;
    const title = safeLine(`${JSON.stringify(caller.tokenName)} asks for ${tool}`);
    const late = new AbortController();
    const cancel = after(validMs, () => late.abort());
    const limit = AbortSignal.any([request.signal, late.signal]);
    const answerers: Answerer[] = [];
    const asking = askUser({ title, text: prompt }, limit, (by) => void answerers.push(by)).finally(() => {
      cancel();
      // Only when it is off the screen, however long ago its caller disconnected.
      asked = null;
    });
    // Throws if the prompt of another token, or of a device, is open.
    const answer = await Promise.race([asking, deniedWhen(limit)]);
    const [answerer] = answerers;
    const by = answerer === undefined ? {} : { by: answerer.who };
    if (answer === 'allowed') return { agreed: answerer?.at ?? 'screen', ...by };
    if (request.signal.aborted) return { refused: withdrawn(tool) };
    return { refused: limit.aborted ? unanswered(tool) : denied(tool), ...by };
  };

  const decide = async (wanted: WantedCall): Promise<Verdict> => {
    const answer = ofClient.answer(wanted);
    if (answer === false) return { refused: denied(wanted.tool) };
    const trusted = settings().mcp.trustClientConfirmation;
    if (answer === true && trusted) return { agreed: 'client' };
    const wait = pauses.refuse(wanted.caller.tokenId);
    if (wait !== null) throw tooSoon(wait);
    // If the setting was revoked meanwhile, the client's answer does not count.
    if (answer === null && trusted && wanted.canElicit) return { passedOn: ofClient.passOn(wanted) };
    return await ofUser(wanted);
  };

  return {
    open: ofClient.open,
    async ask(wanted) {
      const verdict = await decide(wanted);
      if ('refused' in verdict) pauses.note(wanted.caller.tokenId);
      return verdict;
    },
  };
}

const denied = (tool: string) =>
  new ServiceError('forbidden', `The user did not allow ${tool}. Do not try again unless the user asks for it`);

const withdrawn = (tool: string) => new ServiceError('forbidden', `${tool} was withdrawn before the user had answered`);

const unanswered = (tool: string) =>
  new ServiceError(
    'forbidden',
    `The user did not answer within ${validMs / 60_000} minutes, so ${tool} is refused. The user can answer at the screen of this machine, in its dashboard with the scope admin, or with "${ownCommand('approve')}" on this machine`,
  );

const stillAsking = (same: boolean) =>
  new ServiceError(
    'conflict',
    `The user is still being asked about ${same ? 'an earlier call' : 'a call of another agent'}: wait for that answer`,
  );

const tooSoon = (seconds: number) =>
  new ServiceError(
    'rate_limited',
    'The user was asked before and did not agree. The pause before the next prompt grows each time.',
    { retryAfterSeconds: seconds },
  );

function deniedWhen(signal: AbortSignal): Promise<'denied'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('denied');
    else signal.addEventListener('abort', () => resolve('denied'), { once: true });
  });
}

/** Pauses between the prompts of agents, per token. */
const paces: Paces = {
  /** 10, 20, 40 s … 15 minutes: one prompt in 8 s, ten in the first hour, four in each hour after that. */
  perAsker: { free: 0, firstMs: 10_000, mostMs: 15 * 60_000, forgiveMs: 10 * 60_000 },
  /** Low enough that one token alone hardly ever blocks the others. */
  overall: { free: 3, firstMs: 10_000, mostMs: 5 * 60_000, forgiveMs: 60_000 },
  /** There are at most a hundred tokens. */
  most: 1024,
};

export const createPromptPauses = (monotonic: () => number): Pauses => createPauses(paces, monotonic);
