import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { set } from '../state/set.ts';

interface ConfirmationRequest {
  title: string;
  text: string;
  yes: string;
  answer(agreed: boolean): void;
}

const asked = signal<ConfirmationRequest | null>(null);

/** Confirmation before an action that cannot be undone. */
export function confirmed(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => set(asked, { title, text, yes, answer: resolve }));
}

export function Confirmation() {
  const dialog = useRef<HTMLDialogElement>(null);
  const request = asked.value;
  useEffect(() => {
    if (request !== null && dialog.current?.open === false) dialog.current.showModal();
  }, [request]);
  if (request === null) return null;
  const settle = (agreed: boolean) => {
    if (asked.peek() !== request) return;
    asked.value = null;
    dialog.current?.close();
    request.answer(agreed);
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
      <h2 id="confirm-title">{request.title}</h2>
      <p id="confirm-text">{request.text}</p>
      <p class="buttons">
        <button type="button" class="plain" onClick={() => settle(false)}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => settle(true)}>
          {request.yes}
        </button>
      </p>
    </dialog>
  );
}
