import { address, pinned } from '../../ffi.ts';
import { guidBytes } from './guid.ts';
import { slot } from './memory.ts';
import { win32 } from './win32.ts';

const longestList = 1 << 20;

/** Paths of the present devices with an interface, given by its GUID. */
export function devicePaths(kind: string): string[] {
  const [guid, length] = [guidBytes(kind), slot()];
  if (win32.CM_Get_Device_Interface_List_SizeW(length.place, address(guid), 0, 0) !== 0) return [];
  return textsOf(length.u32(), (texts, characters) =>
    win32.CM_Get_Device_Interface_ListW(address(guid), 0, texts, characters, 0),
  );
}

/** The texts that a call writes into memory for this many characters; empty if it fails. */
export function textsOf(length: number, list: (texts: Uint8Array, characters: number) => number): string[] {
  const characters = Math.min(length, longestList);
  const texts = pinned(2 * characters);
  if (characters < 2 || list(texts, characters) !== 0) return [];
  return Buffer.from(texts.buffer).toString('utf16le').split('\0').filter(Boolean);
}
