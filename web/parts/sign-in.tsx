import { useSignal } from '@preact/signals';
import { redeeming, signIn, signInProblem } from '../state/session.ts';

export function SignIn() {
  const secret = useSignal('');
  const stay = useSignal(true);
  const busy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    signInProblem.value = await problemWith(secret.value.trim());
    busy.value = false;
    if (signInProblem.value === '') signIn(secret.value.trim(), stay.value);
  };
  if (redeeming.value) {
    return (
      <main class="sign-in">
        <h1>Hostler</h1>
        <p role="status">Signing in…</p>
      </main>
    );
  }
  return (
    <main class="sign-in">
      <h1>Hostler</h1>
      <p>
        On the machine itself, <code>hostler open</code> signs you in. From elsewhere, paste the token that{' '}
        <code>hostler token</code> prints there.
      </p>
      <form onSubmit={submit}>
        <label>
          Token
          <input
            type="password"
            autocomplete="current-password"
            required
            value={secret.value}
            aria-describedby="sign-in-problem"
            onInput={(event) => {
              secret.value = event.currentTarget.value;
            }}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={stay.value}
            onChange={(event) => {
              stay.value = event.currentTarget.checked;
            }}
          />
          Stay signed in on this device
        </label>
        <p id="sign-in-problem" class="problem" role="alert">
          {signInProblem.value}
        </p>
        <button type="submit" disabled={busy.value}>
          Sign in
        </button>
      </form>
    </main>
  );
}

/** What the service says against this token; empty: nothing. */
async function problemWith(token: string): Promise<string> {
  try {
    const response = await fetch('/api/modules', { headers: { 'X-API-Token': token } });
    if (response.ok) return '';
    const { error }: { error?: string } = await response.json();
    return error ?? `The service answered ${response.status}`;
  } catch {
    return 'The service does not answer. Is it running, and is this its address?';
  }
}
