import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import { settledWithin } from '../../../lib/clock.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** A command line is bounded only by the memory of its process. */
const mostBytes = 64 * 1024;
const deadlineMs = 1000;
/** More wait only while a read hangs. */
const mostWaiting = 20;

/**
 * The beginning of /proc/PID/cmdline. The kernel takes a lock of the process for it, which any user can hold for ever: read in another thread,
 * and one at a time, because the runtime has few threads. https://man7.org/linux/man-pages/man5/proc_pid_cmdline.5.html
 */
export const commandLinesOf = keptFor((files: Files) => {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (pid: number, most: number): Promise<string | null> => {
    if (waiting >= mostWaiting) return null;
    waiting += 1;
    const reading = last.then(() => files.textLater(`/proc/${pid}/cmdline`, most));
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
  const reading = commandLinesOf(files)(pid, mostBytes);
  if (!(await settledWithin(clock, reading, deadlineMs))) return 'unanswered';
  const text = await reading;
  if (text !== null) return parseCommandLine(text);
  if (files.exists(`/proc/${pid}`)) return null;
  throw new ServiceError('not_found', `There is no process ${pid}`);
}

/** Arguments end with a zero byte. A rewritten title ends with blanks and zeros. null: kernel threads and zombies. */
export function parseCommandLine(text: string): string[] | null {
  let end = text.length;
  // Not a pattern: another user chooses the text, and the pattern takes quadratic time.
  while (end > 0 && blank.test(text[end - 1] ?? '')) end -= 1;
  return end === 0 ? null : text.slice(0, end).split('\0');
}

const blank = /[\0\s]/;
