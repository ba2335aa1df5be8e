import type { Files } from '../../../host/linux/files.ts';
import type { SystemUser } from '../system.schema.ts';

export type Login = Omit<SystemUser, 'active'>;

/** The login records. null: not kept here, as on systems that replaced them by logind. */
export function readUtmp(files: Files, machine: string): Login[] | null {
  const bytes = files.bytes('/run/utmp') ?? files.bytes('/var/run/utmp');
  return bytes === null ? null : parseUtmp(bytes, machine);
}

interface Layout {
  size: number;
  seconds: (record: DataView) => number;
}

/** glibc has 32-bit times where 32-bit programs may share the file, and 64-bit ones elsewhere (bits/utmp.h). */
const narrow: Layout = { size: 384, seconds: (record) => record.getUint32(340, true) };
const wide: Layout = { size: 400, seconds: (record) => Number(record.getBigInt64(344, true)) };
const wideMachines = new Set(['aarch64', 'loongarch64']);

const USER_PROCESS = 7;
const lastType = 9;

/** null: no known record layout. */
export function parseUtmp(bytes: Uint8Array, machine: string): Login[] | null {
  // 32-bit systems run on 64-bit kernels as well, so the contents of the file decide.
  const layouts = wideMachines.has(machine) ? [wide, narrow] : [narrow, wide];
  const layout = layouts.find((candidate) => fits(bytes, candidate));
  if (layout === undefined) return null;
  return recordsOf(bytes, layout)
    .filter((record) => record.getInt16(0, true) === USER_PROCESS)
    .map((record) => ({
      name: textAt(record, 44, 32),
      terminal: textAt(record, 8, 32),
      host: textAt(record, 76, 256),
      started: Math.max(0, layout.seconds(record)),
      pid: Math.max(0, record.getInt32(4, true)),
    }))
    .filter(({ name }) => name !== '');
}

function fits(bytes: Uint8Array, layout: Layout): boolean {
  if (bytes.length % layout.size !== 0) return false;
  // The two bytes after the type are padding.
  return recordsOf(bytes, layout).every(
    (record) => record.getUint16(0, true) <= lastType && record.getUint16(2, true) === 0,
  );
}

function recordsOf(bytes: Uint8Array, { size }: Layout): DataView[] {
  return Array.from(
    { length: Math.floor(bytes.length / size) },
    (_, index) => new DataView(bytes.buffer, bytes.byteOffset + index * size, size),
  );
}

const decoder = new TextDecoder();

function textAt(record: DataView, offset: number, length: number): string {
  const bytes = new Uint8Array(record.buffer, record.byteOffset + offset, length);
  const end = bytes.indexOf(0);
  return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end));
}
