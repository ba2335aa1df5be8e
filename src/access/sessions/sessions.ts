import { randomBytes } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import { firstOfMost } from '../../lib/fair-share.ts';
import type { Scope, Scopes } from '../scopes.ts';
import { createSealedIds } from '../sealed-ids.ts';
import { createShortTokens } from '../tokens/short-tokens.ts';
import type { Grant, Tokens } from '../tokens/tokens.ts';
import { followFiles } from '../tokens/watch-files.ts';
import type { BrowserSession, StoredSession } from './session-file.ts';
import {
  changeSessions,
  createSessionList,
  currentSessions,
  pairedTokenId,
  type SessionList,
  type SessionsHost,
  scopesLeft,
  toShow,
} from './session-list.ts';
import type { Proof } from './session-proof.ts';
import { isSignedBy, isUsableKey } from './session-proof.ts';

export { pairedTokenId } from './session-list.ts';

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
  key: string | null;
}

/** Browsers that signed in. The file holds public keys only, which grant no access. */
export interface BrowserSessions {
  open(from: Grant, wanted: NewSession): Promise<SignedIn>;
  challenge(): { challenge: string; expires_in: number };
  /** Another token for a browser that proves possession of the key of its session; null: the proof is wrong. */
  resume(proof: Proof, address: string): Promise<SignedIn | null>;
  /** The session behind a short-lived token. */
  find(secret: string): Grant | null;
  valid(id: string): boolean;
  /** What a session found earlier grants by now; null: it is over. */
  granted(id: string): ReadonlySet<Scope> | null;
  list(): BrowserSession[];
  end(id: string): BrowserSession;
  /** Ends the sessions without a key, which cannot be resumed after a restart of the service. */
  clear(): void;
  /** Calls back when a session may have ended; returns a function that stops it. */
  follow(changed: () => void): () => void;
}

/** Lifetime of the token in the memory of a browser. A page without a key cannot get another one, so its token has to last. */
const tokenMs = { withKey: 5 * 60_000, withoutKey: 12 * 3600_000 };
/** Lifetime of a session after its last use. */
const sessionMs = { short: 12 * 3600_000, stay: 30 * 24 * 3600_000 };
/** The use of a session is written to the file this often at most; a new address earlier, but not with each change. */
const noteUseMs = { sameAddress: 10 * 60_000, newAddress: 10_000 };
const maxSessions = 50;

/** Of what a browser signs to prove possession of its key: valid once, and briefly, so signatures cannot be collected in advance. */
export const challengeMs = 60_000;

export function openBrowserSessions(
  allScopes: Scopes,
  host: SessionsHost,
  tokens: Pick<Tokens, 'granted'>,
  complain: (sentence: string) => void = () => {},
): BrowserSessions {
  const list = createSessionList(allScopes, host, tokens, complain);
  const challenges = createSealedIds(host.clock, challengeMs);
  const short = createShortTokens<string>(host.clock, { perOwner: 16, inAll: 1024 });
  const find = (id: string) => currentSessions(list).find((session) => session.id === id);
  const signedIn = (session: StoredSession): SignedIn => {
    const lifeMs = session.key === null ? tokenMs.withoutKey : tokenMs.withKey;
    const token = short.issue(session.id, session.id, lifeMs);
    return { token, expires_in: lifeMs / 1000, session: toShow(list, session) };
  };
  return {
    async open(from, wanted) {
      if (wanted.key !== null && !(await isUsableKey(wanted.key)))
        throw new ServiceError('invalid', 'public_key must be a P-256 key, as an uncompressed point in base64url');
      const session = newSession(from, wanted, host.clock.now());
      return changeSessions(list, (sessions) => ({
        sessions: withRoom([...sessions, session]),
        result: signedIn(session),
      }));
    },
    challenge: () => ({ challenge: challenges.issue(), expires_in: challengeMs / 1000 }),
    async resume({ origin, id, challenge, signature }, address) {
      if (challenges.find(challenge) === null) return null;
      const before = find(id);
      if (before === undefined || before.key === null) return null;
      if (!(await isSignedBy(before.key, { origin, id, challenge, signature })) || !challenges.use(challenge))
        return null;
      // It may have been ended meanwhile.
      const session = find(id);
      return session === undefined ? null : signedIn(noteUse(list, session, address));
    },
    find(secret) {
      const id = short.find(secret);
      const session = id === null ? undefined : find(id);
      return session === undefined ? null : toGrant(session, scopesLeft(list, session));
    },
    valid: (id) => find(id) !== undefined,
    granted(id) {
      const session = find(id);
      return session === undefined ? null : new Set(scopesLeft(list, session));
    },
    list: () => currentSessions(list).map((session) => toShow(list, session)),
    end: (id) =>
      changeSessions(list, (sessions) => {
        const ended = sessions.find((session) => session.id === id);
        if (ended === undefined)
          throw new ServiceError('not_found', `There is no browser session ${JSON.stringify(id.slice(0, 64))}`);
        return { sessions: sessions.filter((session) => session !== ended), result: toShow(list, ended) };
      }),
    clear() {
      if (currentSessions(list).every(({ key }) => key !== null)) return;
      changeSessions(list, (sessions) => ({ sessions: sessions.filter(({ key }) => key !== null), result: null }));
    },
    follow(changed) {
      let last = currentSessions(list);
      return followFiles(host, complain, () => {
        list.checkedAt = Number.NEGATIVE_INFINITY;
        const now = currentSessions(list);
        const gone = last.some(({ id }) => !now.some((other) => other.id === id));
        last = now;
        if (gone) changed();
      });
    },
  };
}

function newSession(from: Grant, { key, stay: wantsToStay, ...about }: NewSession, now: number): StoredSession {
  // Only a key can prove later that this is the same browser.
  const stay = wantsToStay && key !== null;
  return {
    id: `browser-${randomBytes(6).toString('hex')}`,
    ...about,
    scopes: [...from.scopes],
    token: from.name,
    tokenId: from.id,
    stay,
    key,
    created: isoTime(now),
    ...timesOf(stay, now),
  };
}

function noteUse(list: SessionList, session: StoredSession, address: string): StoredSession {
  const now = list.host.clock.now();
  const idleMs = now - Date.parse(session.last_used);
  const everyMs = address === session.address ? noteUseMs.sameAddress : noteUseMs.newAddress;
  if (idleMs >= 0 && idleMs < everyMs) return session;
  const used = { ...session, address, ...timesOf(session.stay, now) };
  return changeSessions(list, (sessions) => ({
    sessions: sessions.map((other) => (other.id === session.id ? used : other)),
    result: used,
  }));
}

const timesOf = (stay: boolean, now: number) => ({
  last_used: isoTime(now),
  expires: isoTime(now + (stay ? sessionMs.stay : sessionMs.short)),
});

/** Above the limit the least recently used session of the token with most sessions ends, so that no token can sign out the sessions of another. */
function withRoom(sessions: StoredSession[]): StoredSession[] {
  if (sessions.length <= maxSessions) return sessions;
  const byUse = sessions.toSorted((a, b) => Date.parse(a.last_used) - Date.parse(b.last_used));
  const going = firstOfMost(byUse, ({ tokenId }) => tokenId);
  return withRoom(sessions.filter((session) => session !== going));
}

const isoTime = (ms: number) => new Date(ms).toISOString();

const toGrant = ({ id, name, created, tokenId }: StoredSession, scopes: Scope[]): Grant => ({
  id,
  // The user allowed each paired browser at the screen, so none of them can multiply its share.
  shareId: tokenId === pairedTokenId ? id : tokenId,
  name,
  scopes,
  kind: 'browser',
  created,
  granted: new Set(scopes),
});
