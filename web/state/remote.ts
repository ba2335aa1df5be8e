import { ownKey } from './base-path.ts';
import { isFinal, logIn, Refused, resume } from './log-in.ts';
import { dropKey, putKey, type StoredSession, storedSession } from './session-key.ts';

/** A session with another machine: a short-lived token in memory, and a key that the browser does not reveal. */
interface RemoteSession {
  id: string;
  token: string;
  stored: StoredSession | null;
}

interface RemoteResponse {
  token: string;
  session: { id: string; stay: boolean };
}

const held = new Map<string, RemoteSession>();
/** Only the id of the session there; it grants no access. */
const marker = (origin: string) => `${ownKey('hostler-machine')} ${origin}`;
/** A machine chooses the names of its sessions: it must not choose that of another one's, or of ours. */
const keyName = (origin: string, id: string) => `${origin} ${id}`;

/** Signs this browser in there, once, with a token of that machine, which is not stored. */
export async function signInTo(origin: string, token: string): Promise<void> {
  const { signedIn: login, privateKey } = await logIn<RemoteResponse>(origin, { token }, true);
  const stored = privateKey === null ? null : { id: login.session.id, stay: true, privateKey };
  // Stored before its data is shown, so that the session survives an immediate reload.
  if (stored !== null) {
    await putKey({ ...stored, id: keyName(origin, stored.id) }).catch(() => {});
    localStorage.setItem(marker(origin), stored.id);
  }
  held.set(origin, { id: login.session.id, token: login.token, stored });
}

/** The payload of one module there; null: no session there. Throws if it does not answer or refuses. */
export async function readRemote(origin: string, module: string): Promise<unknown> {
  const session = held.get(origin) ?? (await restore(origin));
  if (session === null) return null;
  const ask = (token: string) => fetch(`${origin}/api/data/${module}`, { headers: { 'X-API-Token': token } });
  let response = await ask(session.token);
  if (response.status === 401) {
    const renewed = session.stored === null ? null : await prove(origin, session.stored);
    if (renewed === null) {
      await forgetRemote(origin);
      return null;
    }
    response = await ask(renewed.token);
  }
  const result = await response.json();
  if (!response.ok) throw new Refused(String(result.error), response.status);
  return result;
}

async function restore(origin: string): Promise<RemoteSession | null> {
  const stored = await keptSession(origin);
  return stored === null ? null : await prove(origin, stored);
}

async function keptSession(origin: string): Promise<StoredSession | null> {
  const id = localStorage.getItem(marker(origin));
  const found = id === null ? null : await storedSession(keyName(origin, id)).catch(() => null);
  return found === null || id === null ? null : { ...found, id };
}

/** null: the session has ended there. */
async function prove(origin: string, stored: StoredSession): Promise<RemoteSession | null> {
  try {
    const { token } = await resume<RemoteResponse>(origin, stored);
    const session = { id: stored.id, token, stored };
    held.set(origin, session);
    return session;
  } catch (thrown) {
    if (!isFinal(thrown)) throw thrown;
    await forgetRemote(origin);
    return null;
  }
}

/** Here at once, and there when the machine answers. */
export async function endRemote(origin: string): Promise<void> {
  const known = held.get(origin);
  const stored = known?.stored ?? (await keptSession(origin));
  await forgetRemote(origin);
  try {
    // A held token may have expired.
    const token = stored === null ? known?.token : (await resume<RemoteResponse>(origin, stored)).token;
    if (token === undefined) return;
    await fetch(`${origin}/api/sessions`, {
      method: 'DELETE',
      headers: { 'Content-Type': 'application/json', 'X-API-Token': token },
      body: JSON.stringify({ id: stored?.id ?? known?.id }),
      keepalive: true,
    });
  } catch {}
}

async function forgetRemote(origin: string): Promise<void> {
  const id = held.get(origin)?.stored?.id ?? localStorage.getItem(marker(origin));
  held.delete(origin);
  localStorage.removeItem(marker(origin));
  if (id !== null) await dropKey(keyName(origin, id));
}

/** Signing out here also ends the sessions with other machines. */
export async function endRemotes(): Promise<void> {
  const stored = Object.keys(localStorage).filter((key) => key.startsWith(marker('')));
  const origins = new Set([...held.keys(), ...stored.map((key) => key.slice(marker('').length))]);
  await Promise.all([...origins].map(endRemote));
}
