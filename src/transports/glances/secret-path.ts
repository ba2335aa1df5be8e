import path from 'node:path';
import { readSecret, sealed } from '../../access/secrets.ts';
import type { TransportParts } from '../../core/transport.ts';
import { isSame, randomBytes, sha256 } from '../../lib/digest.ts';

type Parts = Pick<TransportParts['host'], 'paths' | 'storage' | 'sealing'>;

/** The part of the address before the secret. */
export const secretPrefix = '/glances/';

const secretBytes = 24;
const secretFile = ({ paths }: Parts) => path.join(paths.state, 'glances-path');

/** Whether the address contains the secret of this machine; false if it has none. */
export async function isSecretPath(host: Parts, given: string): Promise<boolean> {
  const known = (await readSecret(host, secretFile(host)))?.trim() ?? '';
  return known.length >= secretBytes && isSame(sha256(given), sha256(known));
}

/** The secret part of the address for clients that send no credentials; `isNew`: the previous one is no longer valid. */
export async function privatePath(host: Parts, isNew: boolean): Promise<string> {
  const known = isNew ? null : await readSecret(host, secretFile(host));
  if (known !== null) return known.trim();
  const secret = randomBytes(secretBytes).toString('base64url');
  host.storage.prepareDirectory(host.paths.state);
  host.storage.write(secretFile(host), await sealed(host, `${secret}\n`));
  return secret;
}
