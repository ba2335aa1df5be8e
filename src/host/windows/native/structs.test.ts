import { expect, test } from 'bun:test';
import { guidBytes, guidText } from './guid.ts';
import { defineStruct, filledStruct, fillStruct, readStruct } from './structs.ts';

const MIXED = defineStruct('MIXED', 48, {
  small: [0, 'u8'],
  id: [2, 'u16'],
  flags: [4, 'u32'],
  height: [8, 'i32'],
  place: [16, 'pointer'],
  luid: [24, 'bytes 8'],
  name: [32, 'wide 4'],
});

test('what is written into a structure is read from it', () => {
  const values = { small: 255, id: 65_535, flags: 0xffffffff, height: -2, place: 0x7fff_0000_1234, name: 'abé' };
  const luid = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(readStruct(MIXED, filledStruct(MIXED, { ...values, luid }))).toEqual({ ...values, luid });
});

test('a structure at a place leaves its surroundings alone; fields that are not given stay as they are', () => {
  const bytes = new Uint8Array(3 * MIXED.size).fill(7);
  fillStruct(MIXED, bytes, { id: 1, place: 2n ** 40n }, MIXED.size);
  const read = readStruct(MIXED, bytes, MIXED.size);
  expect([read.id, read.place, read.small]).toEqual([1, 2 ** 40, 7]);
  expect(bytes.filter((byte) => byte !== 7)).toHaveLength(2 + 8);
});

test('a GUID in memory begins with the lowest byte of each of its numbers', () => {
  const bytes = guidBytes('{00112233-4455-6677-8899-AABBCCDDEEFF}');
  expect(Buffer.from(bytes).toString('hex')).toBe('33221100554477668899aabbccddeeff');
  expect(guidText(bytes)).toBe('00112233-4455-6677-8899-aabbccddeeff');
  expect(() => guidBytes('no GUID')).toThrow('"no GUID" is not a GUID');
});
