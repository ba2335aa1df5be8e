import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { isTemporary, messageOf, ServiceError } from '../../lib/errors.ts';
import type { Scope, Scopes } from '../scopes.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { type BrowserSession, parseSessions, type StoredSession } from './session-file.ts';

const browsersFile = 'browsers.json';
/** In place of a token's id: the user allowed this browser by pairing, so it does not end with a token. No token has this id. */
export const pairedTokenId = 'paired';
/** A session ended by another process is refused after this at the latest. */
const checkEveryMs = 20;

export type SessionsHost = Pick<Host, 'storage' | 'paths' | 'clock'>;

export interface SessionList {
  allScopes: Scopes;
  host: SessionsHost;
  tokens: Pick<Tokens, 'granted'>;
  file: string;
  complain(sentence: string): void;
  known: StoredSession[];
  signature: string | null;
  /** Monotonic time of the last check of the file. */
  checkedAt: number;
}

export const createSessionList = (
  allScopes: Scopes,
  host: SessionsHost,
  tokens: Pick<Tokens, 'granted'>,
  complain: (sentence: string) => void,
): SessionList => {
  let lastComplaint = '';
  return {
    allScopes,
    host,
    tokens,
    file: path.join(host.paths.state, browsersFile),
    complain(sentence) {
      if (sentence !== lastComplaint) complain(sentence);
      lastComplaint = sentence;
    },
    known: [],
    signature: null,
    checkedAt: Number.NEGATIVE_INFINITY,
  };
};

/** Never throws: timers and watchers call it. */
export function currentSessions(list: SessionList): StoredSession[] {
  const now = list.host.clock.monotonic();
  if (now - list.checkedAt >= checkEveryMs) {
    list.checkedAt = now;
    readChanges(list);
  }
  return list.known.filter((session) => isLive(list, session));
}

/** A file that others can change, or that is no longer readable, ends all sessions. */
function readChanges(list: SessionList): void {
  const { storage } = list.host;
  let signature: string | null = null;
  try {
    signature = storage.signature(list.file);
    if (signature === list.signature) return;
    list.known = parseSessions(storage.read(list.file, { owned: true }), list.allScopes);
  } catch (error) {
    if (isTemporary(error)) return;
    list.complain(`The browsers are signed out, because their sessions cannot be read: ${messageOf(error)}`);
    list.known = [];
  }
  list.signature = signature;
}

export function changeSessions<T>(
  list: SessionList,
  edit: (sessions: StoredSession[]) => { sessions: StoredSession[]; result: T },
): T {
  const { storage, paths } = list.host;
  try {
    storage.prepareDirectory(paths.state);
    return storage.locked(list.file, () => {
      const stored = parseSessions(storage.read(list.file, { owned: true }), list.allScopes);
      const { sessions, result } = edit(stored.filter((session) => isLive(list, session)));
      storage.write(list.file, `${JSON.stringify({ sessions }, null, 2)}\n`);
      return result;
    });
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `${list.file} cannot be changed: ${messageOf(cause)}`, { cause });
  } finally {
    list.checkedAt = Number.NEGATIVE_INFINITY;
  }
}

/** The token may have lost scopes since the browser signed in. */
export function scopesLeft({ tokens }: SessionList, { tokenId, scopes }: StoredSession): Scope[] {
  if (tokenId === pairedTokenId) return scopes;
  const granted = tokens.granted(tokenId);
  return scopes.filter((scope) => granted?.has(scope));
}

export function toShow(list: SessionList, stored: StoredSession): BrowserSession {
  const { tokenId: _tokenId, key: _key, ...session } = stored;
  return { ...session, scopes: scopesLeft(list, stored) };
}

const isLive = ({ host, tokens }: SessionList, { expires, tokenId }: StoredSession) =>
  Date.parse(expires) > host.clock.now() && (tokenId === pairedTokenId || tokens.granted(tokenId) !== null);
