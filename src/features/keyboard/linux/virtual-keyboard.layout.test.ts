import { expect, test } from 'bun:test';
import { createKeyboardLayout } from './virtual-keyboard.layout.ts';

const han = (count: number, from = 0) => Array.from({ length: count }, (_, index) => 0x0100_4e00 + from + index);

test('usual characters keep their key, and others get unused character keys', () => {
  const layout = createKeyboardLayout();
  expect(layout.add([0x61, 0x41, 0xff0d, 0x0100_20ac])).toBe(true);
  expect([layout.codeOf(0x61), layout.codeOf(0xff0d)]).toEqual([30, 28]);
  expect([layout.codeOf(0x41), layout.codeOf(0x0100_20ac)]).toEqual([2, 3]);
  expect(layout.codeOf(0x62)).toBeNull();
  expect(layout.text()).toContain('<K30> = 38;');
  expect(layout.text()).toContain('key <K3> {[0x10020ac]};');
});

test('the layout changes only for new characters', () => {
  const layout = createKeyboardLayout();
  expect(layout.add(han(5))).toBe(true);
  expect(layout.add(han(5))).toBe(false);
  const before = layout.codeOf(0x0100_4e00);
  expect(layout.add(han(6))).toBe(true);
  expect(layout.codeOf(0x0100_4e00)).toBe(before);
});

test('a full layout is replaced, and no key has two meanings', () => {
  const layout = createKeyboardLayout();
  for (let from = 0; from < 300; from += 30) {
    layout.add(han(30, from));
    const codes = han(30, from).map((keysym) => layout.codeOf(keysym) ?? 0);
    expect(new Set(codes).size).toBe(30);
    expect(codes.every((code) => code >= 1 && code <= 247)).toBe(true);
  }
  expect(layout.codeOf(0x0100_4e00)).toBeNull();
});
