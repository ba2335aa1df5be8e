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

/** How long a list of releases holds: whoever gets it from somebody who holds newer ones back notices by then. */
const listHoldsDays = 400;

/**
 * releases.json: what "hostler update" reads. The list is a text inside of it, so that it is signed byte by byte; version and url beside it
 * are for those who only show them.
 */
export function releaseList(
  files: Record<string, Uint8Array>,
  { version, page, time, key }: { version: string; page: string | null; time: number; key: string },
): string {
  const listed = Object.keys(files)
    .sort()
    .map((name) => {
      const data = files[name] ?? new Uint8Array();
      return { name, size: data.length, sha256: createHash('sha256').update(data).digest('hex') };
    });
  const list = JSON.stringify({
    kind: 'hostler-releases',
    issued: new Date(time * 1000).toISOString(),
    expires: new Date((time + listHoldsDays * 86_400) * 1000).toISOString(),
    releases: [{ version, ...(page === null ? {} : { page }), files: listed }],
  });
  const signature = Buffer.from(signatureOf(list, key)).toString('base64');
  return `${JSON.stringify({ version, ...(page === null ? {} : { url: page }), list, signature }, null, 2)}\n`;
}

/** Ed25519, 64 bytes; the key is a PEM file (`openssl genpkey -algorithm ed25519`). */
export function signatureOf(text: string, keyFile: string): Uint8Array {
  const key = createPrivateKey(fs.readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile} is not an Ed25519 key`);
  return new Uint8Array(sign(null, Buffer.from(text), key));
}
