import { signal } from '@preact/signals';
import { messageOf } from '../../src/lib/errors.ts';

const announcements = signal<{ id: number; text: string; kind: 'done' | 'problem' }[]>([]);
let count = 0;

/** Announces the result of an action, also to screen readers. */
export function announce(text: string, kind: 'done' | 'problem' = 'done'): void {
  const id = ++count;
  announcements.value = [...announcements.value.slice(-3), { id, text, kind }];
  setTimeout(() => dismiss(id), kind === 'done' ? 6000 : 15_000);
}

/** Runs the work and announces its message or its error. `done` null: success is visible elsewhere. */
export async function attempt(
  work: () => Promise<{ message?: string } | undefined>,
  done: string | null = '',
): Promise<boolean> {
  try {
    const result = await work();
    const text = done === null ? '' : result?.message || done;
    if (text !== '') announce(text);
    return true;
  } catch (thrown) {
    announce(messageOf(thrown), 'problem');
    return false;
  }
}

function dismiss(id: number): void {
  announcements.value = announcements.value.filter((entry) => entry.id !== id);
}

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {announcements.value.map(({ id, text, kind }) => (
        <p key={id} class={`announcement ${kind}`}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
