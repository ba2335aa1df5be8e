import { expect, test } from 'bun:test';
import { evdevKeyOf, writingCodes } from './keysyms.evdev.ts';
import { keyNames, keysymOf, keysymsOfText } from './keysyms.ts';

/** https://robotjs.dev/docs/syntax#keys, those of this system. */
const robotjs =
  `backspace delete enter tab escape up down right left home end pageup pagedown f1 f2 f3 f4 f5 f6 f7 f8 f9 f10
f11 f12 f13 f24 command alt control shift right_shift space printscreen insert menu audio_mute audio_vol_down audio_vol_up
audio_play audio_stop audio_pause audio_prev audio_next audio_rewind audio_forward audio_repeat audio_random numpad_lock
numpad_0 numpad_1 numpad_2 numpad_3 numpad_4 numpad_5 numpad_6 numpad_7 numpad_8 numpad_9 numpad_+ numpad_- numpad_* numpad_/
numpad_. lights_mon_up lights_mon_down lights_kbd_toggle lights_kbd_up lights_kbd_down`.split(/\s+/);

test('every documented name is a key', () => {
  expect(robotjs.filter((name) => keysymOf(name) === null)).toEqual([]);
  expect(new Set(robotjs.map(keysymOf)).size).toBe(robotjs.length);
});

test.each([
  ['a', 0x61],
  ['A', 0x41],
  ['é', 0xe9],
  ['€', 0x0100_20ac],
  ['🎉', 0x0101_f389],
  ['ENTER', 0xff0d],
  ['f24', 0xffd5],
  ['\n', 0xff0d],
  ['f25', null],
  ['constructor', null],
  ['\x01', null],
  ['', null],
  ['ab', null],
])('the key %p has the keysym %p', (key, keysym) => {
  expect(keysymOf(key)).toBe(keysym);
});

test('a text becomes its keys, with all kinds of line ends', () => {
  expect(keysymsOfText('a\r\nb\tc\n')).toEqual([0x61, 0xff0d, 0x62, 0xff09, 0x63, 0xff0d]);
  expect(keysymsOfText('a\x02')).toBeNull();
  expect(keysymsOfText('')).toEqual([]);
});

test('keys have their position on a keyboard, each a different one', () => {
  expect(evdevKeyOf(0x61)).toEqual({ code: 30, withShift: false });
  expect(evdevKeyOf(0x41)).toEqual({ code: 30, withShift: true });
  expect(evdevKeyOf(0x3f)).toEqual({ code: 53, withShift: true });
  expect(evdevKeyOf(0xff0d)?.code).toBe(28);
  expect([0xffbe, 0xffc7, 0xffc8, 0xffca].map((keysym) => evdevKeyOf(keysym)?.code)).toEqual([59, 68, 87, 183]);
  expect([0xffb0, 0xffb5, 0xffb9].map((keysym) => evdevKeyOf(keysym)?.code)).toEqual([82, 76, 73]);
  const keysyms = new Set(keyNames.map((name) => keysymOf(name) ?? 0));
  const codes = [...keysyms].flatMap((keysym) => evdevKeyOf(keysym)?.code ?? []);
  expect(codes).toEqual([...new Set(codes)]);
  expect(writingCodes).toHaveLength(47);
});
