import { expect, test } from 'bun:test';
import { encode } from 'uqr';
import { qrCode } from './qr-code.ts';

const link = 'http://192.168.100.200:9170/#pair=K7QF-2M9X-3ATB';

/** true: light, as drawn. */
const drawn: Record<string, [upper: boolean, lower: boolean]> = {
  ' ': [false, false],
  '▀': [true, false],
  '▄': [false, true],
  '█': [true, true],
};

test('every point is in its place, with a border around it', () => {
  const { data, size } = encode(link, { ecc: 'L', border: 2 });
  const lines = qrCode(link, false).split('\n');
  const points = lines.flatMap((line) => {
    const columns = [...line].map((character) => drawn[character] ?? [false, false]);
    return [columns.map(([upper]) => upper), columns.map(([, lower]) => lower)];
  });
  expect(points.slice(0, size)).toEqual(data.map((row) => row.map((dark) => !dark)));
  expect(points[0]?.every((light) => light)).toBe(true);
  // It fits into the smallest usual terminal.
  expect([lines.length <= 24, lines[0]?.length ?? 0].map(Number)).toEqual([1, size]);
  expect(size).toBeLessThanOrEqual(80);
});

test('a terminal without such characters gets two for a point', () => {
  const { data } = encode(link, { ecc: 'L', border: 2 });
  expect(qrCode(link, true).split('\n')).toEqual(data.map((row) => row.map((dark) => (dark ? '  ' : '##')).join('')));
});
