/** Characters. If more is waiting, the reader has stopped reading. */
const mostWaiting = 1024 * 1024;

export interface LogOutput {
  write(text: string): void;
  /** Resolves when nothing is waiting. The process has to wait for it before it ends: what the sink still holds is lost. */
  written(): Promise<void>;
}

/**
 * The standard error of a long-running service. A reader that does not read does not block it, and lines that do not fit are lost; a closed
 * terminal or pipe does not end it. `process.stderr` does the same with a stream around it, which takes 1 MB.
 */
export function openLogOutput(): LogOutput {
  const sink = Bun.stderr.writer();
  const unsettled = new Set<Promise<unknown>>();
  let waiting = 0;
  return {
    write(text) {
      if (waiting > mostWaiting) return;
      try {
        // The sink returns a promise if a long line could not be written at once, or if any line is waiting.
        const pending = [sink.write(text), sink.flush()].filter((result) => result instanceof Promise);
        if (pending.length === 0) return;
        waiting += text.length;
        const settled = Promise.allSettled(pending).then(() => {
          waiting -= text.length;
          unsettled.delete(settled);
        });
        unsettled.add(settled);
      } catch {}
    },
    async written() {
      while (unsettled.size > 0) await Promise.all(unsettled);
    },
  };
}
