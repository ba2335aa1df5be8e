import type { Clock } from '../../lib/clock.ts';

export interface OutputPart {
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Joins a program's output into about ten parts a second for each subscriber. */
export interface Streaming {
  add(stream: OutputPart['stream'], text: string): void;
  /** Sends the rest. */
  end(): void;
}

const everyMs = 100;

/** Bounded by the output limit, which applies before this. */
export function createStreaming(clock: Clock, send: (part: OutputPart) => void): Streaming {
  let waiting: OutputPart[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | null = null;

  const flush = () => {
    cancel?.();
    cancel = null;
    const parts = waiting;
    waiting = [];
    if (parts.length > 0) toldAt = clock.monotonic();
    for (const part of parts) send(part);
  };

  return {
    add(stream, text) {
      // One part for each stream: the order between streams is unknown.
      const part = waiting.find((other) => other.stream === stream);
      if (part === undefined) waiting.push({ stream, text });
      else part.text += text;
      cancel ??= clock.after(Math.max(0, toldAt + everyMs - clock.monotonic()), flush);
    },
    end: flush,
  };
}
