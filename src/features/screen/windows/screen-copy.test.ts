import { expect, test } from 'bun:test';
import { commonArea, createScreenCopy, type Gdi } from './screen-copy.ts';

/** A screen of 4 × 3 pixels that counts open handles; `fails`: the call that fails. */
function fakeGdi(fails: string | null = null) {
  const open = new Set<string>();
  const selected: bigint[] = [];
  const drawn: unknown[] = [];
  const give = (name: string, handle: bigint) => {
    if (fails === name) return 0n;
    open.add(`${name} ${handle}`);
    return handle;
  };
  const pixels = Uint8Array.from({ length: 2 * 1 * 4 }, (_, at) => at + 1);
  const gdi: Gdi = {
    screen: () => give('screen', 1n),
    releaseScreen: (handle) => void open.delete(`screen ${handle}`),
    contextLike: () => give('context', 2n),
    deleteContext: (handle) => void open.delete(`context ${handle}`),
    bitmap: () => ({ handle: give('bitmap', 3n), pixels: 4096 }),
    deleteBitmap(handle) {
      // As in Windows, a selected object is not deleted.
      if (selected.at(-1) !== handle) open.delete(`bitmap ${handle}`);
    },
    select(_context, object) {
      if (fails === 'select') return 0n;
      selected.push(object);
      return selected.at(-2) ?? 9n;
    },
    draw(context, from, area, how) {
      drawn.push([context, from, area, how]);
      return fails !== 'draw';
    },
    finish() {
      if (fails === 'finish') throw new Error('the thread ends');
    },
    memory(place, bytes) {
      if (fails === 'memory') throw new Error('there is no memory');
      return place === 4096 && bytes === pixels.length ? pixels : new Uint8Array();
    },
  };
  return { gdi, open, selected, drawn };
}

const area = { x: -2, y: 1, width: 2, height: 1 };

test('the screen is copied into shared memory, and all handles are released', () => {
  const { gdi, open, selected, drawn } = fakeGdi();
  const copied = createScreenCopy(gdi)(area);
  expect(copied).toBeInstanceOf(SharedArrayBuffer);
  expect([...new Uint8Array(copied)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  // SRCCOPY | CAPTUREBLT.
  expect(drawn).toEqual([[2n, 1n, area, 0x40cc0020]]);
  expect(selected).toEqual([3n, 9n]);
  expect([...open]).toEqual([]);
});

test.each([
  ['screen', 'Windows provides no screen for a picture'],
  ['context', 'Windows provides no context for a picture'],
  ['bitmap', 'Windows provides no memory for a picture'],
  ['select', 'Windows provides no place for a picture'],
  ['draw', 'Windows does not allow the screen to be copied now'],
  ['finish', 'the thread ends'],
  ['memory', 'there is no memory'],
])('if %s fails, all handles are released and the error says why', (fails, sentence) => {
  const { gdi, open } = fakeGdi(fails);
  expect(() => createScreenCopy(gdi)(area)).toThrow(sentence);
  expect([...open]).toEqual([]);
});

const desktop = { x: -1280, y: -100, width: 3200, height: 1180 };

test.each([
  ['inside', { x: 10, y: 20, width: 300, height: 200 }, { x: 10, y: 20, width: 300, height: 200 }],
  [
    'beyond the upper left',
    { x: -1300, y: -150, width: 100, height: 100 },
    { x: -1280, y: -100, width: 80, height: 50 },
  ],
  [
    'beyond the lower right',
    { x: 1900, y: 1000, width: 100, height: 100 },
    { x: 1900, y: 1000, width: 20, height: 80 },
  ],
  ['larger than all of it', { x: -5000, y: -5000, width: 9999, height: 9999 }, desktop],
  ['nowhere', { x: -32_000, y: -32_000, width: 160, height: 28 }, null],
  ['right beside it', { x: 1920, y: 0, width: 10, height: 10 }, null],
  ['without a size', { x: 10, y: 10, width: 0, height: 0 }, null],
])('a window that is %s is captured as far as it is on the desktop', (_where, window, seen) => {
  expect(commonArea(window, desktop)).toEqual(seen);
});
