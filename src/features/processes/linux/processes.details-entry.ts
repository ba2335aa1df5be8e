import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** A process can make it as long as its memory allows. */
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

/** Arguments end with a zero byte. A program that rewrote its title leaves blanks and zeros behind. null: kernel threads and zombies. */
export function parseCommandLine(text: string): string[] | null {
  const whole = text.replace(/[\0\s]+$/, '');
  return whole === '' ? null : whole.split('\0');
}
