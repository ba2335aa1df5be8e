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

/** After this time a list that was not renewed counts as outdated. */
const listHoldsDays = 400;

/** releases.json: read by the update check. The list is a text, so that its bytes can be signed; builds without a key read version and url. */
export function releaseList(release: { version: string; page: string | undefined }, time: number, key: string): string {
  const list = JSON.stringify({
    kind: 'hostler-releases',
    issued: new Date(time * 1000).toISOString(),
    expires: new Date((time + listHoldsDays * 86_400) * 1000).toISOString(),
    releases: [release],
  });
  const signature = Buffer.from(signatureOf(list, key)).toString('base64');
  const { version, page: url } = release;
  return `${JSON.stringify({ version, url, list, signature }, null, 2)}\n`;
}

/** Ed25519, 64 bytes; the key is a PEM file (`openssl genpkey -algorithm ed25519`). */
export function signatureOf(text: string, keyFile: string): Uint8Array {
  const key = createPrivateKey(fs.readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile} is not an Ed25519 key`);
  return new Uint8Array(sign(null, Buffer.from(text), key));
}
