import fs from 'node:fs';
import { lz4Blocks } from './lz4-frame.ts';

const pieceBytes = 256 * 1024;
/** The lists of one archive are a tenth of it; a file without end is not read to its end. */
const mostBytes = 1024 * 1024 * 1024;

/** The bytes of a file of a package manager, unpacked by the ending of its name. Each piece is good until the next one is asked for. */
export async function* stateFilePieces(file: string): AsyncGenerator<Uint8Array> {
  const ending = /\.(\w+)$/.exec(file)?.[1] ?? '';
  yield* bounded(unpacked(file, ending), mostBytes, file);
}

/** A small file can unpack to one without end. */
async function* bounded(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  what: string,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of pieces) {
    total += piece.length;
    if (total > most) throw new Error(`${what} is longer than ${most / 1024 ** 3} GiB`);
    yield piece;
  }
}

function unpacked(file: string, ending: string): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (ending === 'lz4') return unpackedLz4(filePieces(file));
  if (ending === 'gz' || ending === 'zst') return inflated(filePieces(file), ending);
  if (ending === 'xz' || ending === 'bz2' || ending === 'lzma')
    throw new Error(`${file} is packed with ${ending}, which Hostler cannot unpack`);
  return filePieces(file);
}

function* unpackedLz4(pieces: Generator<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* lz4Blocks(pieces);
  } finally {
    pieces.return(undefined);
  }
}

async function* inflated(pieces: Iterable<Uint8Array>, ending: 'gz' | 'zst'): AsyncGenerator<Uint8Array> {
  const zlib = await import('node:zlib');
  const { Readable } = await import('node:stream');
  const stream = ending === 'gz' ? zlib.createGunzip() : zlib.createZstdDecompress();
  const input = Readable.from(copies(pieces));
  input.on('error', (error) => stream.destroy(error));
  input.pipe(stream);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } finally {
    // Whoever stops in the middle leaves no file open.
    input.destroy();
  }
}

/** The same by what the file begins with, for names that do not tell. */
export function unpackedByContent(pieces: Iterable<Uint8Array>, most = mostBytes): AsyncGenerator<Uint8Array> {
  return bounded(contentsOf(pieces), most, 'it');
}

async function* contentsOf(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.iterator]();
  const first = source.next();
  if (first.done === true) return;
  // Not slice(): of a Buffer that is another view of the same bytes.
  const beginning = new Uint8Array(first.value);
  const all = (function* () {
    yield beginning;
    yield* { [Symbol.iterator]: () => source };
  })();
  const magic = Buffer.from(beginning.subarray(0, 6)).toString('hex');
  try {
    if (magic.startsWith('1f8b')) yield* inflated(all, 'gz');
    else if (magic.startsWith('28b52ffd')) yield* inflated(all, 'zst');
    else if (magic.startsWith('fd377a585a00') || magic.startsWith('425a68'))
      throw new Error('it is packed with xz or bzip2');
    else yield* all;
  } finally {
    source.return?.();
  }
}

/** A stream keeps what it is given for a while. */
function* copies(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const piece of pieces) yield new Uint8Array(piece);
}

export function* filePieces(file: string): Generator<Uint8Array> {
  const descriptor = openRegular(file);
  try {
    const buffer = Buffer.allocUnsafeSlow(pieceBytes);
    for (;;) {
      const length = fs.readSync(descriptor, buffer, 0, buffer.length, null);
      if (length === 0) return;
      yield buffer.subarray(0, length);
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Neither waits for the other end of a pipe nor reads a device that never ends. */
function openRegular(file: string): number {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  if (fs.fstatSync(descriptor).isFile()) return descriptor;
  fs.closeSync(descriptor);
  throw new Error(`${file} is not a file`);
}

/** All of a file; throws when it is none, or longer than it may be. */
export function regularFileBytes(file: string, most: number): Uint8Array {
  const descriptor = openRegular(file);
  try {
    const { size } = fs.fstatSync(descriptor);
    if (size > most) throw new Error('it is too long');
    const buffer = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const got = fs.readSync(descriptor, buffer, length, size - length, length);
      if (got === 0) break;
      length += got;
    }
    return buffer.subarray(0, length);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The beginning of a short file; null: it cannot be read. */
export function beginningOf(file: string, bytes: number): string | null {
  try {
    const descriptor = openRegular(file);
    try {
      const buffer = Buffer.alloc(bytes);
      let length = 0;
      while (length < bytes) {
        const got = fs.readSync(descriptor, buffer, length, bytes - length, length);
        if (got === 0) break;
        length += got;
      }
      return buffer.toString('utf8', 0, length);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

export function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** Unix milliseconds of the newest of these; null: none is there. */
export function newestOf(files: readonly string[]): number | null {
  const times = files.flatMap((file) => {
    try {
      return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? [];
    } catch {
      return [];
    }
  });
  return times.length === 0 ? null : Math.max(...times);
}
