/** What a program writes to, at our end. */
export interface ProgramOutput {
  /** `ended`: nothing more will come. It may be called more than once. */
  follow(heard: (chunk: Buffer) => void, ended: () => void): void;
  /** Whoever still writes to it will fail. */
  close(): void;
  /** It is read on, which shall not keep the process from ending. */
  unref(): void;
}

/** What a program writes, up to a limit; the rest is read all the same, or the program would stand still. */
export interface KeptOutput {
  isTruncated(): boolean;
  /** The text, when the stream has ended, or nothing more comes although the program has. Closes it if asked to. */
  settled(close: boolean): Promise<string>;
}

/** Somebody the program left behind may hold the stream open for ever, ms. */
const quietMs = 250;
const longestMs = 2000;

export function keep(output: ProgramOutput | null, limit: number, onText?: (text: string) => void): KeptOutput {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let buffer = Buffer.alloc(0);
  let length = 0;
  let isTruncated = false;
  let isSettled = false;
  let arrivals = 0;
  const ended = Promise.withResolvers<void>();
  if (output === null) ended.resolve();
  const hear = (chunk: Buffer) => {
    if (isSettled) return;
    arrivals++;
    const kept = Math.min(chunk.length, limit - length);
    if (kept < chunk.length) isTruncated = true;
    if (length + kept > buffer.length) buffer = enlarge(buffer, length + kept, limit);
    chunk.copy(buffer, length, 0, kept);
    length += kept;
    if (onText !== undefined && kept > 0) tell(decoder.decode(chunk.subarray(0, kept), { stream: true }));
  };
  output?.follow(hear, () => ended.resolve());

  return {
    isTruncated: () => isTruncated,
    async settled(close) {
      await endOrSilence();
      isSettled = true;
      // What is left of a character that never came to its end.
      if (!isTruncated) tell(decoder.decode());
      // Otherwise it is read on: a program that was opened this way would die of its first word to a closed stream.
      if (close) output?.close();
      else output?.unref();
      // As a stream, so that a character cut in two at the limit is left out.
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(0, length), { stream: isTruncated });
    },
  };

  function tell(text: string): void {
    if (text !== '') onText?.(text);
  }

  function endOrSilence(): Promise<void> {
    const deadline = performance.now() + longestMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout;
    const listen = (heard: number) => {
      if (isTruncated || performance.now() > deadline) return resolve();
      // On a busy machine the timer can be due before what lies ready was read: one more turn.
      const judge = () => setImmediate(() => (heard === arrivals ? resolve() : listen(arrivals)));
      timer = setTimeout(judge, quietMs);
    };
    listen(arrivals);
    ended.promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  }
}

function enlarge(buffer: Buffer<ArrayBuffer>, needed: number, limit: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, buffer.length * 2, 4096)));
  buffer.copy(larger);
  return larger;
}
