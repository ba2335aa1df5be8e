import type { Clock } from '../../lib/clock.ts';

export interface OutputPart {
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Joins what a program writes, so that whoever listens gets about ten parts a second however it is written. */
export interface Streaming {
  add(stream: OutputPart['stream'], text: string): void;
  /** Tells what is left. */
  end(): void;
}

const everyMs = 100;

/** Holds no more than is kept of the output anyway: the rest never comes here. */
export function createStreaming(clock: Clock, tell: (part: OutputPart) => void): Streaming {
  let waiting: OutputPart[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | null = null;

  const flush = () => {
    cancel?.();
    cancel = null;
    const parts = waiting;
    waiting = [];
    if (parts.length > 0) toldAt = clock.monotonic();
    for (const part of parts) tell(part);
  };

  return {
    add(stream, text) {
      // One part for each stream: in which order they were written is not known anyway.
      const part = waiting.find((other) => other.stream === stream);
      if (part === undefined) waiting.push({ stream, text });
      else part.text += text;
      cancel ??= clock.after(Math.max(0, toldAt + everyMs - clock.monotonic()), flush);
    },
    end: flush,
  };
}
