/**
 * The media type of a picture, null if it is none. Checks the whole structure; only the pixels are not
 * decoded. File names are unreliable, and any file may begin with "BM".
 */
export function pictureTypeOf(bytes: Uint8Array): string | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    for (const [type, isIt] of kinds) if (isIt(file)) return type;
  } catch (error) {
    // The data is truncated.
    if (!(error instanceof RangeError)) throw error;
  }
  return null;
}

const kinds: [string, (file: Buffer) => boolean][] = [
  ['image/png', isPng],
  ['image/jpeg', isJpeg],
  ['image/gif', isGif],
  ['image/webp', isWebp],
  ['image/bmp', isBmp],
];

const mostPixels = 16_384;
const isSize = (...sides: number[]) => sides.every((side) => side >= 1 && side <= mostPixels);
const textAt = (file: Buffer, at: number, length: number) => file.toString('latin1', at, at + length);

/** https://www.w3.org/TR/png-3/#5DataRep: chunks with their checksums, from IHDR over IDAT to IEND. */
function isPng(file: Buffer): boolean {
  if (textAt(file, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(file, 12, 4) !== 'IHDR' || file.readUInt32BE(8) !== 13)
    return false;
  const depths = pngDepths[file.readUInt8(25)] ?? [];
  if (!isSize(file.readUInt32BE(16), file.readUInt32BE(20)) || !depths.includes(file.readUInt8(24))) return false;
  let hasData = false;
  for (let at = 8; ; ) {
    const length = file.readUInt32BE(at);
    const type = textAt(file, at + 4, 4);
    const end = at + 8 + length;
    if (!/^[A-Za-z]{4}$/.test(type) || file.readUInt32BE(end) !== crc32(file.subarray(at + 4, end))) return false;
    hasData ||= type === 'IDAT';
    at = end + 4;
    if (type === 'IEND') return hasData && at === file.length;
  }
}

/** By colour type. */
const pngDepths: Partial<Record<number, number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B: segments, a frame header among them, and scans up to the end mark. */
function isJpeg(file: Buffer): boolean {
  if (file.readUInt16BE(0) !== 0xffd8) return false;
  let hasFrame = false;
  let hasScan = false;
  for (let at = 2; ; ) {
    if (file.readUInt8(at) !== 0xff) return false;
    while (file.readUInt8(at + 1) === 0xff) at += 1;
    const marker = file.readUInt8(at + 1);
    // Some programs append more pictures, such as previews.
    if (marker === 0xd9) return hasFrame && hasScan;
    const length = file.readUInt16BE(at + 2);
    if (length < 2 || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) return false;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const components = file.readUInt8(at + 9);
      const isPlausible = components >= 1 && components <= 4 && length === 8 + 3 * components;
      if (!isPlausible || !isSize(file.readUInt16BE(at + 5), file.readUInt16BE(at + 7))) return false;
      hasFrame = true;
    }
    at += 2 + length;
    if (marker !== 0xda) continue;
    if (!hasFrame) return false;
    hasScan = true;
    // In a scan 0xff stands for itself before 0, and for a restart before D0 to D7; anything else is the next segment.
    while (
      file.readUInt8(at) !== 0xff ||
      [0, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7].includes(file.readUInt8(at + 1))
    )
      at += 1;
  }
}

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt: blocks up to the trailer, a picture among them. */
function isGif(file: Buffer): boolean {
  if (!/^GIF8[79]a$/.test(textAt(file, 0, 6)) || !isSize(file.readUInt16LE(6), file.readUInt16LE(8))) return false;
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const afterBlocks = (start: number) => {
    let at = start;
    while (file.readUInt8(at) !== 0) at += 1 + file.readUInt8(at);
    return at + 1;
  };
  let hasPicture = false;
  for (let at = 13 + tableBytes(file.readUInt8(10)); ; ) {
    const block = file.readUInt8(at);
    if (block === 0x3b) return hasPicture;
    if (block === 0x21) at = afterBlocks(at + 2);
    else if (block === 0x2c) {
      hasPicture = true;
      at = afterBlocks(at + 11 + tableBytes(file.readUInt8(at + 9)));
    } else return false;
  }
}

/** https://developers.google.com/speed/webp/docs/riff_container: chunks that fill the file, a picture among them. */
function isWebp(file: Buffer): boolean {
  if (textAt(file, 0, 4) !== 'RIFF' || textAt(file, 8, 4) !== 'WEBP') return false;
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length || end + 1 < file.length) return false;
  let hasPicture = false;
  for (let at = 12; at < end; ) {
    const type = textAt(file, at, 4);
    const length = file.readUInt32LE(at + 4);
    if (at === 12 && !['VP8 ', 'VP8L', 'VP8X'].includes(type)) return false;
    if (type === 'VP8 ' && file.readUIntBE(at + 11, 3) !== 0x9d012a) return false;
    if (type === 'VP8 ' && !isSize(file.readUInt16LE(at + 14) & 0x3fff, file.readUInt16LE(at + 16) & 0x3fff))
      return false;
    if (type === 'VP8L' && file.readUInt8(at + 8) !== 0x2f) return false;
    hasPicture ||= ['VP8 ', 'VP8L', 'ANMF'].includes(type);
    at += 8 + length + (length % 2);
    if (at > end + 1) return false;
  }
  return hasPicture;
}

/** https://learn.microsoft.com/windows/win32/gdi/bitmap-storage: headers that agree with each other and with the length of the file. */
function isBmp(file: Buffer): boolean {
  if (textAt(file, 0, 2) !== 'BM' || file.readUInt32LE(2) !== file.length || file.readUInt32LE(6) !== 0) return false;
  const pixelsAt = file.readUInt32LE(10);
  const header = file.readUInt32LE(14);
  if (![40, 52, 56, 108, 124].includes(header) || pixelsAt < 14 + header || pixelsAt >= file.length) return false;
  const [width, height] = [file.readInt32LE(18), Math.abs(file.readInt32LE(22))];
  const [planes, depth, compression] = [file.readUInt16LE(26), file.readUInt16LE(28), file.readUInt32LE(30)];
  if (!isSize(width, height) || planes !== 1 || ![1, 4, 8, 16, 24, 32].includes(depth)) return false;
  const isPlain = compression === 0 || compression === 3;
  const rowBytes = Math.ceil((width * depth) / 32) * 4;
  return isPlain ? pixelsAt + rowBytes * height <= file.length : compression <= 2 && (depth === 4 || depth === 8);
}
