import { signal } from '@preact/signals';
import { basePath } from './base-path.ts';
import { isFinal, logIn, Refused, resume } from './log-in.ts';
import { endRemotes } from './remote.ts';
import {
  canHoldKey,
  forget,
  keep,
  keepInTab,
  type StoredSession,
  storedId,
  storedInTab,
  storedSession,
} from './session-key.ts';

/** What the service says of a browser that signed in; see browserSessionSchema. */
export interface BrowserSession {
  id: string;
  name: string;
  scopes: string[];
  token: string;
  stay: boolean;
  address: string;
  created: string;
  last_used: string;
  expires: string;
}

export interface SignedIn {
  token: string;
  expires_in: number;
  session: BrowserSession;
}

/** The session of this browser; null: signed out. */
export const session = signal<BrowserSession | null>(null);
/** Why the sign-in page is shown again. */
export const signInProblem = signal('');
/** A sign-in happened since the page was loaded. */
export const signedInHere = signal(false);
/** Paired over plain HTTP: the page offers the encrypted address before it goes on. */
export const offersEncryption = signal(false);
/** A code or the key of this browser is being verified. */
export const signingIn = signal(false);

/** With a key in memory only: the next program on this port must not find it in the browser. Without one see keepInTab. */
const held: {
  token: string;
  since: number;
  stored: StoredSession | null;
  renewing: Promise<void> | null;
  timer: ReturnType<typeof setTimeout> | undefined;
} = { token: '', since: 0, stored: null, renewing: null, timer: undefined };

/** Tokens younger than this are not renewed. */
const freshMs = 5000;
const retryMs = 10_000;

/** Called before anything is drawn: a code must not stay where it is. */
export function beginSession(): void {
  const code = takeLoginCode();
  const id = storedId();
  if (code !== null) void during(signInWithCode(code));
  else if (id !== null) void during(restore(id));
  else restoreTab();
}

/** Over plain HTTP a reload keeps the session. The service refuses a token that is over, and with that the page signs out. */
function restoreTab(): void {
  const kept = storedInTab();
  if (kept !== null) hold(kept as SignedIn, null);
}

/** Where the page of `hostler open` leaves its one-time code for us; see src/transports/http/routes/login-page.ts. */
const codeKey = 'hostler-login-code';

function takeLoginCode(): string | null {
  const code = sessionStorage.getItem(codeKey);
  sessionStorage.removeItem(codeKey);
  return code;
}

/** What "hostler open --print" shows for typing, as opposed to a token. */
export const isLoginCode = (text: string) => /^[0-9a-z]{4}-?[0-9a-z]{4}-?[0-9a-z]{4}$/i.test(text);

async function signInWithCode(code: string): Promise<void> {
  const before = storedId();
  const problem = await signIn({ code }, true);
  if (problem !== '') return signOut(problem);
  // The previous session is no longer needed; if the service does not end it, it expires.
  if (before !== null) await send('DELETE', '/api/sessions', { id: before }).catch(() => {});
}

/** Returns the error of the service; empty: none. */
export async function signIn(credential: { code: string } | { token: string }, stay: boolean): Promise<string> {
  try {
    const { signedIn, privateKey } = await logIn<SignedIn>(basePath, credential, stay);
    await enter(signedIn, privateKey);
    return '';
  } catch (thrown) {
    return isRefusal(thrown) ? thrown.message : 'The service does not answer. Is it running, and is this its address?';
  }
}

/** The session that the service opened for this browser, with the key that resumes it; null: none. */
export async function enter(signedIn: SignedIn, privateKey: CryptoKey | null): Promise<void> {
  await forget(storedId());
  const { id, stay } = signedIn.session;
  const stored = privateKey === null ? null : { id, stay, privateKey };
  signInProblem.value = '';
  signedInHere.value = true;
  // Stored before the page is shown, so that the session survives an immediate reload. A browser without storage keeps it until the page is left.
  if (stored !== null) await keep(stored).catch(() => {});
  else if (!canHoldKey) keepInTab(signedIn);
  hold(signedIn, stored);
}

async function restore(id: string): Promise<void> {
  held.stored = await storedSession(id).catch(() => null);
  if (held.stored === null) return signOut();
  await renew().catch((thrown) => {
    if (isFinal(thrown)) signOut(thrown.message);
    // The key stays: the next attempt may succeed.
    else if (isRefusal(thrown)) signInProblem.value = `${thrown.message}. Reload the page.`;
    else signInProblem.value = 'The service does not answer. Reload the page when the service is running.';
  });
}

export function signOut(problem = ''): void {
  const id = session.value?.id ?? held.stored?.id ?? storedId();
  clearTimeout(held.timer);
  Object.assign(held, { token: '', since: 0, stored: null });
  void forget(id);
  void endRemotes();
  offersEncryption.value = false;
  signInProblem.value = problem;
  session.value = null;
}

/** At the request of the user: the service ends the session as well. */
export function endSession(): void {
  const id = session.value?.id;
  if (id !== undefined) void send('DELETE', '/api/sessions', { id }).catch(() => {});
  signOut();
}

/** A new token for the same session, by proof of its key. Concurrent callers share one attempt. */
export function renew(): Promise<void> {
  held.renewing ??= prove().finally(() => {
    held.renewing = null;
  });
  return held.renewing;
}

async function prove(): Promise<void> {
  const { stored } = held;
  if (stored === null) throw new Refused('You were signed out. Sign in again.', 401);
  const renewed = await resume<SignedIn>(basePath, stored);
  if (held.stored === stored) hold(renewed, stored);
}

function hold({ token, expires_in, session: next }: SignedIn, stored: StoredSession | null): void {
  Object.assign(held, { token, since: performance.now(), stored });
  if (session.peek()?.id !== next.id) session.value = next;
  clearTimeout(held.timer);
  if (stored !== null) renewAfter(expires_in * 600);
}

/** After a temporary failure it is tried again before the token expires. */
function renewAfter(ms: number): void {
  held.timer = setTimeout(() => {
    const again = held.timer;
    renewOrEnd().catch(() => {
      if (held.stored !== null && held.timer === again) renewAfter(retryMs);
    });
  }, ms);
}

/** Rejects where the service does not answer; a session that has ended is signed out. */
export async function renewOrEnd(): Promise<void> {
  try {
    await renew();
  } catch (thrown) {
    if (isFinal(thrown)) signOut(thrown.message);
    throw thrown;
  }
}

export const currentToken = () => held.token;

/** Before a connection: the service may have restarted, which invalidates earlier tokens. */
export async function freshToken(): Promise<string> {
  if (held.stored !== null && performance.now() - held.since > freshMs) await renewOrEnd();
  return held.token;
}

/** Sends a request with the token of this session. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const send = () => fetch(basePath + path, { ...init, headers: { ...init.headers, 'X-API-Token': held.token } });
  const response = await send();
  if (response.status !== 401 || session.peek() === null) return response;
  try {
    await renewOrEnd();
  } catch {
    return response;
  }
  return await send();
}

/** The answer as a value; null: there is none. */
export async function askJson<T>(path: string): Promise<T | null> {
  const response = await ask(path).catch(() => null);
  return response?.ok ? await response.json().catch(() => null) : null;
}

/** The same for a request of any kind; throws the error of the service. */
export async function send(method: string, path: string, body?: object): Promise<unknown> {
  const response = await ask(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    keepalive: true,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

/** As opposed to an error of the service, or of a proxy before it. */
const isRefusal = (thrown: unknown): thrown is Refused => thrown instanceof Refused && thrown.status < 500;

async function during(work: Promise<void>): Promise<void> {
  signingIn.value = true;
  await work.catch(() => {});
  signingIn.value = false;
}
