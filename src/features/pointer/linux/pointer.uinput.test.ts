import { expect, test } from 'bun:test';
import { createClock } from '../../../host/clock.ts';
import type { PointerDisplay } from './pointer.mover.ts';
import { moverOnUinput } from './pointer.uinput.ts';

const left: PointerDisplay = { id: 'A', x: -1000, y: 0, width: 1000, height: 500, pixelWidth: 2000, pixelHeight: 1000 };
const right: PointerDisplay = { id: 'B', x: 0, y: 0, width: 1000, height: 1000, pixelWidth: 1000, pixelHeight: 1000 };

const instantly = (_ms: number, callback: () => void) => {
  queueMicrotask(callback);
  return () => {};
};

test('nothing is sent when the request is stopped while its device is created', async () => {
  const stopping = new AbortController();
  let sent = 0;
  const mover = moverOnUinput(
    () => ({ send: () => void sent++, close: () => {} }),
    {
      ...createClock(),
      after(ms, callback) {
        stopping.abort(new Error('paused'));
        return instantly(ms, callback);
      },
    },
    { displays: async () => [left], known: () => [left], close: () => {} } as Parameters<typeof moverOnUinput>[2],
  );
  const { signal } = stopping;
  await expect(mover.moveTo(left, 1, 1, signal)).rejects.toThrow('paused');
  await expect(mover.button('left', true, signal)).rejects.toThrow('paused');
  expect(sent).toBe(0);
});

test('a mouse and a tablet are created when needed, and closed with the mover', async () => {
  const events: string[] = [];
  const mover = moverOnUinput(
    (name, { relative, absolute }) => {
      events.push(`make ${name} ${relative?.length ?? 0} ${absolute?.length ?? 0}`);
      return {
        send(type, code, value) {
          if (type !== 0) events.push(`${type} ${code} ${value}`);
        },
        close: () => void events.push(`end ${name}`),
      };
    },
    { ...createClock(), after: instantly },
    {
      displays: async () => [left, right],
      known: () => [left, right],
      close: () => void events.push('leave'),
      wayland: { sync: async () => {} } as Parameters<typeof moverOnUinput>[2]['wayland'],
    },
  );
  expect(events).toEqual([]);
  await mover.moveTo(left, 1000, 500);
  await mover.moveBy(2.6, -3);
  await mover.button('middle', true);
  await mover.button('middle', false);
  await mover.scroll(1, 2);
  await mover.settle();
  await mover.close();
  expect(events).toEqual([
    'make Hostler places 0 2',
    // A quarter of the way from the left edge of all displays to the right one, and down.
    `3 0 ${Math.round(65_535 / 4)}`,
    `3 1 ${Math.round(65_535 / 4)}`,
    'make Hostler pointer 4 0',
    '2 0 3',
    '2 1 -3',
    '1 274 1',
    '1 274 0',
    '2 8 -2',
    '2 6 1',
    'end Hostler places',
    'end Hostler pointer',
    'leave',
  ]);
});
