/** Our end of the output of a program. */
export interface ProgramOutput {
  /** `ended`: the output is complete. It may be called more than once. */
  follow(received: (chunk: Buffer) => void, ended: () => void): void;
  /** Later writes of the program fail. */
  close(): void;
  /** Reading continues without keeping this process alive. */
  unref(): void;
}

/** The output of a program, up to a limit; the rest is read and discarded, or the program would block. */
export type CapturedOutput = ReturnType<typeof keep>;

/** A process that the program left behind may hold the stream open for ever, ms. */
export interface OutputWaits {
  quietMs: number;
  longestMs: number;
}

export function keep(
  output: ProgramOutput | null,
  limit: number,
  { quietMs, longestMs }: OutputWaits,
  onText?: (text: string) => void,
) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let buffer = Buffer.alloc(0);
  let length = 0;
  let isTruncated = false;
  let isSettled = false;
  let arrivals = 0;
  const ended = Promise.withResolvers<void>();
  if (output === null) ended.resolve();
  const receive = (chunk: Buffer) => {
    if (isSettled) return;
    arrivals++;
    const taken = Math.min(chunk.length, limit - length);
    if (taken < chunk.length) isTruncated = true;
    if (length + taken > buffer.length) buffer = enlarge(buffer, length + taken, limit);
    chunk.copy(buffer, length, 0, taken);
    length += taken;
    if (onText !== undefined && taken > 0) emit(decoder.decode(chunk.subarray(0, taken), { stream: true }));
  };
  output?.follow(receive, () => ended.resolve());

  return {
    isTruncated: () => isTruncated,
    /** The text, after the end of the stream, or after the end of the program and a pause. Closes the stream on request. */
    async settled(close: boolean): Promise<string> {
      await endOrSilence();
      isSettled = true;
      // The rest of an incomplete character.
      if (!isTruncated) emit(decoder.decode());
      // Otherwise reading continues: a program that was left behind would be killed by its first write to a closed stream.
      if (close) output?.close();
      else output?.unref();
      // As a stream, so that a character that is cut at the limit is left out.
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(0, length), { stream: isTruncated });
    },
  };

  function emit(text: string): void {
    if (text !== '') onText?.(text);
  }

  function endOrSilence(): Promise<void> {
    const deadline = performance.now() + longestMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: NodeJS.Timeout;
    const listen = (seen: number) => {
      if (isTruncated || performance.now() > deadline) return resolve();
      // On a busy machine the timer can fire before pending data was read: wait once more.
      const judge = () => setImmediate(() => (seen === arrivals ? resolve() : listen(arrivals)));
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
