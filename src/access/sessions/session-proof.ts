import { isPublicKey } from './session-file.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * The signed text. Its first lines keep the signature from being valid elsewhere: a program that takes a port which this service has left cannot pass
 * it on. web/state/session-key.ts builds the same.
 */
export const signedText = ({ origin, id, challenge }: Omit<Proof, 'signature'>) =>
  `hostler-browser-session-2\n${origin}\n${id}\n${challenge}`;

export async function isSignedBy(publicKey: string, { signature, ...proof }: Proof): Promise<boolean> {
  const key = await keyOf(publicKey);
  if (key === null) return false;
  const text = new TextEncoder().encode(signedText(proof));
  return await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, Buffer.from(signature, 'base64url'), text);
}

/** Whether it is a point of the curve. */
export async function isUsableKey(publicKey: string): Promise<boolean> {
  return (await keyOf(publicKey)) !== null;
}

async function keyOf(publicKey: string): Promise<CryptoKey | null> {
  if (!isPublicKey(publicKey)) return null;
  try {
    return await crypto.subtle.importKey('raw', Buffer.from(publicKey, 'base64url'), algorithm, false, ['verify']);
  } catch {
    return null;
  }
}

export interface Proof {
  /** Of the page, from the header of the request, which was checked; empty: no page. */
  origin: string;
  id: string;
  challenge: string;
  /** base64url */
  signature: string;
}
