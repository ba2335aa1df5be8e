import { describe, expect, test } from 'bun:test';
import { mapLater, orUndo } from './later.ts';

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

describe('work with cleanup', () => {
  test('is not cleaned up on success', async () => {
    const undone = counter();
    expect(orUndo(() => 1, undone.count)).toBe(1);
    expect(await orUndo(async () => 1, undone.count)).toBe(1);
    expect(undone.times()).toBe(0);
  });

  test('is cleaned up when it throws or rejects', async () => {
    const undone = counter();
    expect(() => orUndo(failing, undone.count)).toThrow('failed');
    expect(undone.times()).toBe(1);
    await expect(Promise.resolve(orUndo(async () => failing(), undone.count))).rejects.toThrow('failed');
    expect(undone.times()).toBe(2);
  });
});

function failing(): number {
  throw new Error('failed');
}

function counter() {
  let times = 0;
  return {
    count() {
      times += 1;
    },
    times: () => times,
  };
}
