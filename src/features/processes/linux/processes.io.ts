import type { Files } from '../../../host/linux/files.ts';
import type { ProcessDetails } from '../processes.schema.ts';

export interface DiskBytes {
  read: number;
  written: number;
}

/** Bytes read from and written to disks since the start. null: not readable. https://man7.org/linux/man-pages/man5/proc_pid_io.5.html */
export function diskBytesOf(files: Pick<Files, 'short'>, id: number): DiskBytes | null {
  const file = files.short(`/proc/${id}/io`);
  const length = file.read(buffer);
  file.close();
  return length === null ? null : parseDiskBytes(buffer.toString('latin1', 0, length));
}

/** Shared, because reads are synchronous. */
const buffer = Buffer.alloc(512);

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
