import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { isSame, randomBytes, sha256, sha256Once } from '../../lib/digest.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { NewerFile } from '../../lib/file-version.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { Scope, Scopes } from '../scopes.ts';
import { createMachineTokens, machineTokensDirectory } from './machine-tokens.ts';
import { parseStored, type StoredToken, storedText, type TokenInfo, type TokenKind } from './token-file.ts';
import { checkTokenName, firstTokenName } from './token-names.ts';
import { followFiles } from './watch-files.ts';

export { firstTokenName } from './token-names.ts';

/** A token of a kind, or the short-lived one of a browser that signed in. */
export type GrantKind = TokenKind | 'browser';

/** What a secret grants. */
export interface Grant extends Omit<TokenInfo, 'kind'> {
  kind: GrantKind;
  granted: ReadonlySet<Scope>;
}

/** The tokens on disk. Every process of ours sees a change by another at its next look. */
export interface Tokens {
  /** The token with this secret; null: there is none. Takes as long for a wrong one as for a right one. */
  find(secret: string): Grant | null;
  /** What a token found earlier grants by now; null: it is not good any more. */
  granted(id: string): ReadonlySet<Scope> | null;
  list(): TokenInfo[];
  /** The secret of the first token, which can do everything; made when there is none. */
  first(): string;
  create(name: string, scopes: Scope[], kind?: TokenKind): { secret: string; token: TokenInfo };
  /** A token whose secret somebody has already. */
  adopt(name: string, scopes: Scope[], secret: string): TokenInfo;
  revoke(idOrName: string): TokenInfo;
  /** A new secret in place of the old one. */
  rotate(idOrName: string): string;
  /** Calls back when any process of ours changed them; returns the way to stop. */
  follow(changed: () => void): () => void;
  firstFile: string;
  file: string;
}

/** Where the first token's secret is, as a line of text; the others are known by their hashes only. */
export const firstTokenFile = 'token';
export const tokensFile = 'tokens.json';
const maxTokens = 100;
/** A token revoked by another process is refused after this at the latest. Looking costs more than the rest of the check. */
const lookEveryMs = 20;
/** The directories were checked at the start; this applies to files that appeared since. */
const owned = { owned: true };

interface Known extends TokenInfo {
  granted: ReadonlySet<Scope>;
  hash: Buffer;
}

/** `complain` hears of files that cannot be used, once for each problem. */
export function openTokens(
  scopes: Scopes,
  { storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>,
  complain: (sentence: string) => void = () => {},
): Tokens {
  const firstFile = path.join(paths.state, firstTokenFile);
  const file = path.join(paths.state, tokensFile);
  let seen: string | null = null;
  let known: Known[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lastComplaint = '';
  const given = createMachineTokens(storage.machine, clock, scopes, complain);
  let seenGiven = given.current();

  const look = (): Known[] => {
    const now = clock.monotonic();
    if (now - lookedAt < lookEveryMs) return known;
    lookedAt = now;
    try {
      const signature = `${storage.signature(firstFile)} ${storage.signature(file)}`;
      const machineTokens = given.current();
      if (signature === seen && machineTokens === seenGiven) return known;
      const first = readFirst();
      known = [
        ...(first === '' ? [] : [firstToken(first, scopes.all)]),
        ...machineTokens.map(toKnown),
        ...storedOrNone(),
      ];
      seen = signature;
      seenGiven = machineTokens;
    } catch (error) {
      complainOnce(`The tokens cannot be read: ${messageOf(error)}. The tokens known before stay valid`);
    }
    return known;
  };

  /** A damaged list costs its own tokens; the first one still gets in. */
  const storedOrNone = (): Known[] => {
    try {
      return readStored().map(toKnown);
    } catch (error) {
      complainOnce(messageOf(error));
      return [];
    }
  };

  const complainOnce = (sentence: string) => {
    if (sentence !== lastComplaint) complain(sentence);
    lastComplaint = sentence;
  };

  const readStored = (): StoredToken[] => parseStored(storage.read(file, owned), file, scopes);

  /** Reads, edits and writes while no other process of ours does. */
  const exclusively = <T>(work: () => T): T => {
    try {
      storage.prepareDirectory(paths.state);
      return storage.locked(file, work);
    } catch (cause) {
      if (cause instanceof ServiceError || cause instanceof NewerFile) throw cause;
      throw new ServiceError('failed', `The tokens in ${paths.state} cannot be changed: ${messageOf(cause)}`, {
        cause,
      });
    } finally {
      lookedAt = Number.NEGATIVE_INFINITY;
    }
  };

  const change = <T>(edit: (stored: StoredToken[]) => { stored: StoredToken[]; result: T }): T =>
    exclusively(() => {
      const { stored, result } = edit(readStored());
      storage.write(file, storedText(stored));
      return result;
    });

  const readFirst = () => storage.read(firstFile, owned)?.trim() ?? '';

  const writeFirst = (): string => {
    const secret = newSecret();
    storage.write(firstFile, `${secret}\n`);
    return secret;
  };

  const add = (name: string, scopes: Scope[], kind: TokenKind, secret: string): TokenInfo => {
    const id = randomBytes(6).toString('hex');
    const token: TokenInfo = { id, name, scopes, kind, created: new Date(clock.now()).toISOString() };
    return change((stored) => {
      checkTokenName(name, [...stored, ...look()]);
      if (stored.length >= maxTokens)
        throw new ServiceError('conflict', `There are ${maxTokens} tokens already; revoke some first`);
      return { stored: [...stored, { ...token, sha256: sha256(secret).toString('hex') }], result: token };
    });
  };

  const isFirst = (idOrName: string) =>
    idOrName === firstTokenName || look().some(({ id, name }) => name === firstTokenName && id === idOrName);

  const pick = (stored: StoredToken[], idOrName: string): StoredToken => {
    if (given.current().some(({ id, name }) => id === idOrName || name === idOrName))
      throw new ServiceError(
        'conflict',
        `The token ${JSON.stringify(idOrName)} was given to this machine by its administrator, in ${storage.machine?.directory}/${machineTokensDirectory}, and can be changed only there`,
      );
    // By its id first: files made before such names were refused may hold a name that is the id of another one.
    const found = stored.find(({ id }) => id === idOrName) ?? stored.find(({ name }) => name === idOrName);
    if (found !== undefined) return found;
    throw new ServiceError(
      'not_found',
      `There is no token ${JSON.stringify(idOrName.slice(0, 64))}; "${ownCommand('token list')}" lists them`,
    );
  };

  return {
    firstFile,
    file,
    find(secret) {
      const presented = sha256Once(secret);
      let found: Known | null = null;
      // No early end: how long it takes must not tell how far it came.
      for (const token of look()) if (isSame(token.hash, presented)) found = token;
      return found;
    },
    follow(changed) {
      let last = known;
      const lookAgain = () => {
        lookedAt = Number.NEGATIVE_INFINITY;
        given.expire();
        const now = look();
        if (now === last) return;
        last = now;
        changed();
      };
      const stopFollowing = followFiles({ storage, paths, clock }, complainOnce, lookAgain);
      const stopGiven = storage.machine?.watch(machineTokensDirectory, lookAgain);
      // Of what changed just before, nobody would tell any more.
      lookedAt = Number.NEGATIVE_INFINITY;
      last = look();
      return () => {
        stopFollowing();
        stopGiven?.();
      };
    },
    granted: (id) => look().find((token) => token.id === id)?.granted ?? null,
    list: () => look().map(toInfo),
    // Whoever comes first makes it, also when two start at once.
    first: () => readFirst() || exclusively(() => readFirst() || writeFirst()),
    create(name, scopes, kind = 'general') {
      const secret = newSecret();
      return { secret, token: add(name, scopes, kind, secret) };
    },
    adopt: (name, scopes, secret) => add(name, scopes, 'general', secret),
    revoke(idOrName) {
      if (isFirst(idOrName)) {
        throw new ServiceError(
          'conflict',
          `The first token cannot be revoked, only replaced: "${ownCommand('token rotate')}"`,
        );
      }
      return change((stored) => {
        const token = pick(stored, idOrName);
        return { stored: stored.filter((other) => other !== token), result: toInfo(token) };
      });
    },
    rotate(idOrName) {
      if (isFirst(idOrName)) return exclusively(writeFirst);
      const secret = newSecret();
      return change((stored) => {
        const token = pick(stored, idOrName);
        // A new id as well: what was opened with the old secret ends.
        const renewed = { ...token, id: randomBytes(6).toString('hex'), sha256: sha256(secret).toString('hex') };
        return { stored: stored.map((other) => (other === token ? renewed : other)), result: secret };
      });
    },
  };
}

function firstToken(secret: string, scopes: readonly Scope[]): Known {
  const sum = sha256(secret);
  // The id follows the secret, so that a replaced token is another token.
  const id = `main-${sum.toString('hex').slice(0, 12)}`;
  return {
    id,
    name: firstTokenName,
    scopes: [...scopes],
    kind: 'general',
    created: null,
    granted: new Set(scopes),
    hash: sum,
  };
}

const toKnown = ({ sha256, ...info }: StoredToken): Known => ({
  ...info,
  granted: new Set(info.scopes),
  hash: Buffer.from(sha256, 'hex'),
});

const toInfo = ({ id, name, scopes, kind, created }: TokenInfo): TokenInfo => ({ id, name, scopes, kind, created });

/** 256 random bits, in characters that need no escaping anywhere. */
const newSecret = () => randomBytes(32).toString('base64url');
