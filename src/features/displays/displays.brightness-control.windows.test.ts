import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, elsewhere, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { type DesktopPlace, type MonitorLevel, percentOfLevel } from '../../host/windows/native/monitors.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { displayActions } from './displays.actions.ts';

/** The left monitor supports DDC/CI, the right one does not. */
function machine(level: MonitorLevel | null, takes = true, shown = desktopShown()) {
  const orders: [number, number][] = [];
  const native = {
    monitors: {
      levels: (places: DesktopPlace[]) => places.map(({ x }) => (x === 0 ? level : null)),
      setLevel: ({ x }: DesktopPlace, current: number) => {
        orders.push([x, current]);
        return takes;
      },
    },
  } as unknown as Native;
  const host = fakeHost({ platform: 'windows', native: nativeOf(shown), nativeElsewhere: elsewhere(native) } as never);
  const payload = [
    { id: 'left', name: 'Left', x: 0, y: 0 },
    { id: 'right', name: 'Right', x: 1920, y: 0 },
  ];
  const { context } = fakeActionContext(host, { read: async () => ({ payload, reasons: [] }) as never });
  const [brightness] = displayActions;
  return { orders, run: (input: { display?: string; percent: number }) => brightness.run(input, context) };
}

const level = { least: 20, current: 70, most: 120 };

test('monitors that support DDC/CI are dimmed, the others are not changed', async () => {
  const { run, orders } = machine(level);
  expect((await run({ percent: 30 })).data).toEqual({ displays: [{ id: 'left', brightness: 30 }] });
  expect(orders).toEqual([[0, 50]]);
});

test.each([
  [level, 'right', true, 'unsupported'],
  [null, 'left', true, 'unsupported'],
  [level, 'left', false, 'failed'],
  [level, 'none', true, 'not_found'],
] as const)('with %p the display %s, which takes it: %p, is refused as %s', async (given, display, takes, code) => {
  await expect(machine(given, takes).run({ percent: 30, display })).rejects.toMatchObject({ code });
});

test('after a switch of users the monitors of the other user are not dimmed', async () => {
  const { run, orders } = machine(level, true, desktopShown({ atConsole: 2, state: 4 }));
  await expect(run({ percent: 30 })).rejects.toThrow('This session is not on the screen');
  expect(orders).toEqual([]);
});

test.each([
  [level, 50],
  [{ least: 0, current: 0, most: 100 }, 0],
  [{ least: 0, current: 200, most: 100 }, 100],
])('the brightness range %p is at %i percent', (given, percent) => {
  expect(percentOfLevel(given)).toBe(percent);
});
