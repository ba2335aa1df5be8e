/**
 * What the two sides of a pairing compute, in a browser, in the command line and in the service alike. Each makes a P-256 key; what is handed over is
 * encrypted under what the two have in common. So whoever only reads the network learns nothing, and whoever stands in between is found
 * out: by the six digits that both sides show, or by the code that was printed at the machine. The reasons are in docs/decisions/0025.
 */
export interface PairKey {
  /** An uncompressed point in base64url. */
  publicKey: string;
  privateKey: CryptoKey;
}

/** What both sides know to be the same if nobody stands in between. */
export interface Transcript {
  /** Of the attempt, as the service gave it. */
  id: string;
  askerKey: string;
  serviceKey: string;
  askerNonce: string;
  /** Empty where a printed code is what counts. */
  serviceNonce: string;
  /** As it was asked for; empty: none. */
  name: string;
  scopes: readonly string[];
  /** See `browserPart`. */
  browser: string;
  /**
   * Fingerprint of who vouches for the service over TLS, as the asker sees it. A relay with a certificate of its own would otherwise be pinned by
   * a pairing that succeeds, and read the token at its first use. Empty: no TLS, or the system of the asker vouches.
   */
  certificate: string;
}

/** A purpose has a key of its own. */
type Purpose = 'proof' | 'claim' | 'delivery';

const label = 'hostler-pairing-1';
const curve = { name: 'ECDH', namedCurve: 'P-256' } as const;
const ivBytes = 12;
const digits = 6;

export async function makePairKey(): Promise<PairKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, false, ['deriveBits']);
  return { privateKey, publicKey: toBase64url(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))) };
}

export const makeNonce = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(32)));

/**
 * The service says this before it sees the asker's nonce, and its own nonce afterwards: so neither side, nor anybody in between, can choose
 * what leads to digits that were seen elsewhere.
 */
export async function commitmentTo({ id, serviceKey, serviceNonce }: Omit<Transcript, AskersPart>): Promise<string> {
  return toBase64url(await digest('commitment', id, serviceKey, serviceNonce));
}
type AskersPart = 'askerKey' | 'askerNonce' | 'name' | 'scopes' | 'browser' | 'certificate';

/** Six digits that people compare, as in `482 913`. */
export async function digitsOf(transcript: Transcript): Promise<string> {
  const sum = await digest('digits', ...partsOf(transcript));
  // Six bytes are so many more than a million that no digit is more likely than another.
  const number = sum.slice(0, 6).reduce((value, byte) => value * 256 + byte, 0);
  return inGroups(String(number % 10 ** digits).padStart(digits, '0'));
}

export const inGroups = (code: string) => code.replace(/^(\d{3})(\d{3})$/, '$1 $2');

/** Whoever could put a key of its own in place of the browser's would own its session. Empty: it is no browser. */
export function browserPart(browser: { key: string | null; stay: boolean } | null): string {
  return browser === null ? '' : `${browser.key ?? ''} ${browser.stay ? 'stay' : 'tab'}`;
}

/** What the two have in common. Rejects if the other one's key is no point of the curve. `code`: the printed one, or empty. */
export async function commonSecrets(
  own: CryptoKey,
  othersKey: string,
  transcript: Transcript,
  code: string,
): Promise<(purpose: Purpose) => Promise<Uint8Array<ArrayBuffer>>> {
  const other = await crypto.subtle.importKey('raw', fromBase64url(othersKey), curve, false, []);
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: other }, own, 256);
  const material = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveBits']);
  const salt = await digest('secrets', code, ...partsOf(transcript));
  return async (purpose) => {
    const info = new TextEncoder().encode(`${label} ${purpose}`);
    return new Uint8Array(await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, material, 256));
  };
}

export async function seal(key: Uint8Array<ArrayBuffer>, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const text = new TextEncoder().encode(JSON.stringify(value));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, cipher, text));
  return toBase64url(new Uint8Array([...iv, ...sealed]));
}

/** Rejects what was not sealed with this key. */
export async function unseal(key: Uint8Array<ArrayBuffer>, sealed: string): Promise<unknown> {
  const bytes = fromBase64url(sealed);
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  const iv = bytes.slice(0, ivBytes);
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, cipher, bytes.slice(ivBytes));
  return JSON.parse(new TextDecoder().decode(text));
}

const partsOf = ({ scopes, ...texts }: Transcript) => [
  texts.id,
  texts.askerKey,
  texts.serviceKey,
  texts.askerNonce,
  texts.serviceNonce,
  texts.name,
  scopes.join(','),
  texts.browser,
  texts.certificate,
];

/** Each part with its length before it, so that no two lists of parts are the same text. */
async function digest(...parts: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const bytes = [label, ...parts].flatMap((part) => {
    const encoded = encoder.encode(part);
    return [encoded.length >>> 24, encoded.length >>> 16, encoded.length >>> 8, encoded.length, ...encoded];
  });
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)));
}

export function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}
