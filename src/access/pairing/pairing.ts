import type { AskUser } from '../../core/agent.ts';
import { type Caller, shownAddress } from '../../core/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSame, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { browserPart, commonSecrets, seal, type Transcript } from '../../lib/pairing-crypto.ts';
import { createSparingLines } from '../../lib/rate-limited-log.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { createLockout } from '../limits/lockout.ts';
import type { Scope, Scopes } from '../scopes.ts';
import type { SignedIn } from '../sessions/sessions.ts';
import { checkTokenName } from '../tokens/token-names.ts';
import { type Attempt, type BegunAttempt, createAttempts } from './attempts.ts';
import { type GrantWish, neverPaired, type PairedToken, type PairGrants } from './grants.ts';
import { createPrintedCodes, isThisCode, type PrintedCode } from './printed-code.ts';
import type { Asked } from './requests.ts';
import { createPairRequests, type PairAnswer, type Proofs } from './requests.ts';

/** Giving a device access without a token being typed: the user agrees at the screen, or has a code printed at the machine. */
export interface Pairing {
  begin(): Promise<BegunAttempt>;
  /** Puts the question on the screen, or, with a printed code, hands over at once. */
  ask(wish: PairWish, connection: Caller['connection']): Promise<Asked | Delivery>;
  /** For the one who asked, and nobody else. What was granted is made once; in the clear it is also told once. */
  fetch(id: string, claim: string): Promise<{ state: 'waiting' } | { state: 'refused'; reason: string } | Delivery>;
  /** For the owner, at the machine. */
  printCode(scopes: readonly Scope[]): { code: string; expires_in: number };
  /** Takes the question off the screen. */
  close(): void;
}

export interface PairWish {
  name: string;
  /** Whether the name was asked for; else it is ours, from what the browser says of itself. */
  isNamed: boolean;
  /** null: what the code grants, or reading. */
  scopes: readonly Scope[] | null;
  browser: GrantWish['browser'];
  /** Encrypted, or in the clear, for pages that a browser gives no keys to. */
  way: SealedWay | PlainWay;
}

export interface SealedWay {
  id: string;
  publicKey: string;
  nonce: string;
  /** Fingerprint of a certificate of this service that the asker sees; null: it did not say one. */
  certificate: string | null;
  /** That the printed code is known; null: the user is to be asked. */
  proof: string | null;
}

export type PlainWay = { secret: string } | { code: string };

/** Sealed where keys were agreed on. */
export type Delivery = { state: 'granted'; sealed: string } | { state: 'granted'; granted: PairedToken | SignedIn };

export interface PairingParts {
  scopes: Scopes;
  askUser: AskUser;
  grant: PairGrants;
  settings(): Settings;
  clock: Clock;
  log: Log;
}

/** Of those who are shut out, a minute. */
const mostLines = 20;

export function createPairing({ scopes, askUser, grant, settings, clock, log }: PairingParts): Pairing {
  const attempts = createAttempts(clock);
  const codes = createPrintedCodes(clock);
  const lockout = createLockout(clock);
  const requests = createPairRequests({ scopes, askUser, clock, log });
  const shutOut = createSparingLines(
    {
      most: mostLines,
      write: log.warn,
      more: (count) => `access: too many pairing codes from ${count} more networks in this minute`,
    },
    clock,
  );

  /** The same again for who lost the answer on the way. */
  const deliveries = new WeakMap<PairAnswer, Promise<Delivery>>();

  const requireEnabled = () => {
    if (!settings().pairing.enabled)
      throw new ServiceError('forbidden', 'Pairing is switched off on this machine (pairing.enabled in the settings)');
  };

  const attemptOf = async (id: string): Promise<Attempt> => {
    const attempt = await attempts.find(id);
    if (attempt !== null) return attempt;
    throw new ServiceError('not_found', 'This attempt is unknown: it is too old, or was used. Begin again');
  };

  const useAttempt = (id: string) => {
    if (!attempts.use(id)) throw new ServiceError('conflict', 'This attempt was used already. Begin again');
  };

  const deliver = async (wish: GrantWish, how: string, key: Proofs['deliveryKey']): Promise<Delivery> => {
    const granted = await grant(wish);
    const kind = wish.browser === null ? 'a token' : 'a browser session';
    log.info(
      `access: ${JSON.stringify(wish.name)} at ${shownAddress(wish.address)} was given ${kind} with ${wish.scopes.join(', ')} (pairing, ${how})`,
    );
    return key === null ? { state: 'granted', granted } : { state: 'granted', sealed: await seal(key, granted) };
  };

  /** What the two sides prove to each other. Everything cheap was looked at before. */
  const agree = async (wish: PairWish, way: SealedWay, serviceNonce: string, code: string, { key }: Attempt) => {
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
      throw new ServiceError('invalid', 'public_key: this is not a P-256 key, as an uncompressed point in base64url');
    });
    return { transcript, secretFor };
  };

  const byCode = async (wish: PairWish, connection: Caller['connection']): Promise<Delivery> => {
    const { address } = connection();
    // Every attempt counts, and before anything is looked at.
    const shut = lockout.wrong(address);
    if (shut?.justShut) shutOut.say(() => `access: too many pairing codes from ${shownAddress(address)}`);
    if (shut !== null) throw new ServiceError('rate_limited', 'Too many codes were tried from this address.', shut);
    const printed = codes.tryCurrent();
    if (printed === null) throw wrongCode();
    const scopes = scopesOf(wish.scopes ?? printed.scopes).filter((scope) => printed.scopes.includes(scope));
    const deliveryKey = await proven(wish, printed);
    if (scopes.length === 0)
      throw new ServiceError('forbidden', `This code grants ${printed.scopes.join(', ')} only; ask for that`);
    if (!codes.use(printed)) throw wrongCode();
    const { name, browser } = wish;
    return await deliver({ name, scopes, browser, address }, 'by a printed code', deliveryKey);
  };

  /** Throws unless the code is known. */
  const proven = async (wish: PairWish, printed: PrintedCode): Promise<Proofs['deliveryKey']> => {
    const { way } = wish;
    if (!('publicKey' in way)) {
      if (!('code' in way) || !isThisCode(printed, way.code)) throw wrongCode();
      return null;
    }
    const { secretFor } = await agree(wish, way, '', printed.code, await attemptOf(way.id));
    if (!isSame(await secretFor('proof'), Buffer.from(way.proof ?? '', 'base64url'))) throw wrongCode();
    useAttempt(way.id);
    return await secretFor('delivery');
  };

  const atScreen = async (wish: PairWish, connection: Caller['connection']): Promise<Asked> => {
    const { way, name, browser } = wish;
    const scopes = scopesOf(wish.scopes ?? ['read']);
    const proofs = async (): Promise<Proofs> => {
      if (!('publicKey' in way))
        return { claim: 'secret' in way ? way.secret : '', deliveryKey: null, transcript: null };
      const attempt = await attemptOf(way.id);
      const { transcript, secretFor } = await agree(wish, way, attempt.nonce, '', attempt);
      useAttempt(way.id);
      const claim = Buffer.from(await secretFor('claim')).toString('base64url');
      return { claim, deliveryKey: await secretFor('delivery'), transcript };
    };
    return await requests.ask({ name, scopes, browser }, connection(), proofs);
  };

  return {
    async begin() {
      requireEnabled();
      return await attempts.begin();
    },
    async ask(wish, connection) {
      requireEnabled();
      checkWish(wish);
      const hasCode = 'code' in wish.way || ('proof' in wish.way && wish.way.proof !== null);
      return hasCode ? await byCode(wish, connection) : await atScreen(wish, connection);
    },
    async fetch(id, claim) {
      requireEnabled();
      const answer: PairAnswer = requests.fetch(id, sha256(claim));
      if (answer.state !== 'allowed') return answer;
      const delivery = deliveries.get(answer) ?? deliver(answer.wish, 'allowed at the screen', answer.deliveryKey);
      deliveries.set(answer, delivery);
      return await delivery;
    },
    printCode(scopes) {
      requireEnabled();
      return codes.print(scopesOf(scopes));
    },
    close: requests.close,
  };
}

function checkWish({ name, browser, way }: PairWish): void {
  // Against nobody else's: what other tokens are called is not told to strangers.
  checkTokenName(name, []);
  if (browser === null && !('publicKey' in way))
    throw new ServiceError('invalid', 'Only browsers can be paired in the clear: agree on keys first, /api/pair/begin');
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
