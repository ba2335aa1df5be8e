import { expect, test } from 'bun:test';
import { parseEdid } from './edid.ts';

/** The first block of a display of 527 x 296 mm with the preferred mode 1920 x 1080 at 60 Hz. */
function block(change: (bytes: Buffer) => void = () => {}): Buffer {
  const bytes = Buffer.alloc(128);
  Buffer.from('00ffffffffffff00', 'hex').copy(bytes);
  bytes[21] = 52;
  bytes[22] = 29;
  Buffer.from('023a801871382d40582c45000f2821000018', 'hex').copy(bytes, 54);
  Buffer.from('000000fc0044454c4c20553234313248', 'hex').copy(bytes, 72);
  bytes[88] = 0x0a;
  change(bytes);
  return bytes;
}

test('name, size and best mode are read', () => {
  expect(parseEdid(block())).toEqual({
    name: 'DELL U2412H',
    mmWidth: 527,
    mmHeight: 296,
    preferred: { width: 1920, height: 1080, pixelClock: 148.5, refresh: 60 },
  });
});

test('the height of an interlaced mode counts both fields', () => {
  const interlaced = parseEdid(block((bytes) => bytes.writeUInt8(0x98, 71)));
  expect(interlaced?.preferred).toMatchObject({ height: 2160 });
});

test('without a preferred mode the size is in centimetres, and without a size it is null', () => {
  expect(parseEdid(block((bytes) => bytes.fill(0, 54, 72)))).toMatchObject({
    mmWidth: 520,
    mmHeight: 290,
    preferred: null,
  });
  const projector = block((bytes) => {
    bytes.fill(0, 54, 72);
    bytes.fill(0, 21, 23);
  });
  expect(parseEdid(projector)).toMatchObject({ mmWidth: null, mmHeight: null });
});

test('other bytes give null', () => {
  expect(parseEdid(new Uint8Array())).toBeNull();
  expect(parseEdid(block().subarray(0, 100))).toBeNull();
  expect(parseEdid(Buffer.alloc(256))).toBeNull();
});
