import type { AskUser, UserPrompt } from '../agent.ts';

/** The prompt that is on the screen now, for clients that point to it: notifications are easily overlooked. */
export interface OpenPrompts {
  ask: AskUser;
  /** A number that no other prompt ever has; null: no prompt is open. */
  current(): OpenPrompt | null;
  /** Shows it once more if it is still open. It then counts as unread again. */
  showAgain(number: number): void;
  /** Called when a prompt opens and when it closes. Returns the function that stops it. */
  onChange(changed: () => void): () => void;
}

export interface OpenPrompt {
  number: number;
  title: string;
}

export function createOpenPrompts(askUser: AskUser): OpenPrompts {
  const listeners = new Set<() => void>();
  let last = 0;
  let open: (OpenPrompt & { takeDown(): void }) | null = null;
  const set = (next: typeof open) => {
    open = next;
    for (const listener of [...listeners]) listener();
  };

  /** null: it was closed to be shown again. An answer given before that counts. */
  const askOnce = async (prompt: UserPrompt, signal: AbortSignal, takenDown: AbortSignal) => {
    const answer = await askUser(prompt, AbortSignal.any([signal, takenDown]));
    return answer === 'denied' && takenDown.aborted && !signal.aborted ? null : answer;
  };

  return {
    async ask(prompt, signal) {
      last++;
      const number = last;
      try {
        for (;;) {
          const taken = new AbortController();
          const asking = askOnce(prompt, signal, taken.signal);
          if (open?.number === number) open.takeDown = () => taken.abort();
          else set({ number, title: prompt.title, takeDown: () => taken.abort() });
          const answer = await asking;
          if (answer !== null) return answer;
        }
      } finally {
        if (open?.number === number) set(null);
      }
    },
    current: () => open && { number: open.number, title: open.title },
    showAgain(number) {
      if (open?.number === number) open.takeDown();
    },
    onChange(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}
