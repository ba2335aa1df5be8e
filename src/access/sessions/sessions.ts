import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { randomBytes } from '../../lib/digest.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { firstOfMost } from '../../lib/fair-share.ts';
import type { Scope, Scopes } from '../scopes.ts';
import { createShortTokens } from '../tokens/short-tokens.ts';
import type { Grant, Tokens } from '../tokens/tokens.ts';
import { followFiles } from '../tokens/watch-files.ts';
import { challengeMs, createChallenges } from './challenges.ts';
import { type BrowserSession, parseSessions, type StoredSession } from './session-file.ts';
import type { Proof } from './session-proof.ts';
import { isSignedBy, isUsableKey } from './session-proof.ts';

/** What a browser gets: a token for minutes, which it keeps in memory, and what it may show of its session. */
export interface SignedIn {
  token: string;
  /** Seconds. */
  expires_in: number;
  session: BrowserSession;
}

export interface NewSession {
  name: string;
  address: string;
  stay: boolean;
  /** See StoredSession. */
  key: string | null;
}

/** Browsers that signed in. On disk there is nothing that lets anybody in: public keys only. */
export interface BrowserSessions {
  open(from: Grant, wanted: NewSession): Promise<SignedIn>;
  challenge(): { challenge: string; expires_in: number };
  /** Another token for a browser that proves to hold the key of its session; null: it does not. */
  resume(proof: Proof, address: string): Promise<SignedIn | null>;
  /** The session behind a short-lived token. */
  find(secret: string): Grant | null;
  valid(id: string): boolean;
  /** What a session found earlier grants by now; null: it is over. */
  granted(id: string): ReadonlySet<Scope> | null;
  list(): BrowserSession[];
  end(id: string): BrowserSession;
  /** Ends what cannot come back after the service was restarted. */
  clear(): void;
  /** Calls back when a session may have ended; returns the way to stop. */
  follow(changed: () => void): () => void;
}

export const browsersFile = 'browsers.json';
/** In place of a token's id: the user let this browser in by pairing, so it ends by itself only. No token has this id. */
export const pairedTokenId = 'paired';
/** Of the token a browser holds in memory. A page without a key cannot get another one, so its token has to last. */
const tokenMs = { withKey: 5 * 60_000, withoutKey: 12 * 3600_000 };
/** From the last use on. */
const sessionMs = { short: 12 * 3600_000, stay: 30 * 24 * 3600_000 };
/** The file is written this often at most for a session that is merely used. */
const noteUseMs = 10 * 60_000;
const maxSessions = 50;
const lookEveryMs = 20;

export function openBrowserSessions(
  allScopes: Scopes,
  host: Pick<Host, 'storage' | 'paths' | 'clock'>,
  tokens: Pick<Tokens, 'granted'>,
  complain: (sentence: string) => void = () => {},
): BrowserSessions {
  const { storage, paths, clock } = host;
  const file = path.join(paths.state, browsersFile);
  const challenges = createChallenges(clock);
  const short = createShortTokens<string>(clock, { perOwner: 16, inAll: 1024 });
  let known: StoredSession[] = [];
  let seen: string | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const isLive = ({ expires, tokenId }: StoredSession) =>
    Date.parse(expires) > clock.now() && (tokenId === pairedTokenId || tokens.granted(tokenId) !== null);

  /** A token may have lost some since its browser signed in. */
  const scopesLeft = ({ tokenId, scopes }: StoredSession): Scope[] => {
    if (tokenId === pairedTokenId) return scopes;
    const granted = tokens.granted(tokenId);
    return scopes.filter((scope) => granted?.has(scope));
  };

  const toShow = (stored: StoredSession): BrowserSession => {
    const { tokenId: _tokenId, key: _key, ...session } = stored;
    return { ...session, scopes: scopesLeft(stored) };
  };

  const look = (): StoredSession[] => {
    const now = clock.monotonic();
    if (now - lookedAt >= lookEveryMs) {
      lookedAt = now;
      const signature = storage.signature(file);
      if (signature !== seen) known = parseSessions(storage.read(file), allScopes);
      seen = signature;
    }
    return known.filter(isLive);
  };

  const change = <T>(edit: (sessions: StoredSession[]) => { sessions: StoredSession[]; result: T }): T => {
    try {
      storage.prepareDirectory(paths.state);
      return storage.locked(file, () => {
        const { sessions, result } = edit(parseSessions(storage.read(file), allScopes).filter(isLive));
        storage.write(file, `${JSON.stringify({ sessions }, null, 2)}\n`);
        return result;
      });
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError('failed', `${file} cannot be changed: ${messageOf(cause)}`, { cause });
    } finally {
      lookedAt = Number.NEGATIVE_INFINITY;
    }
  };

  const signedIn = (session: StoredSession): SignedIn => {
    const lifeMs = session.key === null ? tokenMs.withoutKey : tokenMs.withKey;
    return { token: short.issue(session.id, session.id, lifeMs), expires_in: lifeMs / 1000, session: toShow(session) };
  };

  const timesOf = (stay: boolean) => ({
    last_used: isoTime(clock.now()),
    expires: isoTime(clock.now() + (stay ? sessionMs.stay : sessionMs.short)),
  });

  const noteUse = (session: StoredSession, address: string): StoredSession => {
    const idleMs = clock.now() - Date.parse(session.last_used);
    if (address === session.address && idleMs >= 0 && idleMs < noteUseMs) return session;
    const used = { ...session, address, ...timesOf(session.stay) };
    return change((sessions) => ({
      sessions: sessions.map((other) => (other.id === session.id ? used : other)),
      result: used,
    }));
  };

  return {
    async open(from, { key, stay, ...about }) {
      if (key !== null && !(await isUsableKey(key)))
        throw new ServiceError('invalid', 'public_key: this is not a P-256 key, as an uncompressed point in base64url');
      const session: StoredSession = {
        id: `browser-${randomBytes(6).toString('hex')}`,
        ...about,
        scopes: [...from.scopes],
        token: from.name,
        tokenId: from.id,
        // Nothing but a key can bring it back.
        stay: stay && key !== null,
        key,
        created: isoTime(clock.now()),
        ...timesOf(stay && key !== null),
      };
      return change((sessions) => ({
        sessions: withRoom([...sessions, session]),
        result: signedIn(session),
      }));
    },
    challenge: () => ({ challenge: challenges.issue(), expires_in: challengeMs / 1000 }),
    async resume({ id, challenge, signature }, address) {
      if (!challenges.isOurs(challenge)) return null;
      const before = look().find((session) => session.id === id);
      if (before === undefined || before.key === null) return null;
      if (!(await isSignedBy(before.key, { id, challenge, signature })) || !challenges.use(challenge)) return null;
      // It may have been ended meanwhile.
      const session = look().find((other) => other.id === id);
      return session === undefined ? null : signedIn(noteUse(session, address));
    },
    find(secret) {
      const id = short.find(secret);
      const session = id === null ? undefined : look().find((other) => other.id === id);
      return session === undefined ? null : toGrant(session, scopesLeft(session));
    },
    valid: (id) => look().some((session) => session.id === id),
    granted(id) {
      const session = look().find((other) => other.id === id);
      return session === undefined ? null : new Set(scopesLeft(session));
    },
    list: () => look().map(toShow),
    end: (id) =>
      change((sessions) => {
        const ended = sessions.find((session) => session.id === id);
        if (ended === undefined)
          throw new ServiceError('not_found', `There is no browser session ${JSON.stringify(id.slice(0, 64))}`);
        return { sessions: sessions.filter((session) => session !== ended), result: toShow(ended) };
      }),
    clear() {
      if (look().every(({ key }) => key !== null)) return;
      change((sessions) => ({ sessions: sessions.filter(({ key }) => key !== null), result: null }));
    },
    follow(changed) {
      let last = look();
      return followFiles(host, complain, () => {
        lookedAt = Number.NEGATIVE_INFINITY;
        const now = look();
        const gone = last.some(({ id }) => !now.some((other) => other.id === id));
        last = now;
        if (gone) changed();
      });
    },
  };
}

/** One too many: of the token that has most of them, the one that was not used for longest goes. Nobody is signed out by the token of another. */
function withRoom(sessions: StoredSession[]): StoredSession[] {
  if (sessions.length <= maxSessions) return sessions;
  const byUse = sessions.toSorted((a, b) => Date.parse(a.last_used) - Date.parse(b.last_used));
  const going = firstOfMost(byUse, ({ tokenId }) => tokenId);
  return withRoom(sessions.filter((session) => session !== going));
}

const isoTime = (ms: number) => new Date(ms).toISOString();

const toGrant = ({ id, name, created }: StoredSession, scopes: Scope[]): Grant => ({
  id,
  name,
  scopes,
  kind: 'browser',
  created,
  granted: new Set(scopes),
});
