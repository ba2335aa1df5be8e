import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { settledWithin } from '../../../lib/clock.ts';
import type { ProcessDetails } from '../processes.schema.ts';
import { lockDeadlineMs, lockedFilesOf } from './command-line.ts';

export interface DiskBytes {
  read: number;
  written: number;
}

/** Bytes read from and written to disks since the start. null: not readable, or no answer in time. https://man7.org/linux/man-pages/man5/proc_pid_io.5.html */
export async function diskBytesOf(
  { files, clock }: Pick<LinuxHost, 'files' | 'clock'>,
  id: number,
): Promise<DiskBytes | null> {
  const reading = lockedFilesOf(files)(`/proc/${id}/io`, mostBytes);
  if (!(await settledWithin(clock, reading, lockDeadlineMs))) return null;
  return parseDiskBytes((await reading) ?? '');
}

const mostBytes = 512;

function parseDiskBytes(text: string): DiskBytes | null {
  const read = /^read_bytes: (\d+)$/m.exec(text)?.[1];
  const written = /^write_bytes: (\d+)$/m.exec(text)?.[1];
  return read === undefined || written === undefined ? null : { read: Number(read), written: Number(written) };
}

export function perSecond(before: DiskBytes, after: DiskBytes, seconds: number): NonNullable<ProcessDetails['io']> {
  const rate = (from: number, to: number) => (seconds <= 0 ? 0 : Math.max(0, Math.round((to - from) / seconds)));
  return {
    read_bytes: after.read,
    written_bytes: after.written,
    read_per_second: rate(before.read, after.read),
    written_per_second: rate(before.written, after.written),
  };
}
