/**
 * What both sides of a pairing compute: the browser or command line, and the service. Each makes a P-256 key; the grant is
 * encrypted under the shared secret. An eavesdropper learns nothing, and a relay is detected
 * by the six digits that both sides show, or by the code that was printed at the machine. The reasons are in docs/decisions/0025.
 */
export interface PairKey {
  /** An uncompressed point in base64url. */
  publicKey: string;
  privateKey: CryptoKey;
}

/** The values that are equal on both sides unless a relay stands in between. */
export interface Transcript {
  /** Identifier of the attempt, from the service. */
  id: string;
  askerKey: string;
  serviceKey: string;
  askerNonce: string;
  /** Empty with a printed code. */
  serviceNonce: string;
  /** As requested; empty: none. */
  name: string;
  scopes: readonly string[];
  /** See `browserPart`. */
  browser: string;
  /**
   * Fingerprint of the TLS authority of the service, as the client sees it. Otherwise a relay with its own certificate would be pinned by
   * a pairing that succeeds, and read the token at its first use. Empty: no TLS, or the client's system trusts the certificate.
   */
  certificate: string;
}

/** Each purpose has its own key. */
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
 * The service sends this before it sees the client's nonce, and its own nonce afterwards: neither side, nor a relay, can choose
 * a nonce that leads to digits seen elsewhere.
 */
export async function commitmentTo({ id, serviceKey, serviceNonce }: Omit<Transcript, AskersPart>): Promise<string> {
  return toBase64url(await digest('commitment', id, serviceKey, serviceNonce));
}
type AskersPart = 'askerKey' | 'askerNonce' | 'name' | 'scopes' | 'browser' | 'certificate';

/** Six digits for users to compare, as in `482 913`. */
export async function digitsOf(transcript: Transcript): Promise<string> {
  const sum = await digest('digits', ...partsOf(transcript));
  // Six bytes: the bias of the remainder is negligible.
  const number = sum.slice(0, 6).reduce((value, byte) => value * 256 + byte, 0);
  return inGroups(String(number % 10 ** digits).padStart(digits, '0'));
}

export const inGroups = (code: string) => code.replace(/^(\d{3})(\d{3})$/, '$1 $2');

/** A relay that replaced the browser's key would own its session. Empty: not a browser. */
export function browserPart(browser: { key: string | null; stay: boolean } | null): string {
  return browser === null ? '' : `${browser.key ?? ''} ${browser.stay ? 'stay' : 'tab'}`;
}

/** The shared secrets. Rejects if the other public key is not a point of the curve. `code`: the printed one, or empty. */
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

/** Rejects data that was not sealed with this key. */
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

/** Each part is prefixed by its length, so that different lists never encode equally. */
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
