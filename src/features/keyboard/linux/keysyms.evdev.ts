/** Positions of keys: the kernel's key codes, for the US layout. https://docs.kernel.org/input/event-codes.html */

const rows: [first: number, plain: string, shifted: string][] = [
  [2, '1234567890-=', '!@#$%^&*()_+'],
  [16, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
];

const others: [keysym: number, code: number][] = [
  [0xff1b, 1],
  [0xff08, 14],
  [0xff09, 15],
  [0xff0d, 28],
  [0xffe3, 29],
  [0xffe1, 42],
  [0xffe2, 54],
  [0xffaa, 55],
  [0xffe9, 56],
  [0x20, 57],
  [0xffe5, 58],
  [0xff7f, 69],
  [0xff14, 70],
  [0xffad, 74],
  [0xffab, 78],
  [0xffae, 83],
  [0xff8d, 96],
  [0xffe4, 97],
  [0xffaf, 98],
  [0xff61, 99],
  [0xffea, 100],
  [0xff50, 102],
  [0xff52, 103],
  [0xff55, 104],
  [0xff51, 105],
  [0xff53, 106],
  [0xff57, 107],
  [0xff54, 108],
  [0xff56, 109],
  [0xff63, 110],
  [0xffff, 111],
  [0x1008_ff12, 113],
  [0x1008_ff11, 114],
  [0x1008_ff13, 115],
  [0xffbd, 117],
  [0xff13, 119],
  [0xffeb, 125],
  [0xff67, 127],
  [0x1008_ff17, 163],
  [0x1008_ff14, 164],
  [0x1008_ff16, 165],
  [0x1008_ff15, 166],
  [0x1008_ff3e, 168],
  [0x1008_ff31, 201],
  [0x1008_ff97, 208],
  [0x1008_ff03, 224],
  [0x1008_ff02, 225],
  [0x1008_ff04, 228],
  [0x1008_ff06, 229],
  [0x1008_ff05, 230],
  // F1 to F10, F11 and F12, F13 to F24.
  ...Array.from({ length: 24 }, (_, index): [number, number] => [
    0xffbe + index,
    index < 10 ? 59 + index : index < 12 ? 87 + index - 10 : 183 + index - 12,
  ]),
  // Of the numeric keypad, from 7 down to 0.
  ...[71, 72, 73, 75, 76, 77, 79, 80, 81, 82].map((code, index): [number, number] => [
    0xffb0 + ([7, 8, 9, 4, 5, 6, 1, 2, 3, 0][index] ?? 0),
    code,
  ]),
];

export interface EvdevKey {
  code: number;
  withShift: boolean;
}

const keys = new Map<number, EvdevKey>([
  ...rows.flatMap(([first, plain, shifted]) =>
    [plain, shifted].flatMap((characters, withShift) =>
      [...characters].map((character, index): [number, EvdevKey] => [
        character.charCodeAt(0),
        { code: first + index, withShift: withShift === 1 },
      ]),
    ),
  ),
  ...others.map(([keysym, code]): [number, EvdevKey] => [keysym, { code, withShift: false }]),
]);

/** null: not on such a keyboard. */
export const evdevKeyOf = (keysym: number): EvdevKey | null => keys.get(keysym) ?? null;

export const keyCodes: readonly number[] = [...new Set([...keys.values()].map(({ code }) => code))];

/** Keys of letters, digits and symbols: programs give none of these a special meaning, whatever the layout. */
export const writingCodes: readonly number[] = rows.flatMap(([first, plain]) =>
  Array.from({ length: plain.length }, (_, index) => first + index),
);
