import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** A command line is bounded only by the memory of its process. */
const mostBytes = 64 * 1024;

/** From /proc/PID/cmdline. https://man7.org/linux/man-pages/man5/proc_pid_cmdline.5.html */
export const commandLineLinux =
  ({ files }: Pick<LinuxHost, 'files'>) =>
  (pid: number): string[] | null => {
    const file = files.short(`/proc/${pid}/cmdline`);
    const bytes = Buffer.alloc(mostBytes);
    const length = file.read(bytes);
    file.close();
    if (length === null) {
      if (files.exists(`/proc/${pid}`)) return null;
      throw new ServiceError('not_found', `There is no process ${pid}`);
    }
    return parseCommandLine(bytes.toString('utf8', 0, length));
  };

/** Arguments end with a zero byte. A rewritten title ends with blanks and zeros. null: kernel threads and zombies. */
export function parseCommandLine(text: string): string[] | null {
  let end = text.length;
  // Not a pattern: another user chooses the text, and the pattern takes quadratic time.
  while (end > 0 && blank.test(text[end - 1] ?? '')) end -= 1;
  return end === 0 ? null : text.slice(0, end).split('\0');
}

const blank = /[\0\s]/;
