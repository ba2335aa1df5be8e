import fs from 'node:fs';
import { followStream } from '../../../host/ffi.ts';
import { neverWait } from '../../../host/linux/pipe.ts';
import type { Clock } from '../../../lib/clock.ts';
import { codeOf } from '../../../lib/errors.ts';
import { type ClipboardLimits, type CopiedBytes, silentOwner, slowOwner } from './clipboard.limits.ts';

/** Reads a pipe to its end or to `mostBytes`, and closes it. */
export function readAll(
  clock: Clock,
  descriptor: number,
  mostBytes: number,
  { silentMs, wholeMs }: ClipboardLimits,
): Promise<CopiedBytes> {
  const done = Promise.withResolvers<CopiedBytes>();
  const pieces: Uint8Array[] = [];
  let size = 0;
  let cancelSilence = clock.after(silentMs, () => done.reject(silentOwner()));
  const cancelWhole = clock.after(wholeMs, () => done.reject(slowOwner()));
  const stop = followStream(
    descriptor,
    (bytes) => {
      cancelSilence();
      cancelSilence = clock.after(silentMs, () => done.reject(silentOwner()));
      size += bytes.length;
      pieces.push(Buffer.from(bytes));
      if (size > mostBytes) done.resolve({ bytes: Buffer.concat(pieces).subarray(0, mostBytes), isCut: true });
    },
    (problem) =>
      problem === 'it was closed'
        ? done.resolve({ bytes: Buffer.concat(pieces), isCut: false })
        : done.reject(new Error(problem)),
  );
  return done.promise.finally(() => {
    cancelSilence();
    cancelWhole();
    stop();
  });
}

const firstRetryMs = 2;
const longestRetryMs = 100;

/** Writes all of it to a program that reads at its own pace, and closes the pipe; gives up when it stops reading. Returns a function that stops. */
export function writeAll(
  clock: Clock,
  descriptor: number,
  bytes: Uint8Array,
  silentMs: number,
  ended: () => void,
): () => void {
  neverWait(descriptor);
  let at = 0;
  let cancel = () => {};
  let isOpen = true;
  const stop = () => {
    if (!isOpen) return;
    isOpen = false;
    cancel();
    fs.closeSync(descriptor);
    ended();
  };
  const write = (retryMs: number, silentSince: number) => {
    const before = at;
    try {
      while (at < bytes.length) at += fs.writeSync(descriptor, bytes, at);
      return stop();
    } catch (error) {
      // EAGAIN: the pipe is full. Else the reader is gone.
      if (codeOf(error) !== 'EAGAIN') return stop();
    }
    const since = at > before ? clock.monotonic() : silentSince;
    if (clock.monotonic() - since > silentMs) return stop();
    const next = at > before ? firstRetryMs : Math.min(longestRetryMs, retryMs * 2);
    cancel = clock.after(next, () => write(next, since));
  };
  cancel = clock.after(0, () => write(firstRetryMs, clock.monotonic()));
  return stop;
}
