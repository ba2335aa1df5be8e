/** More than this waits for nobody: then whoever should read it has stopped doing so. */
const mostWaiting = 1024 * 1024;

export interface LogOutput {
  write(text: string): void;
  /** Resolves when nothing waits any more. The process has to wait for it before it ends: what the sink still holds ends with it. */
  written(): Promise<void>;
}

/**
 * The standard error of a service that runs for years. Whoever does not read it holds nobody up, and what does not fit is lost;
 * a terminal or pipe that was closed is no reason to end. `process.stderr` does the same with a stream around it, which takes 1 MB.
 */
export function openLogOutput(): LogOutput {
  const sink = Bun.stderr.writer();
  const unsettled = new Set<Promise<unknown>>();
  let waiting = 0;
  return {
    write(text) {
      if (waiting > mostWaiting) return;
      try {
        // Either may be told later: of a long line that it could not be written, of any that it waits.
        const told = [sink.write(text), sink.flush()].filter((result) => result instanceof Promise);
        if (told.length === 0) return;
        waiting += text.length;
        const settled = Promise.allSettled(told).then(() => {
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
