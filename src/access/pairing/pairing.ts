import type { AskUser } from '../../core/agent.ts';
import { type Caller, type Connection, shownAddress } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSame, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { browserPart, commonSecrets, seal, type Transcript } from '../../lib/pairing/pairing-crypto.ts';
import { createSparingLines, type SparingLines } from '../../lib/rate-limited-log.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { createLockout, type Lockout } from '../limits/lockout.ts';
import type { Scope, Scopes } from '../scopes.ts';
import type { SignedIn } from '../sessions/sessions.ts';
import { checkTokenName } from '../tokens/token-names.ts';
import { type Attempt, type Attempts, type BegunAttempt, createAttempts } from './attempts.ts';
import { type GrantWish, neverPaired, type PairedToken, type PairGrants } from './grants.ts';
import { createPrintedCodes, isThisCode, type PrintedCode, type PrintedCodes } from './printed-code.ts';
import { pairingOff, unknownRequest } from './refusals.ts';
import type { Asked } from './requests.ts';
import { createPairRequests, type PairOutcome, type Proofs } from './requests.ts';

/** Gives a device access without typing a token: the user agrees at the screen or on the command line, or prints a code at the machine. */
export interface Pairing {
  begin(): Promise<BegunAttempt>;
  /** Opens the prompt, or grants at once with a printed code. */
  ask(wish: PairWish, connection: Caller['connection']): Promise<Asked | Delivery>;
  /** For the client that asked only. The grant is created once; an unencrypted one is also returned once. */
  fetch(id: string, claim: string): Promise<{ state: 'waiting' } | { state: 'refused'; reason: string } | Delivery>;
  isEnabled(): boolean;
  /** The same prompt for an agent that gets its token by OAuth. `claim` belongs to the page that polls. */
  askForAgent(wish: AgentWish, connection: Connection, claim: string): Promise<Asked>;
  answerForAgent(id: string, claim: string): PairOutcome;
  /** For the owner, at the machine. */
  printCode(scopes: readonly Scope[]): { code: string; expires_in: number };
  close(): void;
}

export type AgentWish = Required<Pick<GrantWish, 'name' | 'scopes' | 'agent'>>;

export interface PairWish {
  name: string;
  /** Whether the client chose the name; otherwise it is derived from the user agent of the browser. */
  isNamed: boolean;
  /** null: what the code grants, or reading. */
  scopes: readonly Scope[] | null;
  browser: GrantWish['browser'];
  /** Encrypted, or unencrypted for pages without access to WebCrypto. */
  way: SealedWay | PlainWay;
}

export interface SealedWay {
  id: string;
  publicKey: string;
  nonce: string;
  /** Fingerprint of the certificate that the client sees; null: it sent none. */
  certificate: string | null;
  /** Proof that the client knows the printed code; null: the user decides at the screen. */
  proof: string | null;
}

export type PlainWay = { secret: string } | { code: string };

/** Encrypted where keys were agreed on. */
export type Delivery = { state: 'granted'; sealed: string } | { state: 'granted'; granted: PairedToken | SignedIn };

export interface PairingParts {
  scopes: Scopes;
  askUser: AskUser;
  grant: PairGrants;
  settings(): Settings;
  clock: Clock;
  log: Log;
}

/** Log lines about lockouts per minute. */
const mostLines = 20;

interface PairingState extends PairingParts {
  attempts: Attempts;
  codes: PrintedCodes;
  lockout: Lockout;
  shutOut: SparingLines;
}

export function createPairing(parts: PairingParts): Pairing {
  const { scopes, askUser, settings, clock, log } = parts;
  const shutOut = createSparingLines(clock, {
    most: mostLines,
    write: log.warn,
    more: (count) => `access: too many pairing codes from ${count} more networks in this minute`,
  });
  const state: PairingState = {
    ...parts,
    attempts: createAttempts(clock),
    codes: createPrintedCodes(clock),
    lockout: createLockout(clock),
    shutOut,
  };
  const requests = createPairRequests({ scopes, askUser, clock, log });
  /** The same delivery again for a client that lost the response. */
  const deliveries = new WeakMap<PairOutcome, Promise<Delivery>>();

  const isEnabled = () => settings().pairing.enabled;
  const requireEnabled = () => {
    if (!isEnabled()) throw new ServiceError('forbidden', pairingOff);
  };

  return {
    async begin() {
      requireEnabled();
      return await state.attempts.begin();
    },
    async ask(wish, connection) {
      requireEnabled();
      checkWish(wish);
      const hasCode = 'code' in wish.way || ('proof' in wish.way && wish.way.proof !== null);
      if (hasCode) return await byCode(state, wish, connection);
      const { name, browser } = wish;
      const request = { name, scopes: scopesOf(wish.scopes ?? ['read']), browser };
      return await requests.ask(request, connection(), () => requestProofs(state, wish));
    },
    async fetch(id, claim) {
      requireEnabled();
      const outcome: PairOutcome = requests.fetch(id, sha256(claim));
      if (outcome.state !== 'allowed') return outcome;
      // The user agreed to a token for an agent, which is issued otherwise.
      if (outcome.wish.agent !== undefined) throw unknownRequest();
      const delivery = deliveries.get(outcome) ?? deliver(state, outcome.wish, outcome.how, outcome.deliveryKey);
      deliveries.set(outcome, delivery);
      return await delivery;
    },
    isEnabled,
    async askForAgent(wish, connection, claim) {
      requireEnabled();
      checkTokenName(wish.name, []);
      const request = { ...wish, scopes: scopesOf(wish.scopes), browser: null };
      return await requests.ask(request, connection, async () => ({ claim, deliveryKey: null, transcript: null }));
    },
    answerForAgent(id, claim) {
      requireEnabled();
      return requests.fetch(id, sha256(claim));
    },
    printCode(scopes) {
      requireEnabled();
      return state.codes.print(scopesOf(scopes));
    },
    close: requests.close,
  };
}

async function byCode(state: PairingState, wish: PairWish, connection: Caller['connection']): Promise<Delivery> {
  const { lockout, shutOut, codes } = state;
  const { address } = connection();
  // Every attempt counts, before anything about it is checked.
  const shut = lockout.wrong(address);
  if (shut?.justShut) shutOut.say(() => `access: too many pairing codes from ${shownAddress(address)}`);
  if (shut !== null) throw new ServiceError('rate_limited', 'Too many codes were tried from this address.', shut);
  const printed = codes.tryCurrent();
  if (printed === null) throw wrongCode();
  const scopes = scopesOf(wish.scopes ?? printed.scopes).filter((scope) => printed.scopes.includes(scope));
  const deliveryKey = await proven(state, wish, printed);
  if (scopes.length === 0)
    throw new ServiceError('forbidden', `This code grants ${printed.scopes.join(', ')} only; request these scopes`);
  if (!codes.use(printed)) throw wrongCode();
  const { name, browser } = wish;
  return await deliver(state, { name, scopes, browser, address }, 'by a printed code', deliveryKey);
}

/** Throws unless the client knows the code. */
async function proven(state: PairingState, wish: PairWish, printed: PrintedCode): Promise<Proofs['deliveryKey']> {
  const { way } = wish;
  if (!('publicKey' in way)) {
    if (!('code' in way) || !isThisCode(printed, way.code)) throw wrongCode();
    return null;
  }
  const { secretFor } = await agree(wish, way, '', printed.code, await attemptOf(state, way.id));
  if (!isSame(await secretFor('proof'), Buffer.from(way.proof ?? '', 'base64url'))) throw wrongCode();
  useAttempt(state, way.id);
  return await secretFor('delivery');
}

async function requestProofs(state: PairingState, wish: PairWish): Promise<Proofs> {
  const { way } = wish;
  if (!('publicKey' in way)) return { claim: 'secret' in way ? way.secret : '', deliveryKey: null, transcript: null };
  const attempt = await attemptOf(state, way.id);
  const { transcript, secretFor } = await agree(wish, way, attempt.nonce, '', attempt);
  useAttempt(state, way.id);
  const claim = Buffer.from(await secretFor('claim')).toString('base64url');
  return { claim, deliveryKey: await secretFor('delivery'), transcript };
}

async function attemptOf({ attempts }: PairingState, id: string): Promise<Attempt> {
  const attempt = await attempts.find(id);
  if (attempt !== null) return attempt;
  throw new ServiceError('not_found', 'This pairing attempt is unknown, has expired or was used already. Start again');
}

function useAttempt({ attempts }: PairingState, id: string): void {
  if (!attempts.use(id)) throw new ServiceError('conflict', 'This pairing attempt was used already. Start again');
}

/** What the two sides prove to each other. The cheap checks come before. */
async function agree(wish: PairWish, way: SealedWay, serviceNonce: string, code: string, { key }: Attempt) {
  const transcript: Transcript = {
    id: way.id,
    askerKey: way.publicKey,
    serviceKey: key.publicKey,
    askerNonce: way.nonce,
    serviceNonce,
    name: wish.isNamed ? wish.name : '',
    scopes: wish.scopes ?? [],
    browser: browserPart(wish.browser),
    certificate: way.certificate ?? '',
  };
  const secretFor = await commonSecrets(key.privateKey, way.publicKey, transcript, code).catch(() => {
    throw new ServiceError('invalid', 'public_key must be a P-256 key, as an uncompressed point in base64url');
  });
  return { transcript, secretFor };
}

async function deliver(
  { grant, log }: PairingState,
  wish: GrantWish,
  how: string,
  key: Proofs['deliveryKey'],
): Promise<Delivery> {
  const granted = await grant(wish);
  const kind = wish.browser === null ? 'a token' : 'a browser session';
  log.info(
    `access: ${JSON.stringify(wish.name)} at ${shownAddress(wish.address)} was given ${kind} with ${wish.scopes.join(', ')} (pairing, ${how})`,
  );
  return key === null ? { state: 'granted', granted } : { state: 'granted', sealed: await seal(key, granted) };
}

function checkWish({ name, browser, way }: PairWish): void {
  // Not compared with other tokens: a refusal would reveal their names to unauthenticated clients.
  checkTokenName(name, []);
  if (browser === null && !('publicKey' in way))
    throw new ServiceError(
      'invalid',
      'Only browsers can pair without encryption; other clients must agree on keys first (/api/pair/begin)',
    );
}

function scopesOf(wanted: readonly Scope[]): Scope[] {
  if (!wanted.includes(neverPaired)) return [...new Set(wanted)];
  throw new ServiceError(
    'forbidden',
    `The scope ${neverPaired} is not granted by pairing; create a token with "${ownCommand('token create')}" on the machine itself`,
  );
}

const wrongCode = () =>
  new ServiceError('unauthorized', 'This code is not valid, was used already, or is older than two minutes');
