import { address, openLibrary, pinned, readU32 } from '../../../host/ffi.ts';
import { isOnNumberBlock, keysymOfCharacter } from './keysyms.ts';

/** The characters of a keyboard layout, by keysym. */
export type LayoutKeysyms = Map<number, LayoutKey>;

export interface LayoutKey {
  /** The keysym of the same character in this layout. */
  keysym: number;
  /** The kernel's key code. */
  code: number;
  /** 0: plain, 1: with Shift; more: with other modifiers. */
  level: number;
  /** Whether all layouts of the user have it; the active one is unknown. */
  isEverywhere: boolean;
}

const textFormat = 1;
/** Key codes of the kernel are lower by this than those of layouts. */
const offset = 8;
/** Bounds layouts and levels of a key. */
const most = 8;

/** Parses a keymap as compositors send it. null: libxkbcommon is missing, or rejects it. */
export function readLayout(keymap: Uint8Array): LayoutKeysyms | null {
  const library = openLibrary(['libxkbcommon.so.0'], {
    xkb_context_new: { args: ['i32'], returns: 'ptr' },
    xkb_context_unref: { args: ['ptr'], returns: 'void' },
    xkb_keymap_new_from_buffer: { args: ['ptr', 'ptr', 'u64', 'i32', 'i32'], returns: 'ptr' },
    xkb_keymap_unref: { args: ['ptr'], returns: 'void' },
    xkb_keymap_min_keycode: { args: ['ptr'], returns: 'u32' },
    xkb_keymap_max_keycode: { args: ['ptr'], returns: 'u32' },
    xkb_keymap_num_layouts_for_key: { args: ['ptr', 'u32'], returns: 'u32' },
    xkb_keymap_num_levels_for_key: { args: ['ptr', 'u32', 'u32'], returns: 'u32' },
    xkb_keymap_key_get_syms_by_level: { args: ['ptr', 'u32', 'u32', 'u32', 'ptr'], returns: 'i32' },
    xkb_keysym_to_utf32: { args: ['u32'], returns: 'u32' },
  });
  if (library === null) return null;
  const xkb = library.symbols;
  const text = pinned(keymap.length);
  text.set(keymap);
  const context = xkb.xkb_context_new(0);
  if (context === null) return null;
  const loaded = xkb.xkb_keymap_new_from_buffer(context, address(text), BigInt(text.length), textFormat, 0);
  xkb.xkb_context_unref(context);
  if (loaded === null) return null;

  const found = new Map<number, LayoutKey>();
  const list = pinned(8);
  /** null: none, or several at once. */
  const keysymAt = (code: number, layout: number, level: number): number | null => {
    if (xkb.xkb_keymap_key_get_syms_by_level(loaded, code, layout, level, address(list)) !== 1) return null;
    const place = Number(new DataView(list.buffer).getBigUint64(0, true));
    return readU32(place as Parameters<typeof readU32>[0]);
  };
  const last = Math.min(4096, xkb.xkb_keymap_max_keycode(loaded));
  for (let code = xkb.xkb_keymap_min_keycode(loaded); code <= last; code += 1) {
    const layouts = numbersTo(xkb.xkb_keymap_num_layouts_for_key(loaded, code));
    for (const layout of layouts) {
      for (const level of numbersTo(xkb.xkb_keymap_num_levels_for_key(loaded, code, layout))) {
        const keysym = keysymAt(code, layout, level);
        if (keysym === null || found.has(keysym)) continue;
        const isEverywhere = layouts.every((other) => keysymAt(code, other, level) === keysym);
        found.set(keysym, { keysym, code: code - offset, level, isEverywhere });
      }
    }
  }
  xkb.xkb_keymap_unref(loaded);
  return toKeysyms(found, xkb.xkb_keysym_to_utf32);
}

const numbersTo = (count: number) => Array.from({ length: Math.min(most, count) }, (_, index) => index);

/** Legacy keysyms, such as those of Cyrillic letters, map to the Unicode ones. */
function toKeysyms(found: Map<number, LayoutKey>, toCharacter: (keysym: number) => number): LayoutKeysyms {
  const known: LayoutKeysyms = new Map(found);
  for (const [keysym, key] of found) {
    const code = isOnNumberBlock(keysym) ? 0 : toCharacter(keysym);
    const ours = code > 0x20 && code <= 0x10_ffff ? keysymOfCharacter(String.fromCodePoint(code)) : null;
    if (ours !== null && !known.has(ours)) known.set(ours, key);
  }
  return known;
}
