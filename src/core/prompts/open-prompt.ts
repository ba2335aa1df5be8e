import type { AskUser, UserQuestion } from '../agent.ts';

/** The question that is on the screen now, for who points to it: notifications are overlooked. */
export interface OpenQuestions {
  ask: AskUser;
  /** A number that no other question ever has; null: nothing is asked. */
  current(): OpenQuestion | null;
  /** Puts it on the screen once more, if it is still the one that is asked. It is then as unread as it was at first. */
  showAgain(number: number): void;
  /** Called when one is asked and when it is answered. Returns the way to stop. */
  onChange(changed: () => void): () => void;
}

export interface OpenQuestion {
  number: number;
  title: string;
}

export function createOpenQuestions(askUser: AskUser): OpenQuestions {
  const listeners = new Set<() => void>();
  let last = 0;
  let open: (OpenQuestion & { takeDown(): void }) | null = null;
  const set = (next: typeof open) => {
    open = next;
    for (const listener of [...listeners]) listener();
  };

  /** null: it was taken off the screen to be shown again. What was answered before that is an answer. */
  const askOnce = async (question: UserQuestion, signal: AbortSignal, takenDown: AbortSignal) => {
    const answer = await askUser(question, AbortSignal.any([signal, takenDown]));
    return answer === 'denied' && takenDown.aborted && !signal.aborted ? null : answer;
  };

  return {
    async ask(question, signal) {
      last++;
      const number = last;
      try {
        for (;;) {
          const taken = new AbortController();
          const asking = askOnce(question, signal, taken.signal);
          if (open?.number === number) open.takeDown = () => taken.abort();
          else set({ number, title: question.title, takeDown: () => taken.abort() });
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
