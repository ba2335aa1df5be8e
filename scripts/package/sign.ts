import { createHash, createPrivateKey, sign } from 'node:crypto';
import fs from 'node:fs';

/** As sha256sum writes it, sorted by name. */
export function checksums(files: Record<string, Uint8Array>): string {
  return Object.keys(files)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(files[name] ?? '')
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}

/** Ed25519, 64 bytes; the key is a PEM file (`openssl genpkey -algorithm ed25519`). */
export function signatureOf(text: string, keyFile: string): Uint8Array {
  const key = createPrivateKey(fs.readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile} is not an Ed25519 key`);
  return new Uint8Array(sign(null, Buffer.from(text), key));
}
