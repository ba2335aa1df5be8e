import { isSame, isSameText, randomBytes, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { Scope, Scopes } from '../scopes.ts';
import { machineTokensDirectory } from './machine-tokens.ts';
import type { StoredGrant, StoredToken, TokenInfo, TokenKind } from './token-file.ts';
import {
  type ChangeTokens,
  changeStored,
  createTokenList,
  currentTokens,
  exclusively,
  expire,
  type KnownToken,
  readFirst,
  type TokenList,
  type TokensHost,
} from './token-list.ts';
import { checkTokenName, firstTokenName } from './token-names.ts';
import { followFiles } from './watch-files.ts';

export { firstTokenName } from './token-names.ts';

/** A token of a kind, or the short-lived one of a browser that signed in. */
export type GrantKind = TokenKind | 'browser';

export interface Grant extends Omit<TokenInfo, 'kind'> {
  kind: GrantKind;
  granted: ReadonlySet<Scope>;
  shareId?: string;
  oauth?: Pick<StoredGrant, 'access_expires'>;
}

/** The tokens on disk. A change by another process of this service takes effect with the next check of the files. */
export interface Tokens {
  /** The token with this secret; null: no token has it. Takes as long for a wrong secret as for a right one. */
  find(secret: string): Grant | null;
  /** What a token found earlier grants by now; null: it is no longer valid. */
  granted(id: string): ReadonlySet<Scope> | null;
  /** Whether this was the secret of a grant of OAuth and has expired. */
  hasExpired(secret: string): boolean;
  list(): TokenInfo[];
  /** The secret of the first token, which has every scope; created when missing. */
  first(): string;
  create(name: string, scopes: Scope[], kind?: Exclude<TokenKind, 'oauth'>): { secret: string; token: TokenInfo };
  /** A token with a secret that the client has chosen. */
  adopt(name: string, scopes: Scope[], secret: string): TokenInfo;
  /** Its secret stays; what is open with it may do the new things at once. */
  addScopes(idOrName: string, scopes: readonly Scope[]): TokenInfo;
  revoke(idOrName: string): TokenInfo;
  /** A new secret in place of the old one. */
  rotate(idOrName: string): string;
  /** Whether a grant of OAuth has this hash: of its family, its refresh token or its access token. Takes no lock. */
  hasGrant(sha256: string): boolean;
  /** Changes the tokens of the file, for grants of OAuth. */
  change: ChangeTokens;
  /** Calls back when any process of this service changed the tokens; returns a function that stops it. */
  follow(changed: () => void): () => void;
  firstFile: string;
  file: string;
}

const maxTokens = 100;

/** `complain` receives a sentence about each file that cannot be used, once for each problem. */
export function openTokens(scopes: Scopes, host: TokensHost, complain: (sentence: string) => void = () => {}): Tokens {
  const list = createTokenList(scopes, host, complain);
  return {
    firstFile: list.firstFile,
    file: list.file,
    find(secret) {
      const found = match(list, secret);
      return found !== null && isFresh(found, host.clock.now()) ? found : null;
    },
    hasExpired(secret) {
      const found = match(list, secret);
      return found !== null && !isFresh(found, host.clock.now());
    },
    hasGrant: (sha256) =>
      currentTokens(list).some(
        ({ oauth, hash }) =>
          oauth !== undefined && [oauth.family, oauth.refresh, hash.toString('hex')].includes(sha256),
      ),
    change: (edit) => changeStored(list, edit),
    follow: (changed) => followTokens(list, changed),
    granted: (id) => living(list).find((token) => token.id === id)?.granted ?? null,
    list: () => living(list).map(toInfo),
    // Checked again under the lock: two processes may start at once.
    first: () => readFirst(list) || exclusively(list, () => readFirst(list) || writeFirst(list)),
    create(name, scopes, kind = 'general') {
      const secret = newSecret();
      return { secret, token: add(list, { name, scopes, kind }, secret) };
    },
    adopt: (name, scopes, secret) => add(list, { name, scopes, kind: 'general' }, secret),
    addScopes(idOrName, added) {
      if (isFirst(list, idOrName)) throw new ServiceError('conflict', 'The first token has every scope already');
      return changeStored(list, (stored) => {
        const token = pick(list, stored, idOrName);
        const wider = { ...token, scopes: scopes.all.filter((scope) => [...token.scopes, ...added].includes(scope)) };
        return { stored: stored.map((other) => (other === token ? wider : other)), result: toInfo(wider) };
      });
    },
    revoke(idOrName) {
      if (isFirst(list, idOrName)) {
        throw new ServiceError(
          'conflict',
          `The first token cannot be revoked, only replaced: "${ownCommand('token rotate')}"`,
        );
      }
      return changeStored(list, (stored) => {
        const token = pick(list, stored, idOrName);
        return { stored: stored.filter((other) => other !== token), result: toInfo(token) };
      });
    },
    rotate(idOrName) {
      if (isFirst(list, idOrName)) return exclusively(list, () => writeFirst(list));
      const secret = newSecret();
      return changeStored(list, (stored) => {
        const token = pick(list, stored, idOrName);
        if (token.kind === 'oauth')
          throw new ServiceError('conflict', 'A grant of OAuth is renewed by its client; revoke it instead');
        // A new id as well: what was opened with the old secret ends.
        const renewed = { ...token, id: newId(), sha256: hashOf(secret) };
        return { stored: stored.map((other) => (other === token ? renewed : other)), result: secret };
      });
    },
  };
}

/** Without grants of OAuth that ended. */
const living = (list: TokenList): KnownToken[] => {
  const now = list.host.clock.now();
  return currentTokens(list).filter(({ expires }) => expires === undefined || Date.parse(expires) > now);
};

function match(list: TokenList, secret: string): KnownToken | null {
  const known = currentTokens(list);
  if (list.last?.known === known && isSameText(list.last.secret, secret)) return list.last.token;
  const presented = sha256(secret);
  let found: KnownToken | null = null;
  // No early exit: the duration must not reveal the position of the match.
  for (const token of known) if (isSame(token.hash, presented)) found = token;
  if (found !== null) list.last = { known, secret, token: found };
  return found;
}

const isFresh = ({ oauth }: KnownToken, now: number) => oauth === undefined || Date.parse(oauth.access_expires) > now;

function followTokens(list: TokenList, changed: () => void): () => void {
  const { storage } = list.host;
  let last = list.known;
  const checkAgain = () => {
    expire(list);
    list.machineTokens.expire();
    const now = currentTokens(list);
    if (now === last) return;
    last = now;
    changed();
  };
  const stopFollowing = followFiles(list.host, list.complain, checkAgain);
  const stopMachine = storage.machine?.watch(machineTokensDirectory, checkAgain);
  // The watch does not announce what changed just before it began.
  expire(list);
  last = currentTokens(list);
  return () => {
    stopFollowing();
    stopMachine?.();
  };
}

function writeFirst({ host, firstFile }: TokenList): string {
  const secret = newSecret();
  host.storage.write(firstFile, `${secret}\n`);
  return secret;
}

function add(list: TokenList, wanted: Pick<TokenInfo, 'name' | 'scopes' | 'kind'>, secret: string): TokenInfo {
  const token: TokenInfo = { id: newId(), ...wanted, created: new Date(list.host.clock.now()).toISOString() };
  return changeStored(list, (stored) => {
    checkTokenName(token.name, [...stored, ...currentTokens(list)]);
    if (stored.length >= maxTokens)
      throw new ServiceError('conflict', `There are ${maxTokens} tokens already; revoke some first`);
    return { stored: [...stored, { ...token, sha256: hashOf(secret) }], result: token };
  });
}

const isFirst = (list: TokenList, idOrName: string) =>
  idOrName === firstTokenName || currentTokens(list).some(({ id, name }) => name === firstTokenName && id === idOrName);

function pick({ host, machineTokens }: TokenList, stored: StoredToken[], idOrName: string): StoredToken {
  if (machineTokens.current().some(({ id, name }) => id === idOrName || name === idOrName))
    throw new ServiceError(
      'conflict',
      `The token ${JSON.stringify(idOrName)} was given to this machine by its administrator, in ${host.storage.machine?.directory}/${machineTokensDirectory}, and can be changed only there`,
    );
  // By id first: files of older versions may hold a name that is the id of another token.
  const found = stored.find(({ id }) => id === idOrName) ?? stored.find(({ name }) => name === idOrName);
  if (found !== undefined) return found;
  throw new ServiceError(
    'not_found',
    `There is no token ${JSON.stringify(idOrName.slice(0, 64))}; "${ownCommand('token list')}" lists them`,
  );
}

const toInfo = ({ id, name, scopes, kind, created, expires }: TokenInfo): TokenInfo => ({
  ...{ id, name, scopes, kind, created },
  ...(expires !== undefined && { expires }),
});

/** 256 random bits, in characters that need no escaping anywhere. */
const newSecret = () => randomBytes(32).toString('base64url');
const newId = () => randomBytes(6).toString('hex');
const hashOf = (secret: string) => sha256(secret).toString('hex');
