import { describe, expect, test } from 'bun:test';
import { createClock } from '../../../host/clock.ts';
import { type KeyPresser, strokesOn } from './keyboard.presser.ts';
import { keyPlaceOf, spareCodes } from './xtest.keymap.ts';

function recorder(given: Partial<KeyPresser> = {}) {
  const events: string[] = [];
  const presser: KeyPresser = {
    prepare: async (keysyms) => keysyms.length,
    down: (keysym) => void events.push(`+${keysym}`),
    up: (keysym) => void events.push(`-${keysym}`),
    settle: async () => void events.push('.'),
    close: async () => {},
    ...given,
  };
  return { events, strokes: strokesOn(presser, createClock()) };
}

const never = new AbortController().signal;

describe('key strokes', () => {
  test('modifiers go down first and up last', async () => {
    const { events, strokes } = recorder();
    await strokes.press(5, [1, 2], 0, never);
    expect(events).toEqual(['+1', '+2', '+5', '-5', '-2', '-1', '.']);
  });

  test('a held key is released when the service stops', async () => {
    const { events, strokes } = recorder();
    const stopping = new AbortController();
    const pressing = strokes.press(5, [1], 60_000, stopping.signal);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(events).toEqual(['+1', '+5']);
    stopping.abort(new Error('stop'));
    await expect(pressing).rejects.toThrow('stop');
    expect(events).toEqual(['+1', '+5', '-5', '-1', '.']);
  });

  test('a key that cannot be pressed leaves none down', async () => {
    const broken = (keysym: number) => {
      if (keysym === 5) throw new Error('gone');
      events.push(`+${keysym}`);
    };
    const { events, strokes } = recorder({ down: broken });
    await expect(strokes.press(5, [1, 2], 0, never)).rejects.toThrow('gone');
    expect(events).toEqual(['+1', '+2', '-2', '-1', '.']);
  });

  test('a text is typed in the portions that can be prepared, each key up before the next', async () => {
    const portions = [2, 0, 1];
    const { events, strokes } = recorder({ prepare: async () => portions.shift() ?? 0 });
    await strokes.type([1, 2, 3], 0, never);
    expect(events).toEqual(['+1', '-1', '+2', '-2', '.', '.', '+3', '-3', '.']);
  });

  test('typing stops when the service stops', async () => {
    const stopping = new AbortController();
    const { events, strokes } = recorder();
    const typing = strokes.type([1, 2, 3], 60_000, stopping.signal);
    await new Promise((resolve) => setTimeout(resolve, 10));
    stopping.abort(new Error('stop'));
    await expect(typing).rejects.toThrow('stop');
    expect(events).toEqual(['+1', '-1', '.']);
  });

  test('nothing is typed if it is stopped while keys are prepared', async () => {
    const stopping = new AbortController();
    const prepare = async (keysyms: readonly number[]) => {
      stopping.abort(new Error('stop'));
      return keysyms.length;
    };
    const { events, strokes } = recorder({ prepare });
    await expect(strokes.type([1, 2], 0, stopping.signal)).rejects.toThrow('stop');
    expect(events).toEqual([]);
  });

  test('a text that cannot be typed completely is not typed at all', async () => {
    const { events, strokes } = recorder({ lacks: async (keysyms) => keysyms.includes(9) });
    await expect(strokes.type([1, 9], 0, never)).rejects.toThrow('lacks a key');
    await expect(strokes.press(9, [], 0, never)).rejects.toThrow('lacks a key');
    expect(events).toEqual([]);
  });
});

describe('the layout of an X server', () => {
  const rows = [
    [0, 0, 0, 0],
    [0x61, 0x41, 0x6c6, 0x6e6],
    [0xff9e, 0xffb0, 0, 0],
    [0x31, 0x21, 0x31, 0x21],
    [0xffe1, 0, 0, 0],
    [0, 0x99, 0, 0],
  ];
  const keymap = { rows, first: 8, group: 0, capsLock: false };

  test.each([
    [0, 0x61, { code: 9, withShift: false }],
    [0, 0x41, { code: 9, withShift: true }],
    [0, 0x21, { code: 11, withShift: true }],
    [0, 0x6c6, null],
    [1, 0x6c6, { code: 9, withShift: false }],
    [1, 0x61, null],
    [1, 0xffe1, { code: 12, withShift: false }],
    [2, 0x31, null],
    [0, 0xffb0, null],
    [0, 0x99, null],
  ])('in layout %p the keysym %p is at %p', (group, keysym, place) => {
    expect(keyPlaceOf({ ...keymap, group }, keysym)).toEqual(place);
  });

  test('key codes without a keysym are free', () => {
    expect(spareCodes(keymap)).toEqual([8]);
  });
});
