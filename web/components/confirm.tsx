import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

interface Question {
  title: string;
  text: string;
  yes: string;
  answer(agreed: boolean): void;
}

const asked = signal<Question | null>(null);

/** Confirmation before an action that cannot be undone. */
export function confirmed(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    asked.value = { title, text, yes, answer: resolve };
  });
}

export function Confirmation() {
  const dialog = useRef<HTMLDialogElement>(null);
  const question = asked.value;
  useEffect(() => {
    if (question !== null && dialog.current?.open === false) dialog.current.showModal();
  }, [question]);
  if (question === null) return null;
  const settle = (agreed: boolean) => {
    if (asked.peek() !== question) return;
    asked.value = null;
    dialog.current?.close();
    question.answer(agreed);
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onCancel={(event) => {
        event.preventDefault();
        settle(false);
      }}
      // Browsers may close it without an event, for example if the user did not interact with the page since it was opened.
      onClose={() => settle(false)}
    >
      <h2 id="confirm-title">{question.title}</h2>
      <p id="confirm-text">{question.text}</p>
      <p class="buttons">
        <button type="button" class="plain" onClick={() => settle(false)}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => settle(true)}>
          {question.yes}
        </button>
      </p>
    </dialog>
  );
}
