/** Virtual key codes by the names of the API. https://learn.microsoft.com/windows/win32/inputdev/virtual-key-codes */
const named: Record<string, number> = {
  backspace: 0x08,
  tab: 0x09,
  enter: 0x0d,
  return: 0x0d,
  numpad_enter: 0x0d,
  pause: 0x13,
  capslock: 0x14,
  caps_lock: 0x14,
  escape: 0x1b,
  esc: 0x1b,
  space: 0x20,
  pageup: 0x21,
  page_up: 0x21,
  pagedown: 0x22,
  page_down: 0x22,
  end: 0x23,
  home: 0x24,
  left: 0x25,
  up: 0x26,
  right: 0x27,
  down: 0x28,
  printscreen: 0x2c,
  print_screen: 0x2c,
  insert: 0x2d,
  delete: 0x2e,
  del: 0x2e,
  menu: 0x5d,
  'numpad_*': 0x6a,
  'numpad_+': 0x6b,
  'numpad_-': 0x6d,
  'numpad_.': 0x6e,
  'numpad_/': 0x6f,
  numpad_lock: 0x90,
  num_lock: 0x90,
  scroll_lock: 0x91,
  audio_mute: 0xad,
  audio_vol_down: 0xae,
  audio_vol_up: 0xaf,
  audio_next: 0xb0,
  audio_prev: 0xb1,
  audio_stop: 0xb2,
  // Windows has one key for both.
  audio_play: 0xb3,
  audio_pause: 0xb3,
  ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`f${index + 1}`, 0x70 + index])),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`numpad_${digit}`, 0x60 + digit])),
};

const modifiers: Record<string, number> = {
  shift: 0xa0,
  left_shift: 0xa0,
  right_shift: 0xa1,
  control: 0xa2,
  ctrl: 0xa2,
  left_control: 0xa2,
  right_control: 0xa3,
  alt: 0xa4,
  left_alt: 0xa4,
  right_alt: 0xa5,
  command: 0x5b,
  cmd: 0x5b,
  meta: 0x5b,
  super: 0x5b,
  win: 0x5b,
};

/** Keys of other systems without a Windows code. */
const elsewhere = /^(?:lights_\w+|audio_(?:rewind|forward|repeat|random)|numpad_=)$/;

export type KeyFound = { kind: 'key'; virtual: number } | { kind: 'lacking' } | { kind: 'unknown' };

export function keyNamed(name: string): KeyFound {
  const key = name.toLowerCase();
  const all = { ...named, ...modifiers };
  const virtual = Object.hasOwn(all, key) ? all[key] : undefined;
  if (virtual !== undefined) return { kind: 'key', virtual };
  return { kind: elsewhere.test(key) ? 'lacking' : 'unknown' };
}

export function modifierNamed(name: string): number | null {
  const key = name.toLowerCase();
  return Object.hasOwn(modifiers, key) ? (modifiers[key] ?? null) : null;
}

/** Letters and digits have virtual key codes, which programs expect with a modifier: Ctrl+C is not "c" with Ctrl held. */
export function keyOfCharacter(character: string): number | null {
  return /^[a-z0-9]$/i.test(character) ? character.toUpperCase().charCodeAt(0) : null;
}

/** Keys for characters below the space. */
export const controlKeys: Partial<Record<number, number>> = {
  8: 0x08,
  9: 0x09,
  10: 0x0d,
  13: 0x0d,
  27: 0x1b,
  127: 0x2e,
};
