import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { sha256 } from '../../lib/digest.ts';
import { isTemporary, messageOf, ServiceError } from '../../lib/errors.ts';
import { NewerFile } from '../../lib/file-version.ts';
import type { Scope, Scopes } from '../scopes.ts';
import { createMachineTokens, type MachineTokens } from './machine-tokens.ts';
import { parseStored, type StoredGrant, type StoredToken, storedText, type TokenInfo } from './token-file.ts';
import { firstTokenName } from './token-names.ts';

/** Where the first token's secret is, as a line of text; the others are known by their hashes only. */
const firstTokenFile = 'token';
const tokensFile = 'tokens.json';
/** A token revoked by another process is refused after this at the latest. Checking the files costs more than the rest of a lookup. */
const checkEveryMs = 20;

export type TokensHost = Pick<Host, 'storage' | 'paths' | 'clock'>;

export interface KnownToken extends TokenInfo {
  granted: ReadonlySet<Scope>;
  hash: Buffer;
  oauth?: StoredGrant;
}

/** The tokens as last read, and what shows whether the files have changed since. */
export interface TokenList {
  scopes: Scopes;
  host: TokensHost;
  complain(sentence: string): void;
  firstFile: string;
  file: string;
  machineTokens: MachineTokens;
  known: KnownToken[];
  /** The last valid secret, which programs repeat: to hash it takes longer than the rest of a lookup. */
  last: { known: KnownToken[]; secret: string; token: KnownToken } | null;
  signature: string | null;
  seenMachineTokens: readonly StoredToken[];
  /** Monotonic time of the last check of the files. */
  checkedAt: number;
}

export function createTokenList(scopes: Scopes, host: TokensHost, complain: (sentence: string) => void): TokenList {
  const { storage, paths, clock } = host;
  let lastComplaint = '';
  const machineTokens = createMachineTokens(storage.machine, clock, scopes, complain);
  return {
    scopes,
    host,
    complain(sentence) {
      if (sentence !== lastComplaint) complain(sentence);
      lastComplaint = sentence;
    },
    firstFile: path.join(paths.state, firstTokenFile),
    file: path.join(paths.state, tokensFile),
    machineTokens,
    known: [],
    last: null,
    signature: null,
    seenMachineTokens: [],
    checkedAt: Number.NEGATIVE_INFINITY,
  };
}

/** The tokens by now; the same array as long as nothing has changed. */
export function currentTokens(list: TokenList): KnownToken[] {
  const { storage, clock } = list.host;
  const now = clock.monotonic();
  if (now - list.checkedAt < checkEveryMs) return list.known;
  list.checkedAt = now;
  try {
    const signature = `${storage.signature(list.firstFile)} ${storage.signature(list.file)}`;
    const machineTokens = list.machineTokens.current();
    if (signature === list.signature && machineTokens === list.seenMachineTokens) return list.known;
    const first = readFirst(list);
    list.known = [
      ...(first === '' ? [] : [firstToken(first, list.scopes.all)]),
      ...machineTokens.map(toKnown),
      ...storedOrNone(list),
    ];
    list.signature = signature;
    list.seenMachineTokens = machineTokens;
  } catch (error) {
    list.complain(`The tokens cannot be read: ${messageOf(error)}. The tokens known before stay valid`);
  }
  return list.known;
}

/** The next lookup checks the files. */
export function expire(list: TokenList): void {
  list.checkedAt = Number.NEGATIVE_INFINITY;
}

export const readFirst = ({ host, firstFile }: TokenList) =>
  host.storage.read(firstFile, { owned: true })?.trim() ?? '';

/** Runs with the lock that all processes of this service share. */
export function exclusively<T>(list: TokenList, work: () => T): T {
  const { storage, paths } = list.host;
  try {
    storage.prepareDirectory(paths.state);
    return storage.locked(list.file, work);
  } catch (cause) {
    if (cause instanceof ServiceError || cause instanceof NewerFile) throw cause;
    throw new ServiceError('failed', `The tokens in ${paths.state} cannot be changed: ${messageOf(cause)}`, { cause });
  } finally {
    expire(list);
  }
}

export type ChangeTokens = <T>(edit: (stored: StoredToken[]) => { stored: StoredToken[]; result: T }) => T;

export const changeStored = <T>(
  list: TokenList,
  edit: (stored: StoredToken[]) => { stored: StoredToken[]; result: T },
): T =>
  exclusively(list, () => {
    const before = readStored(list);
    const { stored, result } = edit(before);
    if (stored !== before) list.host.storage.write(list.file, storedText(stored));
    return result;
  });

/** A damaged file invalidates its own tokens; the first one stays valid. */
function storedOrNone(list: TokenList): KnownToken[] {
  try {
    return readStored(list).map(toKnown);
  } catch (error) {
    if (isTemporary(error)) throw error;
    list.complain(messageOf(error));
    return [];
  }
}

const readStored = ({ host, file, scopes }: TokenList): StoredToken[] =>
  parseStored(host.storage.read(file, { owned: true }), file, scopes);

function firstToken(secret: string, scopes: readonly Scope[]): KnownToken {
  const hash = sha256(secret);
  // The id is derived from the secret, so that a replaced token has another id.
  const id = `main-${hash.toString('hex').slice(0, 12)}`;
  const info: TokenInfo = { id, name: firstTokenName, scopes: [...scopes], kind: 'general', created: null };
  return { ...info, granted: new Set(scopes), hash };
}

const toKnown = ({ sha256, ...info }: StoredToken): KnownToken => ({
  ...info,
  granted: new Set(info.scopes),
  hash: Buffer.from(sha256, 'hex'),
});
