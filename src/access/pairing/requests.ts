import type { Answerer, AskUser, UserPrompt } from '../../core/agent.ts';
import type { Connection } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSame, randomBytes, sha256 } from '../../lib/digest.ts';
import { codeOf, messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { digitsOf, inGroups, type Transcript } from '../../lib/pairing/pairing-crypto.ts';
import { createPauses } from '../../lib/prompt-backoff.ts';
import { budgets, networkOf } from '../limits/budgets.ts';
import type { Scopes } from '../scopes.ts';
import type { GrantWish } from './grants.ts';
import { toUserPrompt, whereabouts } from './prompt.ts';
import { promptIsOpen, tooSoon, unanswered, unknownRequest } from './refusals.ts';

/** How the client identifies itself when it polls, and the key that encrypts the grant. */
export interface Proofs {
  claim: string;
  deliveryKey: Uint8Array<ArrayBuffer> | null;
  /** null: no keys were agreed on. */
  transcript: Transcript | null;
}

export type PairOutcome =
  | { state: 'waiting' }
  | { state: 'refused'; reason: string }
  | { state: 'allowed'; wish: GrantWish; how: string; deliveryKey: Proofs['deliveryKey'] };

/** The open prompt, and the outcomes that wait to be fetched. */
export interface PairRequests {
  /** `prove` is called after the cheap checks. */
  ask(wish: Omit<GrantWish, 'address'>, connection: Connection, prove: () => Promise<Proofs>): Promise<Asked>;
  /**
   * Throws not_found unless the claim matches. An encrypted outcome can be fetched again for a while, so that an eavesdropper who knows the claim
   * cannot consume it; an unencrypted one is returned once.
   */
  fetch(id: string, claimHash: Buffer): PairOutcome;
  close(): void;
}

interface PairRequest {
  claimHash: Buffer;
  outcome: PairOutcome;
  cancelTimer(): void;
  control: AbortController;
  /** The key of its network for pauses. */
  asker: string;
  who: string;
}

const { promptMs, absentMs, fetchMs, outcomes: mostOutcomes, pauses: paces } = budgets.unauthenticated.pairing;

export function createPairRequests({
  scopes: known,
  askUser,
  clock,
  log,
}: {
  scopes: Scopes;
  askUser: AskUser;
  clock: Clock;
  log: Log;
}): PairRequests {
  const pauses = createPauses(paces, clock.monotonic);
  const { requests, remember, forget, settle } = createOutcomes(clock);
  /** From the request until the prompt is closed. */
  let busy = false;

  const refuseNow = (asker: string) => {
    if (busy) throw promptIsOpen();
    const wait = pauses.refuse(asker);
    if (wait !== null) throw tooSoon(wait);
  };

  /** Refuses the request, closes its prompt, and starts the pause before the next one. */
  const giveUp = (id: string, what: string, reason: string) => {
    const request = requests.get(id);
    if (request?.outcome.state !== 'waiting') return;
    log.info(`access: ${what}`);
    pauses.note(request.asker);
    settle(id, { state: 'refused', reason });
    request.control.abort();
  };

  const awaitAsker = (id: string, request: PairRequest) => {
    request.cancelTimer();
    request.cancelTimer = clock.after(absentMs, () =>
      giveUp(
        id,
        `${request.who} disconnected before its pairing was answered`,
        'The client stopped waiting for the answer. Send the request again',
      ),
    );
  };

  /** Continues after the client has received the digits to compare. */
  const askTheUser = async (
    id: string,
    request: PairRequest,
    wish: GrantWish,
    prompt: UserPrompt,
    deliveryKey: Proofs['deliveryKey'],
  ) => {
    const { who } = request;
    const cancel = clock.after(promptMs, () => giveUp(id, `the pairing of ${who} was not answered`, unanswered()));
    awaitAsker(id, request);
    try {
      const answerers: Answerer[] = [];
      const decision = await askUser(prompt, request.control.signal, (by) => void answerers.push(by));
      const how = answerers[0] === undefined ? 'at the screen' : `by ${answerers[0].who}`;
      if (decision === 'denied') return giveUp(id, `the pairing of ${who} was denied ${how}`, 'Access was denied');
      const scopes: GrantWish['scopes'] = decision === 'less' ? ['read'] : wish.scopes;
      settle(id, { state: 'allowed', wish: { ...wish, scopes }, how: `allowed ${how}`, deliveryKey });
    } catch (error) {
      const reason = messageOf(error);
      // Closed for an authenticated client: the next one has to wait as after a denial, or prompts would flash up again and again.
      if (codeOf(error) === 'failed') return giveUp(id, `the prompt for ${who} was closed`, reason);
      // The prompt of an agent is open.
      settle(id, { state: 'refused', reason });
    } finally {
      cancel();
      busy = false;
    }
  };

  return {
    async ask(given, connection, prove) {
      const asker = networkOf(connection.address);
      refuseNow(asker);
      busy = true;
      try {
        const proofs = await prove();
        const { transcript } = proofs;
        const digits = transcript === null ? randomDigits() : await digitsOf(transcript);
        const id = transcript?.id ?? randomBytes(16).toString('base64url');
        const wish: GrantWish = { ...given, address: connection.address };
        const where = await whereabouts(connection, transcript !== null || wish.agent !== undefined);
        const { name: addressed } = connection;
        const prompt = toUserPrompt({ ...wish, where, addressed, digits, browser: wish.browser !== null }, known);
        const request: PairRequest = {
          claimHash: sha256(proofs.claim),
          outcome: { state: 'waiting' },
          cancelTimer() {},
          control: new AbortController(),
          asker,
          who: `${JSON.stringify(wish.name)} at ${wish.address}`,
        };
        remember(id, request);
        void askTheUser(id, request, wish, prompt, proofs.deliveryKey);
        return {
          state: 'asked',
          id,
          nonce: transcript?.serviceNonce ?? null,
          digits: transcript === null ? digits : null,
          expires_in: promptMs / 1000,
        };
      } catch (error) {
        busy = false;
        throw error;
      }
    },
    fetch(id, claimHash) {
      const request = requests.get(id);
      if (request === undefined || !isSame(request.claimHash, claimHash)) throw unknownRequest();
      const { outcome } = request;
      if (outcome.state === 'waiting') awaitAsker(id, request);
      if (outcome.state === 'allowed' && outcome.deliveryKey === null) forget(id);
      return outcome;
    },
    close() {
      for (const [id, { control }] of requests) {
        control.abort();
        forget(id);
      }
    },
  };
}

/** The requests, and their outcomes until they are fetched or expire. */
function createOutcomes(clock: Clock) {
  const requests = new Map<string, PairRequest>();
  const forget = (id: string) => {
    requests.get(id)?.cancelTimer();
    requests.delete(id);
  };
  return {
    requests,
    forget,
    remember(id: string, request: PairRequest) {
      // The one on the screen is the latest, so it is never the one that makes room.
      const [oldest] = requests.keys();
      if (oldest !== undefined && requests.size >= mostOutcomes) forget(oldest);
      requests.set(id, request);
    },
    /** Stores the outcome for a while, to be fetched. A second outcome is ignored. */
    settle(id: string, outcome: PairOutcome) {
      const request = requests.get(id);
      if (request?.outcome.state !== 'waiting') return;
      request.outcome = outcome;
      request.cancelTimer();
      request.cancelTimer = clock.after(fetchMs, () => forget(id));
    },
  };
}

/** Without keys, only this number distinguishes two devices. */
function randomDigits(): string {
  const number = randomBytes(6).reduce((value, byte) => value * 256 + byte, 0) % 1_000_000;
  return inGroups(String(number).padStart(6, '0'));
}

/** The prompt is shown. Either `nonce` or `digits` is set: a client with keys computes the digits. */
export interface Asked {
  state: 'asked';
  id: string;
  nonce: string | null;
  digits: string | null;
  expires_in: number;
}
