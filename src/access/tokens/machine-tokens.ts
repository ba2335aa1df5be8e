import { machineIdPrefix } from '../../core/caller.ts';
import type { Storage } from '../../host/storage.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { checkFileVersion } from '../../lib/file-version.ts';
import type { Scopes } from '../scopes.ts';
import type { StoredToken } from './token-file.ts';
import { checkTokenName } from './token-names.ts';

export const machineTokensDirectory = 'tokens.d';

/** A removed token is refused after this at the latest. */
const checkEveryMs = 1000;
const mostTokens = 100;
const tokenFileVersion = 1;

export type MachineTokens = ReturnType<typeof createMachineTokens>;

/** Tokens that the administrator installed on this machine, one file each, written by `hostler token hash`. */
export function createMachineTokens(
  machine: Storage['machine'],
  clock: Clock,
  scopes: Scopes,
  complain: (sentence: string) => void,
) {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let seen = '';
  let known: StoredToken[] = [];
  return {
    /** The same list as long as nothing changed. Throws if it cannot be read now. */
    current(): readonly StoredToken[] {
      if (machine === undefined || clock.monotonic() - checkedAt < checkEveryMs) return known;
      checkedAt = clock.monotonic();
      const signature = machine.signature(machineTokensDirectory);
      if (signature === seen) return known;
      known = readAll(machine, scopes, complain);
      seen = signature;
      return known;
    },
    /** The next call checks the directory. */
    expire() {
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function readAll(
  machine: NonNullable<Storage['machine']>,
  scopes: Scopes,
  complain: (sentence: string) => void,
): StoredToken[] {
  const tokens: StoredToken[] = [];
  const files = machine.list(machineTokensDirectory).filter((name) => name.endsWith('.json'));
  for (const file of files.slice(0, mostTokens)) {
    const found = machine.read(`${machineTokensDirectory}/${file}`);
    if (found === null) continue;
    try {
      if ('refusal' in found) throw new Error(found.refusal);
      const token = parseMachineToken(found.text, scopes);
      checkTokenName(token.name, tokens);
      tokens.push(token);
    } catch (error) {
      complain(`The token in ${machine.directory}/${machineTokensDirectory}/${file} is not used: ${messageOf(error)}`);
    }
  }
  if (files.length > mostTokens) complain(`Only the first ${mostTokens} tokens of ${machine.directory} are used`);
  return tokens;
}

/** Throws a sentence that names the error. */
function parseMachineToken(text: string, { isScope }: Pick<Scopes, 'isScope'>): StoredToken {
  const value: unknown = JSON.parse(text);
  const { version, name, scopes, sha256, created }: Record<string, unknown> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  checkFileVersion('it', version, tokenFileVersion, 'make the token again with "token hash"');
  if (typeof name !== 'string') throw new Error('"name" is missing');
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new Error('"sha256" must be 64 hexadecimal digits');
  if (!Array.isArray(scopes) || scopes.length === 0) throw new Error('"scopes" must be a list with at least one scope');
  const unknown = scopes.find((scope) => typeof scope !== 'string' || !isScope(scope));
  if (unknown !== undefined) throw new Error(`there is no scope ${JSON.stringify(unknown)}`);
  return {
    // The id is derived from the secret and the scopes, so that a changed token has another id.
    id: `${machineIdPrefix}${sha256.slice(0, 12)}-${scopes.join('-')}`,
    name,
    scopes: [...new Set(scopes.filter(isScope))],
    kind: 'general',
    created: typeof created === 'string' ? created : null,
    sha256,
  };
}
