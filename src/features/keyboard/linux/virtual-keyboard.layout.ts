import { evdevKeyOf, writingCodes } from './keysyms.evdev.ts';

/** Key codes of Wayland are lower by this than those of layouts. */
const offset = 8;
const lastCode = 247;
/** A layout beyond this is replaced; the characters of one call always fit. */
const mostKeys = 120;

/** A keyboard layout with exactly the needed characters. */
export function createKeyboardLayout() {
  const codes = new Map<number, number>();
  const taken = new Set<number>();
  const place = (keysym: number) => {
    const usual = evdevKeyOf(keysym);
    const free = (code: number) => !taken.has(code);
    // If possible the usual position, for programs that read positions instead of characters.
    const code =
      usual !== null && free(usual.code)
        ? usual.code
        : (writingCodes.find(free) ?? Array.from({ length: lastCode }, (_, index) => lastCode - index).find(free));
    if (code === undefined) throw new Error('there are more different characters than keys');
    codes.set(keysym, code);
    taken.add(code);
  };
  return {
    /** Whether it had to be changed for these. */
    add(keysyms: readonly number[]): boolean {
      const missing = new Set(keysyms.filter((keysym) => !codes.has(keysym)));
      if (missing.size === 0) return false;
      if (codes.size + missing.size > mostKeys) {
        codes.clear();
        taken.clear();
      }
      for (const keysym of new Set(keysyms)) if (!codes.has(keysym)) place(keysym);
      return true;
    },
    codeOf: (keysym: number) => codes.get(keysym) ?? null,
    /** In the format of xkbcomp and xkbcommon. */
    text(): string {
      const names = [...codes].map(([keysym, code]) => ({ keysym, code, name: `<K${code}>` }));
      const keycodes = names.map(({ name, code }) => `${name} = ${code + offset};`).join('\n');
      const symbols = names.map(({ name, keysym }) => `key ${name} {[0x${keysym.toString(16)}]};`).join('\n');
      return `xkb_keymap {
xkb_keycodes "hostler" { minimum = ${offset}; maximum = ${lastCode + offset};
${keycodes}
};
xkb_types "hostler" { include "complete" };
xkb_compatibility "hostler" { include "complete" };
xkb_symbols "hostler" {
${symbols}
};
};
`;
    },
  };
}
