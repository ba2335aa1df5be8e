import { address, copyFrom, pinned } from '../../ffi.ts';
import { wideText } from './structs.ts';

/** Memory for arguments and results of calls. Its address is stable while it is referenced. */

/** Text as Windows takes it, with its NUL. */
export function wide(text: string): Uint8Array<ArrayBuffer> {
  const bytes = pinned(2 * text.length + 2);
  Buffer.from(bytes.buffer).write(text, 'utf16le');
  return bytes;
}

/** A number that a call fills. */
export type Slot = ReturnType<typeof slot>;

export function slot(initial = 0) {
  const bytes = pinned(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, initial, true);
  return {
    place: address(bytes),
    u8: () => view.getUint8(0),
    u32: () => view.getUint32(0, true),
    i32: () => view.getInt32(0, true),
    f32: () => view.getFloat32(0, true),
    f64: () => view.getFloat64(0, true),
    u64: () => Number(view.getBigUint64(0, true)),
    i64: () => view.getBigInt64(0, true),
  };
}

/** Text in native memory, up to its NUL; `most`: characters. */
export function textAt(place: number, most = 32_768): string {
  if (place === 0) return '';
  // In pieces that end at a page: memory after the text may not be readable.
  const pieces: string[] = [];
  for (let at = place, left = 2 * most; left > 0; ) {
    const bytes = copyFrom(at, Math.min(left, 4096 - (at % 4096)));
    const text = wideText(bytes);
    pieces.push(text);
    if (2 * text.length < bytes.length) break;
    at += bytes.length;
    left -= bytes.length;
  }
  return pieces.join('');
}
