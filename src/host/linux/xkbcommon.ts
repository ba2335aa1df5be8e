import { address, openLibrary, pinned, readU32 } from '../ffi.ts';
import { isOnNumberBlock, keysymOfCharacter } from './keysyms.ts';

/** What a keyboard layout can type, by our keysyms. */
export type LayoutKeysyms = Map<number, LayoutKey>;

export interface LayoutKey {
  /** What this layout has for the same character. */
  keysym: number;
  /** The kernel's number of the key. */
  code: number;
  /** 0: plain, 1: with Shift; more: with other keys. */
  level: number;
}

const textFormat = 1;
/** Numbers of the kernel are less by this than those of layouts. */
const offset = 8;
/** Layouts, levels and keysyms of a key; far beyond what there is. */
const most = 8;

/** Reads a keymap as compositors send it. null: there is no libxkbcommon, or it does not understand it. */
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
  const last = Math.min(4096, xkb.xkb_keymap_max_keycode(loaded));
  for (let code = xkb.xkb_keymap_min_keycode(loaded); code <= last; code += 1) {
    const layouts = Math.min(most, xkb.xkb_keymap_num_layouts_for_key(loaded, code));
    for (let layout = 0; layout < layouts; layout += 1) {
      const levels = Math.min(most, xkb.xkb_keymap_num_levels_for_key(loaded, code, layout));
      for (let level = 0; level < levels; level += 1) {
        if (xkb.xkb_keymap_key_get_syms_by_level(loaded, code, layout, level, address(list)) !== 1) continue;
        const place = Number(new DataView(list.buffer).getBigUint64(0, true));
        const keysym = readU32(place as Parameters<typeof readU32>[0]);
        if (!found.has(keysym)) found.set(keysym, { keysym, code: code - offset, level });
      }
    }
  }
  xkb.xkb_keymap_unref(loaded);
  return toKeysyms(found, xkb.xkb_keysym_to_utf32);
}

/** Older numbers of characters, such as those of Cyrillic letters, stand for the ones we use. */
function toKeysyms(found: Map<number, LayoutKey>, toCharacter: (keysym: number) => number): LayoutKeysyms {
  const known: LayoutKeysyms = new Map(found);
  for (const [keysym, key] of found) {
    const code = isOnNumberBlock(keysym) ? 0 : toCharacter(keysym);
    const ours = code > 0x20 && code <= 0x10_ffff ? keysymOfCharacter(String.fromCodePoint(code)) : null;
    if (ours !== null && !known.has(ours)) known.set(ours, key);
  }
  return known;
}
