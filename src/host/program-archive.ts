import fs from 'node:fs';
import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { type ProgramFiles, programFiles } from './program-files.ts';

/** Takes one file out of an archive of ours, whose checksum was compared before, and puts it onto the disk. */
export async function extractProgram(
  archive: string,
  entry: string,
  target: string,
  files: ProgramFiles = programFiles,
): Promise<void> {
  const unpacked = archive.endsWith('.zip') || isZip(archive) ? fromZip(archive, entry) : fromTar(archive, entry);
  const descriptor = files.create(target, 0o755);
  try {
    for await (const bytes of unpacked) files.write(descriptor, bytes);
    files.sync(descriptor);
  } catch (error) {
    files.close(descriptor);
    files.remove(target);
    throw error;
  }
  files.close(descriptor);
}

const blockBytes = 512;

/** ustar in gzip, as scripts/package writes it. */
async function* fromTar(archive: string, entry: string): AsyncGenerator<Uint8Array> {
  const stream: Readable = fs.createReadStream(archive).pipe(zlib.createGunzip());
  let rest = Buffer.alloc(0);
  /** Bytes of the present entry that are still to come, without and with what fills its last block. */
  let inside = { bytes: 0, padded: 0, isWanted: false };
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (inside.padded > 0) {
        const now = rest.subarray(0, Math.min(inside.padded, rest.length));
        rest = rest.subarray(now.length);
        const own = now.subarray(0, Math.min(inside.bytes, now.length));
        inside = { ...inside, bytes: inside.bytes - own.length, padded: inside.padded - now.length };
        if (inside.isWanted && own.length > 0) yield own;
        if (inside.isWanted && inside.bytes === 0) return;
        if (inside.padded > 0) break;
      }
      if (rest.length < blockBytes) break;
      const header = rest.subarray(0, blockBytes);
      rest = rest.subarray(blockBytes);
      const bytes = Number.parseInt(textOf(header, 124, 12), 8) || 0;
      const prefix = textOf(header, 345, 155);
      const name = `${prefix === '' ? '' : `${prefix}/`}${textOf(header, 0, 100)}`;
      inside = { bytes, padded: Math.ceil(bytes / blockBytes) * blockBytes, isWanted: name === entry && bytes > 0 };
    }
  }
  throw new Error(`${entry} is not in the archive`);
}

const textOf = (bytes: Buffer, at: number, length: number) =>
  bytes.toString('latin1', at, at + length).replace(/\0.*$/s, '');

const endBytes = 22;

function isZip(archive: string): boolean {
  return readAt(archive, 0, 4).readUInt32LE(0) === 0x04034b50;
}

/** With the list of its entries at the very end, and no comment behind it. */
async function* fromZip(archive: string, entry: string): AsyncGenerator<Uint8Array> {
  const { size } = fs.statSync(archive);
  const end = readAt(archive, size - endBytes, endBytes);
  const list = readAt(archive, end.readUInt32LE(16), end.readUInt32LE(12));
  for (let at = 0; at + 46 <= list.length; ) {
    const nameBytes = list.readUInt16LE(at + 28);
    const name = list.toString('utf8', at + 46, at + 46 + nameBytes);
    const [packed, local] = [list.readUInt32LE(at + 20), list.readUInt32LE(at + 42)];
    at += 46 + nameBytes + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
    if (name !== entry) continue;
    const head = readAt(archive, local, 30);
    const start = local + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
    const raw = fs.createReadStream(archive, { start, end: start + packed - 1 });
    yield* raw.pipe(zlib.createInflateRaw());
    return;
  }
  throw new Error(`${entry} is not in the archive`);
}

function readAt(file: string, at: number, bytes: number): Buffer {
  const descriptor = fs.openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    const read = fs.readSync(descriptor, buffer, 0, bytes, at);
    if (read !== bytes) throw new Error(`${file} is shorter than an archive`);
    return buffer;
  } finally {
    fs.closeSync(descriptor);
  }
}
