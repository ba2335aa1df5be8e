import zlib from 'node:zlib';
import { joined, type PackedEntry, padding, text, withDirectories } from './tree.ts';

/** Everything belongs to root and has the time of the release: two builds are the same bytes. */
export interface Stamp {
  /** Unix seconds. */
  time: number;
}

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06 (ustar) */
export function tar(entries: readonly PackedEntry[], { time }: Stamp, prefix = ''): Uint8Array<ArrayBuffer> {
  const blocks = withDirectories(entries).flatMap(({ path, mode, data }) => {
    const name = `${prefix}${path}${data === null ? '/' : ''}`;
    const header = new Uint8Array(512);
    const put = (at: number, value: string) => header.set(text(value), at);
    const [directory, base] = name.length <= 100 ? ['', name] : splitName(name);
    put(0, base);
    put(100, octal(mode, 7));
    put(108, octal(0, 7));
    put(116, octal(0, 7));
    put(124, octal(data?.length ?? 0, 11));
    put(136, octal(time, 11));
    put(148, '        ');
    put(156, data === null ? '5' : '0');
    put(257, 'ustar\0' + '00');
    put(265, 'root');
    put(297, 'root');
    put(345, directory);
    put(
      148,
      `${octal(
        header.reduce((sum, byte) => sum + byte, 0),
        6,
      )}\0 `,
    );
    return data === null ? [header] : [header, data, padding(data.length, 512)];
  });
  return joined([...blocks, new Uint8Array(1024)]);
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

function splitName(name: string): [string, string] {
  const at = name.lastIndexOf('/', name.length - 2);
  if (at < 0 || at > 155 || name.length - at - 1 > 100) throw new Error(`${name} is too long for a tar archive`);
  return [name.slice(0, at), name.slice(at + 1)];
}

/** The outer form of a .deb. https://man7.org/linux/man-pages/man5/deb.5.html */
export function ar(members: readonly [name: string, data: Uint8Array][], { time }: Stamp): Uint8Array<ArrayBuffer> {
  const parts = members.flatMap(([name, data]) => [
    text(
      `${name.padEnd(16)}${String(time).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(data.length).padEnd(10)}\`\n`,
    ),
    data,
    new Uint8Array(data.length % 2).fill(10),
  ]);
  return joined([text('!<arch>\n'), ...parts]);
}

/** The payload of a .rpm: "newc", names with a leading dot. https://man7.org/linux/man-pages/man5/cpio.5.html */
export function cpio(entries: readonly PackedEntry[], { time }: Stamp): Uint8Array<ArrayBuffer> {
  const one = (name: string, inode: number, mode: number, data: Uint8Array) => {
    const bytes = text(`${name}\0`);
    const fields = [inode, mode, 0, 0, 1, time, data.length, 0, 0, 0, 0, bytes.length, 0];
    const head = text(`070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`);
    return [head, bytes, padding(head.length + bytes.length, 4), data, padding(data.length, 4)];
  };
  const parts = entries.flatMap(({ path, mode, data }, at) =>
    one(`./${path}`, at + 1, mode | (data === null ? 0o040000 : 0o100000), data ?? new Uint8Array(0)),
  );
  const trailer = one('TRAILER!!!', 0, 0, new Uint8Array(0)).slice(0, 3);
  // The trailer has no time either.
  trailer[0] = text(
    `070701${[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 0].map((field) => field.toString(16).padStart(8, '0')).join('')}`,
  );
  return joined([...parts, ...trailer]);
}

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, without the extensions for large files. */
export function zip(entries: readonly PackedEntry[], { time }: Stamp): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  const files = entries.filter(({ data }) => data !== null).sort((one, other) => (one.path < other.path ? -1 : 1));
  for (const { path, mode, data } of files) {
    const packed = zlib.deflateRawSync(data ?? '', { level: 9 });
    const name = text(path);
    const shared = numbers([
      [20, 2],
      [0x800, 2],
      [8, 2],
      ...dosTime(time),
      [zlib.crc32(data ?? ''), 4],
      [packed.length, 4],
      [data?.length ?? 0, 4],
      [name.length, 2],
      [0, 2],
    ]);
    const local = joined([numbers([[0x04034b50, 4]]), shared, name, packed]);
    const unix = (0o100000 | mode) * 65_536;
    const central = numbers([
      [0, 2],
      [0, 2],
      [0, 2],
      [unix, 4],
      [at, 4],
    ]);
    directory.push(
      joined([
        numbers([
          [0x02014b50, 4],
          [0x0314, 2],
        ]),
        shared,
        central,
        name,
      ]),
    );
    parts.push(local);
    at += local.length;
  }
  const list = joined(directory);
  const end = numbers([
    [0x06054b50, 4],
    [0, 4],
    [files.length, 2],
    [files.length, 2],
    [list.length, 4],
    [at, 4],
    [0, 2],
  ]);
  return joined([...parts, list, end]);
}

/** Two-second steps since 1980, in UTC. */
function dosTime(time: number): [number, number][] {
  const date = new Date(Math.max(time, Date.UTC(1980, 0, 1) / 1000) * 1000);
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return [
    [clock, 2],
    [day, 2],
  ];
}

/** Little-endian. */
function numbers(fields: readonly [value: number, bytes: number][]): Uint8Array<ArrayBuffer> {
  return joined(
    fields.map(([value, bytes]) => {
      const part = new Uint8Array(4);
      new DataView(part.buffer).setUint32(0, value, true);
      return part.subarray(0, bytes);
    }),
  );
}

/** Without a name or a time in its header. */
export const gzip = (data: Uint8Array) => new Uint8Array(zlib.gzipSync(data, { level: 9 }));
