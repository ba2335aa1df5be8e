/** Keysyms of X11 and Wayland. https://www.cl.cam.ac.uk/~mgk25/ucs/keysyms.txt */

export const shift = 0xffe1;
const controlKeysym = 0xffe3;
export const alt = 0xffe9;
export const command = 0xffeb;
export const capsLock = 0xffe5;
export const escapeKey = 0xff1b;

const named: Record<string, number> = {
  backspace: 0xff08,
  tab: 0xff09,
  enter: 0xff0d,
  return: 0xff0d,
  pause: 0xff13,
  scroll_lock: 0xff14,
  escape: escapeKey,
  esc: escapeKey,
  home: 0xff50,
  left: 0xff51,
  up: 0xff52,
  right: 0xff53,
  down: 0xff54,
  pageup: 0xff55,
  page_up: 0xff55,
  pagedown: 0xff56,
  page_down: 0xff56,
  end: 0xff57,
  printscreen: 0xff61,
  print_screen: 0xff61,
  insert: 0xff63,
  menu: 0xff67,
  numpad_lock: 0xff7f,
  num_lock: 0xff7f,
  numpad_enter: 0xff8d,
  'numpad_*': 0xffaa,
  'numpad_+': 0xffab,
  'numpad_-': 0xffad,
  'numpad_.': 0xffae,
  'numpad_/': 0xffaf,
  'numpad_=': 0xffbd,
  shift,
  left_shift: shift,
  right_shift: 0xffe2,
  control: controlKeysym,
  ctrl: controlKeysym,
  left_control: controlKeysym,
  right_control: 0xffe4,
  capslock: capsLock,
  caps_lock: capsLock,
  alt,
  left_alt: alt,
  right_alt: 0xffea,
  command,
  cmd: command,
  meta: command,
  super: command,
  win: command,
  delete: 0xffff,
  del: 0xffff,
  space: 0x20,
  lights_mon_up: 0x1008_ff02,
  lights_mon_down: 0x1008_ff03,
  lights_kbd_toggle: 0x1008_ff04,
  lights_kbd_up: 0x1008_ff05,
  lights_kbd_down: 0x1008_ff06,
  audio_vol_down: 0x1008_ff11,
  audio_mute: 0x1008_ff12,
  audio_vol_up: 0x1008_ff13,
  audio_play: 0x1008_ff14,
  audio_stop: 0x1008_ff15,
  audio_prev: 0x1008_ff16,
  audio_next: 0x1008_ff17,
  audio_pause: 0x1008_ff31,
  audio_rewind: 0x1008_ff3e,
  audio_forward: 0x1008_ff97,
  audio_repeat: 0x1008_ff98,
  audio_random: 0x1008_ff99,
  ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`f${index + 1}`, 0xffbe + index])),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`numpad_${digit}`, 0xffb0 + digit])),
};

/** The names of the API, as in robotjs, and some alternatives. */
export const keyNames: readonly string[] = Object.keys(named);

/** A key by its name or character. null: unknown. */
export function keysymOf(key: string): number | null {
  if ([...key].length === 1) return keysymOfCharacter(key);
  const name = key.toLowerCase();
  return Object.hasOwn(named, name) ? (named[name] ?? null) : null;
}

const controls: Partial<Record<number, number>> = {
  8: 0xff08,
  9: 0xff09,
  10: 0xff0d,
  13: 0xff0d,
  27: 0xff1b,
  127: 0xffff,
};

/** null: no key produces it. */
export function keysymOfCharacter(character: string): number | null {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return controls[code] ?? null;
  if (code < 0x7f || (code >= 0xa0 && code <= 0xff)) return code;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code < 0xa0 || isSurrogate ? null : 0x0100_0000 + code;
}

/** The keys of a text, in order. null: it contains a character that no key produces. */
export function keysymsOfText(text: string): number[] | null {
  const keysyms: number[] = [];
  for (const character of text.replaceAll('\r\n', '\n')) {
    const keysym = keysymOfCharacter(character);
    if (keysym === null) return null;
    keysyms.push(keysym);
  }
  return keysyms;
}

/** Keys of the numeric keypad depend on NumLock. */
export const isOnNumberBlock = (keysym: number) => keysym >= 0xff80 && keysym <= 0xffbd;
