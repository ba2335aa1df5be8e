import { signal } from '@preact/signals';

const key = 'hostler-token';

/** The token this browser uses; null: nobody is signed in. */
export const token = signal<string | null>(localStorage.getItem(key) ?? sessionStorage.getItem(key));
/** Why the sign-in page is shown again. */
export const signInProblem = signal('');
/** Somebody signed in since the page was loaded. */
export const signedInHere = signal(false);
/** A one-time code is being exchanged for a token. */
export const redeeming = signal(false);

export function signIn(secret: string, stay: boolean): void {
  forget();
  (stay ? localStorage : sessionStorage).setItem(key, secret);
  signInProblem.value = '';
  signedInHere.value = true;
  token.value = secret;
}

export function signOut(problem = ''): void {
  forget();
  signInProblem.value = problem;
  token.value = null;
}

function forget(): void {
  localStorage.removeItem(key);
  sessionStorage.removeItem(key);
}

export function get(path: string): Promise<Response> {
  return fetch(path, { headers: { 'X-API-Token': token.value ?? '' } });
}

/** `hostler open` puts a one-time code into the fragment, which no server and no log ever sees. */
export function takeLoginCode(): void {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return;
  history.replaceState(null, '', location.pathname);
  void redeem(code);
}

async function redeem(code: string): Promise<void> {
  redeeming.value = true;
  try {
    const response = await fetch('/api/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const answer: { token?: string; error?: string } = await response.json();
    if (answer.token === undefined) signOut(answer.error ?? 'The code was refused');
    else signIn(answer.token, true);
  } catch {
    signOut('The service does not answer');
  }
  redeeming.value = false;
}
