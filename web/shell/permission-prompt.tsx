import type { ModulePayloads } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../../src/lib/errors.ts';
import { Icon } from '../components/icon.tsx';
import { request, useModule } from '../state/live.ts';
import { isThisMachine } from '../state/machine-address.ts';
import { ownCommand } from '../state/own-command.ts';
import { session } from '../state/session.ts';
import { set } from '../state/set.ts';
import { announce } from './announcements.tsx';

type Prompt = NonNullable<ModulePayloads['prompts']['prompts']>[number];

/** A press within this time was meant for what was there before; the service does not count it either. */
const unreadMs = 1000;

/** Not modal, and never focused: what was typed or clicked for a view answers nothing. */
export function PermissionPrompt() {
  const [prompt] = useModule('prompts')?.prompts ?? [];
  return prompt === undefined ? null : <Panel key={prompt.id} prompt={prompt} />;
}

function Panel({ prompt: { id, title, text, answers, on_machine } }: { prompt: Prompt }) {
  const isReadable = useSignal(false);
  const isSent = useSignal(false);
  const problem = useSignal('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Time counts only while this window has the focus: another page can hold a window above it, and close that between two clicks. */
    const readAgain = () => {
      clearTimeout(timer);
      set(isReadable, false);
      if (document.hasFocus()) timer = setTimeout(() => set(isReadable, true), unreadMs);
    };
    /** Nor do clicks count that go on since before the prompt was there. */
    const pressed = () => {
      if (!isReadable.peek()) readAgain();
    };
    readAgain();
    addEventListener('focus', readAgain);
    addEventListener('blur', readAgain);
    addEventListener('pointerdown', pressed, true);
    const before = document.title;
    const marked = `Permission needed · ${before}`;
    document.title = marked;
    return () => {
      clearTimeout(timer);
      removeEventListener('focus', readAgain);
      removeEventListener('blur', readAgain);
      removeEventListener('pointerdown', pressed, true);
      if (document.title === marked) document.title = before;
    };
  }, []);
  const send = async (answer: Prompt['answers'][number]['answer']) => {
    isSent.value = true;
    problem.value = '';
    try {
      const { message } = await request('PROMPT_ANSWER', { id, answer });
      announce(`${message}.`);
    } catch (thrown) {
      problem.value = messageOf(thrown);
      isSent.value = false;
    }
  };
  const isElsewhere = on_machine && !isThisMachine(session.value?.address ?? '');
  const offered = answers.filter(({ answer }) => answer === 'deny' || !isElsewhere).toReversed();
  return (
    <section
      class="permission"
      role="alertdialog"
      aria-modal="false"
      aria-labelledby="permission-title"
      aria-describedby="permission-text"
    >
      <h2 id="permission-title">
        <Icon name={on_machine ? 'key' : 'agent'} /> <span>{title}</span>
      </h2>
      <pre id="permission-text">{text}</pre>
      {isElsewhere ? (
        <p class="small">
          Devices are let in on the machine itself: <code>{ownCommand(`approve ${id}`)}</code>
        </p>
      ) : null}
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <p class="buttons">
        {offered.map(({ answer, label }) => (
          <button
            key={answer}
            type="button"
            class={answer === 'allow' ? '' : 'plain'}
            disabled={isSent.value || (answer !== 'deny' && !isReadable.value)}
            onClick={() => void send(answer)}
          >
            {label}
          </button>
        ))}
      </p>
    </section>
  );
}
