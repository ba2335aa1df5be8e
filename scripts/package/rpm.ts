import { createHash } from 'node:crypto';
import { cpio, type Stamp } from './archives.ts';
import type { Compress } from './compress.ts';
import type { PackageFacts } from './deb.ts';
import { joined, type PackedEntry, padding, text, withDirectories } from './tree.ts';

/** https://rpm-software-management.github.io/rpm/manual/format_v4.html, the tags: …/manual/tags.html */
const types = { int16: 3, int32: 4, string: 6, bin: 7, strings: 8, i18n: 9 } as const;
type Value =
  | { type: 'int16' | 'int32'; values: readonly number[] }
  | { type: 'string' | 'i18n'; value: string }
  | { type: 'strings'; values: readonly string[] }
  | { type: 'bin'; value: Uint8Array };

const int32 = (...values: number[]): Value => ({ type: 'int32', values });
const string = (value: string): Value => ({ type: 'string', value });
const strings = (values: readonly string[]): Value => ({ type: 'strings', values });

const isLess = 2;
const isEqual = 8;
const isRpmlib = 1 << 24;

export async function rpm(
  facts: PackageFacts,
  architecture: string,
  tree: readonly PackedEntry[],
  scripts: { post: string; preun: string; postun: string },
  stamp: Stamp,
  compress: Compress,
): Promise<Uint8Array> {
  // System directories belong to other packages.
  const files = withDirectories(tree).filter(({ path, data }) => data !== null || /hostler/.test(path));
  const archive = cpio(files, stamp);
  const { bytes: payload, ending } = await compress(archive);
  const compressor = ending === '.zst' ? 'zstd' : 'xz';
  const directories = [...new Set(files.map(({ path }) => `/${path.slice(0, path.lastIndexOf('/') + 1)}`))];
  const each = <T>(of: (entry: PackedEntry, at: number) => T) => files.map(of);
  const requires: [string, number, string][] = [
    ['/bin/sh', 0, ''],
    ['libc.so.6(GLIBC_2.17)(64bit)', 0, ''],
    ['rpmlib(CompressedFileNames)', isRpmlib | isLess | isEqual, '3.0.4-1'],
    ['rpmlib(FileDigests)', isRpmlib | isLess | isEqual, '4.6.0-1'],
    ['rpmlib(PayloadFilesHavePrefix)', isRpmlib | isLess | isEqual, '4.0-1'],
    ending === '.zst'
      ? ['rpmlib(PayloadIsZstd)', isRpmlib | isLess | isEqual, '5.4.18-1']
      : ['rpmlib(PayloadIsXz)', isRpmlib | isLess | isEqual, '5.2-1'],
  ];
  const sizes = each(({ data }) => data?.length ?? 0);
  const header = headerOf(63, {
    100: strings(['C']),
    1000: string(facts.name),
    1001: string(facts.version),
    1002: string('1'),
    1004: { type: 'i18n', value: facts.summary },
    1005: { type: 'i18n', value: facts.description },
    1006: int32(stamp.time),
    1007: string('localhost'),
    1009: int32(sizes.reduce((sum, size) => sum + size, 0)),
    1014: string('MIT'),
    1015: string(facts.maintainer),
    1016: { type: 'i18n', value: 'Applications/System' },
    ...(facts.homepage === null ? {} : { 1020: string(facts.homepage) }),
    1021: string('linux'),
    1022: string(architecture),
    1024: string(scripts.post),
    1025: string(scripts.preun),
    1026: string(scripts.postun),
    1028: int32(...sizes),
    1030: { type: 'int16', values: each(({ mode, data }) => mode | (data === null ? 0o040000 : 0o100000)) },
    1033: { type: 'int16', values: each(() => 0) },
    1034: int32(...each(() => stamp.time)),
    1035: strings(each(({ data }) => (data === null ? '' : sha256(data)))),
    1036: strings(each(() => '')),
    1037: int32(...each(({ path }) => (path.startsWith('usr/share/doc/') ? 2 : 0))),
    1039: strings(each(() => 'root')),
    1040: strings(each(() => 'root')),
    1044: string(`${facts.name}-${facts.version}-1.src.rpm`),
    1045: int32(...each(() => -1)),
    1047: strings([facts.name]),
    1048: int32(...requires.map(([, flags]) => flags)),
    1049: strings(requires.map(([name]) => name)),
    1050: strings(requires.map(([, , version]) => version)),
    1064: string('4.18.0'),
    1086: string('/bin/sh'),
    1087: string('/bin/sh'),
    1088: string('/bin/sh'),
    1095: int32(...each(() => 1)),
    1096: int32(...each((_entry, at) => at + 1)),
    1097: strings(each(() => '')),
    1112: int32(isEqual),
    1113: strings([`${facts.version}-1`]),
    1116: int32(...each(({ path }) => directories.indexOf(`/${path.slice(0, path.lastIndexOf('/') + 1)}`))),
    1117: strings(each(({ path }) => path.slice(path.lastIndexOf('/') + 1))),
    1118: strings(directories),
    1124: string('cpio'),
    1125: string(compressor),
    1126: string('9'),
    5011: int32(8),
    5092: strings([sha256(payload)]),
    5093: int32(8),
    5097: strings([sha256(archive)]),
  });
  const signature = headerOf(62, {
    269: string(createHash('sha1').update(header).digest('hex')),
    273: string(sha256(header)),
    1000: int32(header.length + payload.length),
    1004: { type: 'bin', value: new Uint8Array(createHash('md5').update(header).update(payload).digest()) },
    1007: int32(archive.length),
  });
  return joined([lead(`${facts.name}-${facts.version}-1`), signature, padding(signature.length, 8), header, payload]);
}

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');

/** For older programs. */
function lead(name: string): Uint8Array {
  const bytes = new Uint8Array(96);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xedabeedb);
  view.setUint8(4, 3);
  view.setUint16(8, 1);
  bytes.set(text(name.slice(0, 65)), 10);
  view.setUint16(76, 1);
  view.setUint16(78, 5);
  return bytes;
}

/** An index of tags, followed by their data; the first entry is the region that covers both. */
function headerOf(region: number, tags: Record<number, Value>): Uint8Array<ArrayBuffer> {
  const entries: [tag: number, type: number, at: number, count: number][] = [];
  const store: Uint8Array[] = [];
  let at = 0;
  const put = (bytes: Uint8Array) => {
    store.push(bytes);
    at += bytes.length;
  };
  for (const [tag, value] of Object.entries(tags)) {
    const { bytes, count, align } = encode(value);
    put(padding(at, align));
    entries.push([Number(tag), types[value.type], at, count]);
    put(bytes);
  }
  // The region's own trailer counts the index entries, itself included, as a negative offset.
  const trailer = indexEntry(region, types.bin, -(entries.length + 1) * 16, 16);
  const first: [number, number, number, number] = [region, types.bin, at, 16];
  put(trailer);
  const index = [first, ...entries].map((entry) => indexEntry(...entry));
  const head = new Uint8Array(16);
  const view = new DataView(head.buffer);
  view.setUint32(0, 0x8eade801);
  view.setUint32(8, entries.length + 1);
  view.setUint32(12, at);
  return joined([head, ...index, ...store]);
}

function indexEntry(tag: number, type: number, at: number, count: number): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  for (const [position, value] of [tag, type, at, count].entries()) view.setInt32(position * 4, value);
  return bytes;
}

function encode(value: Value): { bytes: Uint8Array; count: number; align: number } {
  switch (value.type) {
    case 'int16':
    case 'int32': {
      const width = value.type === 'int16' ? 2 : 4;
      const bytes = new Uint8Array(value.values.length * width);
      const view = new DataView(bytes.buffer);
      for (const [position, number] of value.values.entries()) {
        if (width === 2) view.setUint16(position * 2, number);
        else view.setInt32(position * 4, number);
      }
      return { bytes, count: value.values.length, align: width };
    }
    case 'strings':
      return { bytes: text(value.values.map((each) => `${each}\0`).join('')), count: value.values.length, align: 1 };
    case 'bin':
      return { bytes: value.value, count: value.value.length, align: 1 };
    default:
      return { bytes: text(`${value.value}\0`), count: 1, align: 1 };
  }
}
