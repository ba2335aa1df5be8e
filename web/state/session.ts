import { signal } from '@preact/signals';
import { forgetRemotes } from './remote.ts';
import { canHoldKey, forget, type KeptSession, keep, keptId, keptSession, makeKey, sign } from './session-key.ts';

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

/** The service said no, as opposed to not answering. */
class Refused extends Error {
  /** It does not know this browser; anything else may be another answer in a moment. */
  readonly isFinal: boolean;
  constructor(sentence: string, isFinal: boolean) {
    super(sentence);
    this.isFinal = isFinal;
  }
}

/** The session of this browser; null: nobody is signed in. */
export const session = signal<BrowserSession | null>(null);
/** Why the sign-in page is shown again. */
export const signInProblem = signal('');
/** Somebody signed in since the page was loaded. */
export const signedInHere = signal(false);
/** A code is being handed in, or the key of this browser is being proven. */
export const signingIn = signal(false);

/** In memory only: whoever takes the port of a service that ended finds nothing of it in the browser. */
const held: {
  token: string;
  since: number;
  kept: KeptSession | null;
  renewing: Promise<void> | null;
  timer: ReturnType<typeof setTimeout> | undefined;
} = { token: '', since: 0, kept: null, renewing: null, timer: undefined };

/** Younger ones are used as they are. */
const freshMs = 5000;
const retryMs = 10_000;
/** Under this name older versions kept a token for good. */
const oldKey = 'hostler-token';

/** Called before anything is drawn: neither a code nor an old token may stay where it is. */
export function beginSession(): void {
  const old = [localStorage, sessionStorage].filter((storage) => storage.getItem(oldKey) !== null);
  for (const storage of old) storage.removeItem(oldKey);
  if (old.length > 0) signInProblem.value = 'Please sign in again: browsers no longer keep a token.';
  const code = takeLoginCode();
  const id = keptId();
  if (code !== null) void during(signInWithCode(code));
  else if (id !== null) void during(restore(id));
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
  const before = keptId();
  const problem = await signIn({ code }, true);
  if (problem !== '') return signOut(problem);
  // The one it had is of no more use; where the service does not let us end it, it runs out.
  if (before !== null) await send('DELETE', '/api/sessions', { id: before }).catch(() => {});
}

/** Returns what the service says against it; empty: nothing. */
export async function signIn(credential: { code: string } | { token: string }, stay: boolean): Promise<string> {
  try {
    const pair = canHoldKey ? await makeKey() : null;
    const headers: HeadersInit = 'token' in credential ? { 'X-API-Token': credential.token } : {};
    const body = { code: 'code' in credential ? credential.code : null, public_key: pair?.publicKey, stay };
    await enter(await post('/api/login', body, headers), pair?.privateKey ?? null);
    return '';
  } catch (thrown) {
    return thrown instanceof Refused
      ? thrown.message
      : 'The service does not answer. Is it running, and is this its address?';
  }
}

/** The session that the service has opened for this browser, with the key that brings it back; null: there is none. */
export async function enter(answer: SignedIn, privateKey: CryptoKey | null): Promise<void> {
  await forget(keptId());
  const { id, stay } = answer.session;
  const kept = privateKey === null ? null : { id, stay, privateKey };
  signInProblem.value = '';
  signedInHere.value = true;
  // Before the page is shown: whoever loads it again at once is still signed in. A browser that stores nothing keeps it until the page is left.
  if (kept !== null) await keep(kept).catch(() => {});
  hold(answer, kept);
}

async function restore(id: string): Promise<void> {
  held.kept = await keptSession(id).catch(() => null);
  if (held.kept === null) return signOut();
  await renew().catch((thrown) => {
    if (isOver(thrown)) signOut(thrown.message);
    // The key stays: the next attempt may succeed.
    else if (thrown instanceof Refused) signInProblem.value = `${thrown.message}. Load the page again.`;
    else signInProblem.value = 'The service does not answer. Load the page again when it runs.';
  });
}

export function signOut(problem = ''): void {
  const id = session.value?.id ?? held.kept?.id ?? keptId();
  clearTimeout(held.timer);
  Object.assign(held, { token: '', since: 0, kept: null });
  void forget(id);
  void forgetRemotes();
  signInProblem.value = problem;
  session.value = null;
}

/** As the user wants it: the service forgets the session as well. */
export function endSession(): void {
  const id = session.value?.id;
  if (id !== undefined) void send('DELETE', '/api/sessions', { id }).catch(() => {});
  signOut();
}

/** A new token for the same session, for showing that this browser still holds its key. One attempt serves all who wait. */
export function renew(): Promise<void> {
  held.renewing ??= prove().finally(() => {
    held.renewing = null;
  });
  return held.renewing;
}

async function prove(): Promise<void> {
  const { kept } = held;
  if (kept === null) throw new Refused('You were signed out. Sign in again.', true);
  const { challenge } = await post<{ challenge: string }>('/api/sessions/challenge', {});
  const signature = await sign(kept, challenge);
  const answer = await post('/api/sessions', { id: kept.id, challenge, signature });
  if (held.kept === kept) hold(answer, kept);
}

function hold({ token, expires_in, session: next }: SignedIn, kept: KeptSession | null): void {
  Object.assign(held, { token, since: performance.now(), kept });
  if (session.peek()?.id !== next.id) session.value = next;
  clearTimeout(held.timer);
  if (kept !== null) renewAfter(expires_in * 600);
}

/** Where it fails for the moment, again before the token has run out. */
function renewAfter(ms: number): void {
  held.timer = setTimeout(() => {
    const again = held.timer;
    renewOrEnd().catch(() => {
      if (held.kept !== null && held.timer === again) renewAfter(retryMs);
    });
  }, ms);
}

/** Rejects where the service does not answer; a session that has ended is signed out. */
export async function renewOrEnd(): Promise<void> {
  try {
    await renew();
  } catch (thrown) {
    if (isOver(thrown)) signOut(thrown.message);
    throw thrown;
  }
}

export const currentToken = () => held.token;

/** Before a connection is made: the service may be another run of itself by now, which knows no token of the one before. */
export async function freshToken(): Promise<string> {
  if (held.kept !== null && performance.now() - held.since > freshMs) await renewOrEnd();
  return held.token;
}

/** Asks the service as whoever signed in. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const send = () => fetch(path, { ...init, headers: { ...init.headers, 'X-API-Token': held.token } });
  const response = await send();
  if (response.status !== 401 || session.peek() === null) return response;
  try {
    await renewOrEnd();
  } catch {
    return response;
  }
  return await send();
}

/** The answer as a value; throws what the service says against it. */
export async function send(method: string, path: string, body?: object): Promise<unknown> {
  const response = await ask(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    keepalive: true,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

async function post<T = SignedIn>(path: string, body: object, headers: HeadersInit = {}): Promise<T> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  if (response.status < 500) throw new Refused(answer.error, response.status === 401 || response.status === 403);
  throw new Error(answer.error);
}

/** The session has ended, as opposed to a service that is busy: keys are forgotten for nothing less. */
const isOver = (thrown: unknown): thrown is Refused => thrown instanceof Refused && thrown.isFinal;

async function during(work: Promise<void>): Promise<void> {
  signingIn.value = true;
  await work.catch(() => {});
  signingIn.value = false;
}
