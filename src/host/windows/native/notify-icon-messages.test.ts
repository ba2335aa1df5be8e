import { expect, test } from 'bun:test';
import { createBalloons } from './notify-icon-messages.ts';

/** A taskbar that can be away, and that knows an icon until it goes. */
function desktop() {
  const state = { taskbar: true, icon: false, window: 7 };
  const orders: string[] = [];
  const show = createBalloons({
    openWindow: () => state.window,
    order(order, window, title) {
      orders.push(`${order} ${window} ${title}`);
      if (!state.taskbar || state.icon === (order === 'add')) return false;
      if (order !== 'change') state.icon = order === 'add';
      return true;
    },
  });
  return { state, orders, show };
}

test('the first adds the icon, and the others come out of it', () => {
  const { show, orders } = desktop();
  expect([show('a', ''), show('b', '')]).toEqual([true, true]);
  expect(orders).toEqual(['add 7 a', 'change 7 b']);
});

test('an icon that was refused is not changed but added, as soon as there is a taskbar', () => {
  const { state, show, orders } = desktop();
  state.taskbar = false;
  expect([show('a', ''), show('b', '')]).toEqual([false, false]);
  expect(orders.filter((order) => order.startsWith('change'))).toEqual([]);
  state.taskbar = true;
  expect(show('c', '')).toBeTrue();
  expect(orders.at(-1)).toBe('add 7 c');
  expect(show('d', '')).toBeTrue();
  expect(orders.at(-1)).toBe('change 7 d');
});

test('a taskbar that has begun anew gets the icon again', () => {
  const { state, show, orders } = desktop();
  show('a', '');
  state.icon = false;
  expect(show('b', '')).toBeTrue();
  expect(orders.slice(1)).toEqual(['change 7 b', 'remove 7 b', 'add 7 b']);
});

test('an icon that was added without a yes does not stand in the way of the next balloon', () => {
  const { state, show } = desktop();
  state.taskbar = false;
  show('a', '');
  Object.assign(state, { taskbar: true, icon: true });
  expect(show('b', '')).toBeTrue();
});

test('without a window nothing is said to the taskbar', () => {
  const { state, show, orders } = desktop();
  state.window = 0;
  expect(show('a', '')).toBeFalse();
  expect(orders).toEqual([]);
});
