import { expect, test } from 'bun:test';
import { parseDesktops } from './session.wayland.ts';

const desktops = [
  [1, 'b', 'Mail'],
  [0, 'a', 'Work'],
  [2, 'c', ''],
];

test('desktops are numbered from one, in the order of their positions', () => {
  expect(parseDesktops(desktops, 'a')).toEqual({ number: 1, name: 'Work', count: 3 });
  expect(parseDesktops(desktops, 'b')).toEqual({ number: 2, name: 'Mail', count: 3 });
  expect(parseDesktops(desktops, 'c')).toEqual({ number: 3, name: null, count: 3 });
});

test('names of desktops are cut to 64 characters, without control characters', () => {
  const named = (name: unknown) => parseDesktops([[0, 'a', name]], 'a')?.name;
  expect(named('x'.repeat(500))?.length).toBeLessThanOrEqual(64);
  expect(named('\u001b[2J')).not.toContain('\u001b');
  expect(named(7)).toBeNull();
});

test.each([[null], ['x'], [[]], [[['0', 'a', 'n']]], [[[0]]], [desktops]])(
  'a list without the current desktop, such as %p, gives null',
  (list) => {
    expect(parseDesktops(list, 'elsewhere')).toBeNull();
    expect(parseDesktops(list, undefined)).toBeNull();
  },
);
