import { describe, expect, test } from 'bun:test';
import { mapLater } from './later.ts';

describe('a synchronous value', () => {
  test('is used at once', () => {
    expect(mapLater(1, (value) => value + 1)).toBe(2);
  });

  test('fails at once', () => {
    expect(() => mapLater(1, failing)).toThrow('failed');
  });
});

describe('a promised value', () => {
  test('is used then', async () => {
    const used = mapLater(Promise.resolve(1), (value) => value + 1);
    expect(used).toBeInstanceOf(Promise);
    expect(await used).toBe(2);
  });

  test('fails then', async () => {
    await expect(Promise.resolve(mapLater(Promise.resolve(1), failing))).rejects.toThrow('failed');
  });
});

function failing(): number {
  throw new Error('failed');
}
