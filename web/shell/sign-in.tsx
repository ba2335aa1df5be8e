import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Switch } from '../components/field.tsx';
import { ownCommand } from '../state/own-command.ts';
import { isLoginCode, signIn, signInProblem, signingIn } from '../state/session.ts';
import { canHoldKey } from '../state/session-key.ts';
import { set } from '../state/set.ts';
import { WhyEncrypted } from '../views/encrypted.tsx';
import { AskForAccess } from '../views/pair.tsx';

export function SignIn() {
  const secret = useSignal('');
  const stay = useSignal(false);
  const busy = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, [signingIn.value]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const entered = secret.value.trim();
    busy.value = true;
    signInProblem.value = await signIn(isLoginCode(entered) ? { code: entered } : { token: entered }, stay.value);
    busy.value = false;
  };
  const title = (
    <h1>
      <span class="mark" aria-hidden="true" />
      Hostler
    </h1>
  );
  if (signingIn.value)
    return (
      <main class="sign-in">
        {title}
        <p role="status">Signing in…</p>
      </main>
    );
  return (
    <main class="sign-in">
      {title}
      <p>
        On this machine, <code>{ownCommand('open')}</code> signs you in. From another device, ask for access below, or
        paste the token that <code>{ownCommand('token')}</code> prints there.
      </p>
      <form onSubmit={submit}>
        <label>
          Token or one-time code
          {/* Not a password field: the browser would offer a saved one to the next program on this port. */}
          <input
            type="text"
            ref={field}
            class="concealed"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            required
            value={secret.value}
            aria-describedby="sign-in-problem"
            onInput={(event) => set(secret, event.currentTarget.value)}
          />
        </label>
        {canHoldKey ? <Switch value={stay}>Stay signed in on this device</Switch> : <WhyEncrypted />}
        <p id="sign-in-problem" class="problem" role="alert">
          {signInProblem.value}
        </p>
        <button type="submit" disabled={busy.value}>
          Sign in
        </button>
      </form>
      <AskForAccess />
    </main>
  );
}
