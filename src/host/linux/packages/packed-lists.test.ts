import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { until } from '../../../../test/harness/until.ts';
import { controlField, eachParagraph } from './control-paragraphs.ts';
import { lz4Blocks } from './lz4-frame.ts';
import { parseSummary } from './ostree-summary.ts';
import { filePieces, stateFilePieces, unpackedByContent } from './state-file.ts';
import { tarNames } from './tar-names.ts';

/** Text that repeats itself near and far, and parts that do not. */
function sample(bytes: number): Buffer {
  const words = Array.from({ length: bytes / 20 }, (_, at) => `word ${(at * 7919) % 997} of ${at % 13}\n`);
  return Buffer.from(words.join('')).subarray(0, bytes);
}

const joined = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return Buffer.concat(all);
};

const text = sample(700_000);

test.each([
  ['gz', () => zlib.gzipSync(text)],
  ['zst', () => zlib.zstdCompressSync(text)],
  ['', () => text],
])('a list packed as %j comes out as it went in', async (ending, pack) => {
  const name = `/list${ending === '' ? '' : `.${ending}`}`;
  const { root } = machineFiles({ [name]: pack() });
  expect((await joined(stateFilePieces(path.join(root, name)))).equals(text)).toBe(true);
  expect((await joined(unpackedByContent([pack()]))).equals(text)).toBe(true);
});

/** Nothing in it repeats itself, so that packed it has several pieces too. */
const noise = Buffer.alloc(3_000_000);
for (let at = 0, state = 1; at < noise.length; at += 1) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  noise[at] = state >>> 24;
}

test.each([
  ['gz', () => zlib.gzipSync(noise)],
  ['zst', () => zlib.zstdCompressSync(noise)],
  ['', () => noise],
])('a list of many pieces packed as %j comes out as it went in', async (ending, pack) => {
  const packed = pack();
  expect(packed.length).toBeGreaterThan(2_500_000);
  const name = `/list${ending === '' ? '' : `.${ending}`}`;
  const { root } = machineFiles({ [name]: packed });
  const file = path.join(root, name);
  expect((await joined(stateFilePieces(file))).equals(noise)).toBe(true);
  expect((await joined(unpackedByContent(filePieces(file)))).equals(noise)).toBe(true);
});

test.each([
  ['gz', zlib.gzipSync],
  ['zst', zlib.zstdCompressSync],
  ['', (bytes: Buffer) => bytes],
])('what unpacks to more than it may is given up, packed as %j', async (_ending, pack) => {
  const zeros = Buffer.alloc(1_000_000);
  expect((await joined(unpackedByContent([pack(zeros)], 1_000_000))).length).toBe(1_000_000);
  await expect(joined(unpackedByContent([pack(zeros)], 999_999))).rejects.toThrow('it is longer than');
});

test('a file that is given up in the middle is closed', async () => {
  const { root } = machineFiles({
    '/list.gz': zlib.gzipSync(noise),
    '/list.lz4': 'none',
    '/list.xz': Buffer.from('fd377a585a000000', 'hex'),
  });
  const open = () =>
    fs.readdirSync('/proc/self/fd').filter((each) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${each}`).startsWith(root);
      } catch {
        return false;
      }
    });
  const file = path.join(root, 'list.gz');
  await expect(joined(unpackedByContent(filePieces(file), 300_000))).rejects.toThrow('it is longer than');
  await expect(joined(unpackedByContent(filePieces(path.join(root, 'list.xz'))))).rejects.toThrow('xz');
  await expect(joined(stateFilePieces(path.join(root, 'list.lz4')))).rejects.toThrow('not an LZ4 frame');
  for await (const _ of stateFilePieces(file)) break;
  await until(() => open().length === 0, 'the files are closed');
});

test('what is packed in another way, no file, or broken off says so', async () => {
  const { root } = machineFiles({ '/a.xz': 'x', '/b.gz': zlib.gzipSync(text).subarray(0, 1000), '/c.lz4': 'none' });
  await expect(joined(stateFilePieces(path.join(root, 'a.xz')))).rejects.toThrow('cannot unpack');
  await expect(joined(stateFilePieces(path.join(root, 'b.gz')))).rejects.toThrow();
  await expect(joined(stateFilePieces(path.join(root, 'c.lz4')))).rejects.toThrow('not an LZ4 frame');
  await expect(joined(stateFilePieces(root))).rejects.toThrow('not a file');
  await expect(joined(stateFilePieces('/dev/zero'))).rejects.toThrow('not a file');
});

const helper = '/usr/lib/apt/apt-helper';
const lists = '/var/lib/apt/lists';
const packedList = fs.existsSync(lists)
  ? fs.readdirSync(lists).find((each) => each.endsWith('_Packages.lz4'))
  : undefined;

const frameHeader = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
const word = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255];
const frame = (...blocks: number[][]) =>
  Uint8Array.from([...frameHeader, ...blocks.flatMap((block) => [...word(block.length), ...block]), ...word(0)]);
/** Each piece is good until the next one only. */
const unpack = (bytes: Uint8Array) => {
  let all = '';
  for (const piece of lz4Blocks([bytes])) all += Buffer.from(piece).toString('latin1');
  return all;
};

test('LZ4: literals, matches that overlap themselves, long lengths, and blocks that are not packed', () => {
  // "ab" and then ten times what stands two before; then one literal.
  expect(unpack(frame([0x26, 0x61, 0x62, 2, 0, 0x10, 0x63]))).toBe('ababababababc');
  // 15 + 5 literals.
  expect(unpack(frame([0xf0, 5, ...Array.from({ length: 20 }, () => 0x7a)]))).toBe('z'.repeat(20));
  const plain = Uint8Array.from([...frameHeader, 3, 0, 0, 0x80, 0x61, 0x62, 0x63, ...word(0)]);
  expect(unpack(plain)).toBe('abc');
});

test.each([
  ['goes back before the beginning', frame([0x16, 0x61, 9, 0, 0x10, 0x63])],
  ['goes back nowhere', frame([0x16, 0x61, 0, 0, 0x10, 0x63])],
  ['promises more than it has', frame([0xf0, 255, 255, 10, 0x61])],
  ['breaks off within a length', frame([0xf0, 255])],
  ['grows without end', frame([0x1f, 0x61, 1, 0, ...Array.from({ length: 400 }, () => 255), 0, 0x10, 0x63])],
  ['is longer than it may be', Uint8Array.from([...frameHeader, ...word(100_000)])],
])('LZ4: a block that %s is refused', (_what, bytes) => {
  expect(() => unpack(bytes)).toThrow();
});

test.skipIf(packedList === undefined || !fs.existsSync(helper))(
  'LZ4: the lists of this machine come out as apt itself unpacks them',
  async () => {
    const file = path.join(lists, packedList ?? '');
    const theirs = spawnSync(helper, ['cat-file', file], { maxBuffer: 1024 ** 3 }).stdout;
    const ours = await joined(stateFilePieces(file));
    expect(ours.length).toBe(theirs.length);
    expect(ours.equals(theirs)).toBe(true);
  },
);

test('paragraphs are found wherever the pieces are cut', async () => {
  const control = 'Package: a\nVersion: 1\n\n\nVersion: 2\nPackage: b\nDescription: x\n Package: no\n\nPackage: c\n';
  for (let size = 1; size < control.length; size += 1) {
    const found: string[] = [];
    const pieces = async function* () {
      for (let at = 0; at < control.length; at += size) yield Buffer.from(control.slice(at, at + size));
    };
    await eachParagraph(pieces(), (each) =>
      found.push(`${controlField(each, 'Package')} ${controlField(each, 'Version')}`),
    );
    expect(found).toEqual(['a 1', 'b 2', 'c null']);
  }
});

test('a paragraph without end is given up', async () => {
  const endless = async function* () {
    for (;;) yield Buffer.alloc(1024 * 1024, 0x61);
  };
  await expect(eachParagraph(endless(), () => {})).rejects.toThrow('does not end');
});

test.skipIf(!fs.existsSync('/bin/tar'))(
  'names in tar archives, long ones too, wherever the pieces are cut',
  async () => {
    const long = `${'deep-name-'.repeat(15)}-1.0-1`;
    const { root } = machineFiles({ '/t/a-1-1/desc': 'x'.repeat(5000), [`/t/${long}/desc`]: 'y', '/t/b-2-1/desc': '' });
    for (const format of ['gnu', 'pax']) {
      const { stdout } = spawnSync('/bin/tar', ['-C', `${root}/t`, `--format=${format}`, '-c', 'a-1-1', long, 'b-2-1']);
      for (const size of [100, 512, 1000, 100_000]) {
        const pieces = async function* () {
          for (let at = 0; at < stdout.length; at += size) yield stdout.subarray(at, at + size);
        };
        const names: string[] = [];
        for await (const name of tarNames(pieces())) names.push(name.replace(/\/.*/, ''));
        expect([...new Set(names)]).toEqual(['a-1-1', long, 'b-2-1']);
      }
    }
  },
);

test.skipIf(!fs.existsSync('/bin/tar'))('names in a tar archive that is longer than one piece of a file', async () => {
  // Each begins somewhere else in its piece, so that one of them is cut.
  const names = Array.from({ length: 400 }, (_, at) => `package${at}-1-1`);
  const { root } = machineFiles(
    Object.fromEntries(names.map((name, at) => [`/t/${name}`, 'x'.repeat(1000 + 37 * (at % 50))])),
  );
  // Pieces that are no multiple of a block, all through one buffer, as they come from a file.
  const { stdout } = spawnSync('/bin/tar', ['-C', `${root}/t`, '-c', ...names], { maxBuffer: 64 * 1024 ** 2 });
  const pieces = async function* () {
    const buffer = Buffer.alloc(10_000);
    for (let at = 0; at < stdout.length; at += buffer.length)
      yield buffer.subarray(0, stdout.copy(buffer, 0, at, at + buffer.length));
  };
  const found: string[] = [];
  for await (const name of tarNames(pieces())) found.push(name);
  expect(found).toEqual(names);
});

test('a summary whose frames lie is refused, and never read beyond its end', () => {
  for (const bytes of [[], [1], [9, 200], [0, 0, 0, 0, 0, 0, 0, 0, 7, 9], Array.from({ length: 300 }, () => 255)]) {
    try {
      parseSummary(Uint8Array.from(bytes));
    } catch (error) {
      expect(String(error)).toContain('damaged');
    }
  }
});
