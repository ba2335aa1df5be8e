import { useSignal } from '@preact/signals';
import { Field, Switch } from '../components/field.tsx';
import { ScopeChoice } from '../components/scope-choice.tsx';
import { ownCommand } from '../state/own-command.ts';
import { allScopes } from '../state/scopes.ts';
import { signInProblem } from '../state/session.ts';
import { canHoldKey } from '../state/session-key.ts';
import { set } from '../state/set.ts';

/** The code in the address of the QR code of "hostler pair". Removed from the address before anything is drawn. */
const codeFromLink = takeCode();

function takeCode(): string {
  const [, code = ''] = /^#pair=([0-9A-Za-z-]{12,14})$/.exec(location.hash) ?? [];
  if (location.hash.startsWith('#pair=')) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Never granted by pairing: this scope can give access to others, so it is granted at the machine only. */
const choices = allScopes.filter((scope) => scope !== 'admin');

/** For a device without a token: the user agrees on the machine, or prints a code there. */
export function AskForAccess() {
  const isOpen = useSignal(codeFromLink !== '');
  const name = useSignal('');
  const code = useSignal(codeFromLink);
  const chosen = useSignal<string[]>(['read']);
  const stay = useSignal(false);
  const digits = useSignal('');
  const asking = useSignal<AbortController | null>(null);
  const problem = useSignal('');

  /** Its scopes were chosen when it was printed. */
  const hasCode = code.value.trim() !== '';

  const submit = async (event: Event) => {
    event.preventDefault();
    const control = new AbortController();
    asking.value = control;
    problem.value = '';
    signInProblem.value = '';
    const { askForAccess } = await import('../state/pairing.ts');
    const wish = {
      name: name.value.trim(),
      scopes: hasCode ? [] : chosen.value,
      code: code.value.trim(),
      stay: stay.value,
    };
    const show = (shown: string) => {
      if (!control.signal.aborted) digits.value = shown;
    };
    const said = await askForAccess(wish, show, control.signal);
    if (control.signal.aborted) return;
    problem.value = said;
    finish();
  };
  const open = () => set(isOpen, true);
  const finish = () => {
    asking.value?.abort();
    asking.value = null;
    digits.value = '';
  };

  if (!isOpen.value) {
    return (
      <p>
        <button type="button" class="quiet" onClick={open}>
          Ask for access
        </button>
      </p>
    );
  }
  if (digits.value !== '') {
    return (
      <section class="ask-for-access" aria-label="Ask for access" role="status">
        <h2>Compare the code</h2>
        <p class="figure">{digits.value}</p>
        <p>
          The screen of the machine shows a permission prompt; without a screen, <code>{ownCommand('approve')}</code>{' '}
          shows it there. Press Allow if it shows this code, and Deny if it does not.
        </p>
        <button type="button" class="quiet" onClick={finish}>
          Cancel
        </button>
      </section>
    );
  }
  return (
    <section class="ask-for-access" aria-labelledby="ask-for-access">
      <h2 id="ask-for-access">Ask for access</h2>
      <form onSubmit={submit}>
        <Field label="Device name" value={name} placeholder="Kitchen tablet" />
        {hasCode ? null : <ScopeChoice chosen={chosen} among={choices} />}
        <Field label={`Code from “${ownCommand('pair')}”, if the machine has no screen`} value={code} />
        {canHoldKey ? (
          <Switch value={stay}>Keep me signed in</Switch>
        ) : (
          <p class="small">
            This page was loaded over plain HTTP: a client that can read the traffic of this network can use your
            session while it lasts.
          </p>
        )}
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <button type="submit" disabled={asking.value !== null || (!hasCode && chosen.value.length === 0)}>
          {hasCode ? 'Use code' : 'Ask for access'}
        </button>
      </form>
    </section>
  );
}
