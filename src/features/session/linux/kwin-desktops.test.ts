import { expect, test } from 'bun:test';
import { parseDesktops } from './kwin-desktops.ts';

const desktops = [
  [1, 'b', 'Mail'],
  [0, 'a', 'Work'],
  [2, 'c', ''],
];

test('the desktop in front is counted from one, in the order of their places', () => {
  expect(parseDesktops(desktops, 'a')).toEqual({ number: 1, name: 'Work', count: 3 });
  expect(parseDesktops(desktops, 'b')).toEqual({ number: 2, name: 'Mail', count: 3 });
  expect(parseDesktops(desktops, 'c')).toEqual({ number: 3, name: null, count: 3 });
});

test('a name cannot be longer than a name, nor carry what a terminal obeys', () => {
  const named = (name: unknown) => parseDesktops([[0, 'a', name]], 'a')?.name;
  expect(named('x'.repeat(500))?.length).toBeLessThanOrEqual(64);
  expect(named('\u001b[2J')).not.toContain('\u001b');
  expect(named(7)).toBeNull();
});

test.each([[null], ['x'], [[]], [[['0', 'a', 'n']]], [[[0]]], [desktops]])(
  'what is no list with the desktop in front, such as %p, is none',
  (list) => {
    expect(parseDesktops(list, 'elsewhere')).toBeNull();
    expect(parseDesktops(list, undefined)).toBeNull();
  },
);
