/** The description that a display sends. https://en.wikipedia.org/wiki/Extended_Display_Identification_Data */
export interface Edid {
  /** Such as "DELL U2720Q"; null: unnamed. */
  name: string | null;
  mmWidth: number | null;
  mmHeight: number | null;
  preferred: EdidMode | null;
}

interface EdidMode {
  width: number;
  height: number;
  /** MHz. */
  pixelClock: number;
  /** Hz. */
  refresh: number;
}

const header = Buffer.from('00ffffffffffff00', 'hex');
const firstDescriptor = 54;
const descriptorBytes = 18;
const nameTag = 0xfc;

/** null: not an EDID, as from an output without a display. */
export function parseEdid(bytes: Uint8Array): Edid | null {
  if (bytes.length < 128 || Buffer.compare(Buffer.from(bytes.subarray(0, 8)), header) !== 0) return null;
  const at = (index: number) => bytes[index] ?? 0;
  const descriptors = [0, 1, 2, 3].map((index) => firstDescriptor + index * descriptorBytes);
  const nameAt = descriptors.find((start) => at(start) === 0 && at(start + 1) === 0 && at(start + 3) === nameTag);
  const first = firstDescriptor;
  const hasTiming = at(first) !== 0 || at(first + 1) !== 0;
  const mm = hasTiming
    ? [at(first + 12) | ((at(first + 14) & 0xf0) << 4), at(first + 13) | ((at(first + 14) & 0x0f) << 8)]
    : [];
  return {
    name: nameAt === undefined ? null : nameIn(bytes.subarray(nameAt + 5, nameAt + descriptorBytes)),
    // 0 for projectors, and for displays that report their aspect ratio only.
    mmWidth: mm[0] || at(21) * 10 || null,
    mmHeight: mm[1] || at(22) * 10 || null,
    preferred: hasTiming ? parseTiming(bytes.subarray(first, first + descriptorBytes)) : null,
  };
}

function nameIn(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('latin1');
  return (
    text
      .replace(/\n[\s\S]*$/, '')
      .replace(/[^\x20-\x7e\xa0-\xff]/g, '')
      .trim() || null
  );
}

function parseTiming(bytes: Uint8Array): EdidMode | null {
  const at = (index: number) => bytes[index] ?? 0;
  const clock = (at(0) | (at(1) << 8)) * 10_000;
  const width = at(2) | ((at(4) & 0xf0) << 4);
  const height = at(5) | ((at(7) & 0xf0) << 4);
  const columns = width + (at(3) | ((at(4) & 0x0f) << 8));
  const lines = height + (at(6) | ((at(7) & 0x0f) << 8));
  if (columns === 0 || lines === 0) return null;
  const isInterlaced = (at(17) & 0x80) !== 0;
  return {
    width,
    // An interlaced mode counts the lines of half a picture.
    height: isInterlaced ? height * 2 : height,
    pixelClock: clock / 1_000_000,
    refresh: clock / (columns * lines),
  };
}
