import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import { settledWithin } from '../../../lib/clock.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** A command line is bounded only by the memory of its process. */
const mostBytes = 64 * 1024;
export const lockDeadlineMs = 1000;
/** More wait only while a read hangs. */
const mostWaiting = 20;

/**
 * The beginning of a file such as /proc/PID/cmdline or /proc/PID/io. The kernel takes a lock of the process for it, which its user can hold for
 * ever: read in another thread, and one at a time, because the runtime has few threads. null also: too many wait.
 */
export const lockedFilesOf = keptFor((files: Files) => {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (file: string, most: number): Promise<string | null> => {
    if (waiting >= mostWaiting) return null;
    waiting += 1;
    const reading = last.then(() => files.textLater(file, most));
    last = reading;
    const text = await reading;
    waiting -= 1;
    return text;
  };
});

export async function readCommandLine(
  { files, clock }: Pick<LinuxHost, 'files' | 'clock'>,
  pid: number,
): Promise<string[] | null | 'unanswered'> {
  const reading = lockedFilesOf(files)(`/proc/${pid}/cmdline`, mostBytes);
  if (!(await settledWithin(clock, reading, lockDeadlineMs))) return 'unanswered';
  const text = await reading;
  if (text !== null) return parseCommandLine(text);
  if (files.exists(`/proc/${pid}`)) return null;
  throw new ServiceError('not_found', `There is no process ${pid}`);
}

/** https://man7.org/linux/man-pages/man5/proc_pid_cmdline.5.html: arguments end with a zero byte. A rewritten title ends with blanks and zeros. null: kernel threads and zombies. */
export function parseCommandLine(text: string): string[] | null {
  let end = text.length;
  // Not a pattern: another user chooses the text, and the pattern takes quadratic time.
  while (end > 0 && blank.test(text[end - 1] ?? '')) end -= 1;
  return end === 0 ? null : text.slice(0, end).split('\0');
}

const blank = /[\0\s]/;
