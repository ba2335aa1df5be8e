import {
  browserPart,
  commitmentTo,
  commonSecrets,
  digitsOf,
  makeNonce,
  makePairKey,
  type Transcript,
  toBase64url,
  unseal,
} from './pairing-crypto.ts';
import { plainTypedCode } from './typed-code.ts';

/** The client side of pairing: a browser or the command line of another machine. */
export interface AskerParts {
  /** Rejects with the error of the service, or with NoResponse. */
  post(path: string, body: object): Promise<Record<string, unknown>>;
  sleep(ms: number): Promise<void>;
  /** Six digits that the screen of the machine must show as well. */
  show(digits: string): void;
}

export interface AskerWish {
  /** Empty: the service chooses one for a browser. */
  name: string;
  scopes: readonly string[];
  /** The code that the machine printed; empty: its user is prompted. */
  code: string;
  /** For browsers; see /api/login. */
  browser: { public_key: string | null; stay: boolean } | null;
  /** Fingerprint of the certificate that only this pairing authenticates; null: none, or the system trusts it. */
  certificate: string | null;
}

export const pairPaths = { begin: '/api/pair/begin', ask: '/api/pair', fetch: '/api/pair/fetch' } as const;
const pollEveryMs = 1000;
/** Slightly longer than the prompt is shown. */
const mostPolls = 180;
/** A phone may change its network. */
const mostFailures = 10;

/** The service did not answer; another attempt may succeed. */
export class NoResponse extends Error {}

/** The grant. An eavesdropper cannot read it, and a modification is detected. */
export async function askSealed(wish: AskerWish, parts: AskerParts): Promise<unknown> {
  const { post, show } = parts;
  const { id, public_key, commitment } = textsOf(await post(pairPaths.begin, {}), 'id', 'public_key', 'commitment');
  const own = await makePairKey();
  const known = {
    id,
    askerKey: own.publicKey,
    serviceKey: public_key,
    askerNonce: makeNonce(),
    name: wish.name,
    scopes: wish.scopes,
    browser: browserPart(wish.browser === null ? null : { key: wish.browser.public_key, stay: wish.browser.stay }),
    certificate: wish.certificate ?? '',
  };
  const agreed = { id, public_key: own.publicKey, nonce: known.askerNonce, certificate: wish.certificate };
  if (wish.code !== '') {
    const transcript: Transcript = { ...known, serviceNonce: '' };
    const secretFor = await secretsWith(own.privateKey, transcript, plainTypedCode(wish.code));
    const proof = toBase64url(await secretFor('proof'));
    const { sealed } = textsOf(await post(pairPaths.ask, { ...wishOf(wish), agreed: { ...agreed, proof } }), 'sealed');
    return await opened(await secretFor('delivery'), sealed);
  }
  const { nonce } = textsOf(await post(pairPaths.ask, { ...wishOf(wish), agreed }), 'nonce');
  // The commitment precedes our nonce; otherwise a relay could search for nonces with the same digits.
  if ((await commitmentTo({ id, serviceKey: public_key, serviceNonce: nonce })) !== commitment) throw inBetween();
  const transcript: Transcript = { ...known, serviceNonce: nonce };
  const secretFor = await secretsWith(own.privateKey, transcript, '');
  show(await digitsOf(transcript));
  const { sealed } = textsOf(await fetchOutcome(id, toBase64url(await secretFor('claim')), parts), 'sealed');
  return await opened(await secretFor('delivery'), sealed);
}

const secretsWith = (key: CryptoKey, transcript: Transcript, code: string) =>
  commonSecrets(key, transcript.serviceKey, transcript, code).catch(() => {
    throw notPairing('public_key');
  });

/** For pages over plain HTTP from another machine: browsers give them no keys. An eavesdropper can read the grant. */
export async function askInTheClear(wish: AskerWish, parts: AskerParts): Promise<unknown> {
  const { post, show } = parts;
  if (wish.code !== '') return (await post(pairPaths.ask, { ...wishOf(wish), clear: { code: wish.code } })).granted;
  const secret = makeNonce();
  const { id, digits } = textsOf(await post(pairPaths.ask, { ...wishOf(wish), clear: { secret } }), 'id', 'digits');
  show(digits);
  return (await fetchOutcome(id, secret, parts)).granted;
}

const wishOf = ({ name, scopes, browser }: AskerWish) => ({
  name: name === '' ? null : name,
  scopes: scopes.length === 0 ? null : scopes,
  browser,
});

async function fetchOutcome(id: string, claim: string, { post, sleep }: AskerParts): Promise<Record<string, unknown>> {
  let failures = 0;
  for (let polls = 0; polls < mostPolls; polls++) {
    await sleep(pollEveryMs);
    try {
      const response = await post(pairPaths.fetch, { id, claim });
      failures = 0;
      if (response.state === 'granted') return response;
      if (response.state === 'refused') throw new Error(textsOf(response, 'reason').reason);
    } catch (error) {
      if (!(error instanceof NoResponse) || ++failures >= mostFailures) throw error;
    }
  }
  throw new Error('The permission prompt was not answered in time');
}

/** The fields of an answer, which may come from anything. */
function textsOf<F extends string>(response: Record<string, unknown>, ...fields: F[]): Record<F, string> {
  const texts: Partial<Record<F, string>> = {};
  for (const field of fields) {
    const text = response[field];
    if (typeof text !== 'string') throw notPairing(field);
    texts[field] = text;
  }
  return texts as Record<F, string>;
}

const notPairing = (field: string) =>
  new Error(
    `The answer is not that of a Hostler service: its field ${field} is missing or malformed. Nothing was accepted`,
  );

async function opened(key: Uint8Array<ArrayBuffer>, sealed: string): Promise<unknown> {
  try {
    return await unseal(key, sealed);
  } catch {
    throw inBetween();
  }
}

const inBetween = () =>
  new Error('The answer does not match the request: the network traffic may have been modified. Nothing was accepted');
