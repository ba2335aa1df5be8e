import fs from 'node:fs';
import { followStream } from '../../../host/ffi.ts';
import { neverWait } from '../../../host/linux/pipe.ts';
import type { Clock } from '../../../lib/clock.ts';
import { codeOf } from '../../../lib/errors.ts';
import { type ClipboardLimits, type CopiedBytes, needsTooLong, saysNothing } from './clipboard.limits.ts';

/** What is written to it; closes it. More than is wanted is given up as soon as that is known. */
export function readAll(
  clock: Clock,
  descriptor: number,
  mostBytes: number,
  { silentMs, wholeMs }: ClipboardLimits,
): Promise<CopiedBytes> {
  const done = Promise.withResolvers<CopiedBytes>();
  const pieces: Uint8Array[] = [];
  let size = 0;
  let cancelSilence = clock.after(silentMs, () => done.reject(saysNothing()));
  const cancelWhole = clock.after(wholeMs, () => done.reject(needsTooLong()));
  const stop = followStream(
    descriptor,
    (bytes) => {
      cancelSilence();
      cancelSilence = clock.after(silentMs, () => done.reject(saysNothing()));
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

/** Writes all of it to a program that reads at its own pace, and closes it; one that stops to read is left. Returns the way to stop. */
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
      // It is full, or nobody reads it any more.
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
