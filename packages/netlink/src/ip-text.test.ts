import { describe, expect, test } from 'bun:test';
import { ipv4Text, ipv6Text, macText, maskText } from './ip-text.ts';

const view = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer);
const groups = (...words: number[]) => view(...words.flatMap((word) => [word >> 8, word & 0xff]));

test('an IPv4 address is four numbers', () => {
  expect(ipv4Text(view(9, 192, 0, 2, 255), 1)).toBe('192.0.2.255');
});

describe('IPv6 addresses are written as the C library does', () => {
  test.each<[string, number[]]>([
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['::1', [0, 0, 0, 0, 0, 0, 0, 1]],
    ['fe80::', [0xfe80, 0, 0, 0, 0, 0, 0, 0]],
    ['fe80::fc:ff:fe00:1', [0xfe80, 0, 0, 0, 0xfc, 0xff, 0xfe00, 1]],
    ['2001:db8:1:0:a1b2:c3d4:e5f6:718', [0x2001, 0xdb8, 1, 0, 0xa1b2, 0xc3d4, 0xe5f6, 0x718]],
    ['2001:db8::1:0:0:1', [0x2001, 0xdb8, 0, 0, 1, 0, 0, 1]],
    ['2001:0:0:1::2', [0x2001, 0, 0, 1, 0, 0, 0, 2]],
    ['1:2:3:4:5:6:7:8', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['0:2:3:4:5:6:7:8', [0, 2, 3, 4, 5, 6, 7, 8]],
    ['::ffff:192.0.2.1', [0, 0, 0, 0, 0, 0xffff, 0xc000, 0x0201]],
    ['::192.0.2.1', [0, 0, 0, 0, 0, 0, 0xc000, 0x0201]],
    ['::ffff:0:c000:201', [0, 0, 0, 0, 0xffff, 0, 0xc000, 0x0201]],
  ])('%s', (text, words) => {
    expect(ipv6Text(groups(...words), 0)).toBe(text);
  });
});

test.each<[4 | 6, number, string]>([
  [4, 0, '0.0.0.0'],
  [4, 8, '255.0.0.0'],
  [4, 26, '255.255.255.192'],
  [4, 32, '255.255.255.255'],
  [6, 0, '::'],
  [6, 64, 'ffff:ffff:ffff:ffff::'],
  [6, 10, 'ffc0::'],
  [6, 128, 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
])('the mask of IPv%d with a prefix of %d is %s', (family, prefix, expected) => {
  expect(maskText(family, prefix)).toBe(expected);
});

test('a short hardware address is filled up, a long one is whole, and none is null', () => {
  expect(macText(view(2, 0xfc, 0, 0, 0, 1), 0, 6)).toBe('02:fc:00:00:00:01');
  expect(macText(view(10, 0, 0, 1), 0, 4)).toBe('0a:00:00:01:00:00');
  expect(macText(view(1, 2, 3, 4, 5, 6, 7, 8), 0, 8)).toBe('01:02:03:04:05:06:07:08');
  expect(macText(view(0), 0, 0)).toBeNull();
});
