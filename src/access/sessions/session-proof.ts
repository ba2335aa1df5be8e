import { isPublicKey } from './session-file.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** The signed text. Its first line keeps the signature from being valid elsewhere. web/state/session-key.ts builds the same. */
export const signedText = ({ id, challenge }: Pick<Proof, 'id' | 'challenge'>) =>
  `hostler-browser-session-1\n${id}\n${challenge}`;

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
  id: string;
  challenge: string;
  /** base64url */
  signature: string;
}
