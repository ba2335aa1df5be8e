import { canHoldKey, dropKey, type KeptSession, keptSession, makeKey, putKey, sign } from './session-key.ts';

/** A session with another machine: as here, a short token in memory, and a key that the browser holds and nobody can read. */
interface RemoteSession {
  token: string;
  kept: KeptSession | null;
}

interface RemoteAnswer {
  token: string;
  session: { id: string; stay: boolean };
}

/** The other machine answered and said no. */
export class RemoteRefused extends Error {
  /** It does not know this browser, or its token; a machine that is busy says another thing in a moment. */
  readonly isFinal: boolean;
  constructor(sentence: string, status: number) {
    super(sentence);
    this.isFinal = status === 401 || status === 403;
  }
}

const held = new Map<string, RemoteSession>();
/** Says only which session is ours there; it opens nothing. */
const marker = (origin: string) => `hostler-machine ${origin}`;
/** A machine chooses the names of its sessions: it must not choose that of another one's, or of ours. */
const keyName = (origin: string, id: string) => `${origin} ${id}`;

/** Signs this browser in there, once, with a token of that machine, which is not kept. */
export async function signInTo(origin: string, token: string): Promise<void> {
  const pair = canHoldKey ? await makeKey() : null;
  const body = { code: null, public_key: pair?.publicKey, stay: true };
  const answer = await post<RemoteAnswer>(`${origin}/api/login`, body, { 'X-API-Token': token });
  const kept = pair === null ? null : { id: answer.session.id, stay: true, privateKey: pair.privateKey };
  // Before its numbers are shown: whoever loads the page again at once is still signed in there.
  if (kept !== null) {
    await putKey({ ...kept, id: keyName(origin, kept.id) }).catch(() => {});
    localStorage.setItem(marker(origin), kept.id);
  }
  held.set(origin, { token: answer.token, kept });
}

/** What one module says there; null: nobody is signed in there. Throws where it does not answer, or says no. */
export async function readRemote(origin: string, module: string): Promise<unknown> {
  const session = held.get(origin) ?? (await restore(origin));
  if (session === null) return null;
  const ask = (token: string) => fetch(`${origin}/api/data/${module}`, { headers: { 'X-API-Token': token } });
  let response = await ask(session.token);
  if (response.status === 401) {
    const renewed = session.kept === null ? null : await prove(origin, session.kept);
    if (renewed === null) {
      await forgetRemote(origin);
      return null;
    }
    response = await ask(renewed.token);
  }
  const answer = await response.json();
  if (!response.ok) throw new RemoteRefused(answer.error, response.status);
  return answer;
}

async function restore(origin: string): Promise<RemoteSession | null> {
  const id = localStorage.getItem(marker(origin));
  const found = id === null ? null : await keptSession(keyName(origin, id)).catch(() => null);
  return found === null || id === null ? null : await prove(origin, { ...found, id });
}

/** null: the session has ended there. */
async function prove(origin: string, kept: KeptSession): Promise<RemoteSession | null> {
  try {
    const { challenge } = await post<{ challenge: string }>(`${origin}/api/sessions/challenge`, {});
    const proof = { id: kept.id, challenge, signature: await sign(kept, challenge) };
    const { token } = await post<RemoteAnswer>(`${origin}/api/sessions`, proof);
    const session = { token, kept };
    held.set(origin, session);
    return session;
  } catch (thrown) {
    if (!(thrown instanceof RemoteRefused && thrown.isFinal)) throw thrown;
    await forgetRemote(origin);
    return null;
  }
}

export async function forgetRemote(origin: string): Promise<void> {
  const id = held.get(origin)?.kept?.id ?? localStorage.getItem(marker(origin));
  held.delete(origin);
  localStorage.removeItem(marker(origin));
  if (id !== null) await dropKey(keyName(origin, id));
}

/** Whoever signs out here leaves nothing for the next one to sit at this browser. */
export async function forgetRemotes(): Promise<void> {
  const kept = Object.keys(localStorage).filter((key) => key.startsWith(marker('')));
  const origins = new Set([...held.keys(), ...kept.map((key) => key.slice(marker('').length))]);
  await Promise.all([...origins].map(forgetRemote));
}

async function post<T>(url: string, body: object, headers: HeadersInit = {}): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new RemoteRefused(answer.error, response.status);
  return answer;
}
