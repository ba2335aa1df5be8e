import { expect, test } from 'bun:test';
import { createBalloons } from './notify-icon-messages.ts';

/** A taskbar that can be absent, and that forgets its icons when it ends. */
function desktop() {
  const state = { taskbar: true, icon: false, window: 7 };
  const orders: string[] = [];
  const { show, close } = createBalloons({
    openWindow: () => state.window,
    order(order, window, title) {
      orders.push(`${order} ${window} ${title}`);
      if (!state.taskbar || state.icon === (order === 'add')) return false;
      if (order !== 'change') state.icon = order === 'add';
      return true;
    },
  });
  return { state, orders, show, close };
}

test('the first balloon adds the icon, later ones reuse it, and the end removes it', () => {
  const { show, close, orders, state } = desktop();
  expect([show('a', ''), show('b', '')]).toEqual([true, true]);
  close();
  expect(orders).toEqual(['add 7 a', 'change 7 b', 'remove 7 ']);
  expect(state.icon).toBe(false);
});

test('a refused icon is added, not changed, as soon as there is a taskbar', () => {
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

test('a restarted taskbar gets the icon again', () => {
  const { state, show, orders } = desktop();
  show('a', '');
  state.icon = false;
  expect(show('b', '')).toBeTrue();
  expect(orders.slice(1)).toEqual(['change 7 b', 'remove 7 b', 'add 7 b']);
});

test('an icon whose addition was not confirmed does not block the next balloon', () => {
  const { state, show } = desktop();
  state.taskbar = false;
  show('a', '');
  Object.assign(state, { taskbar: true, icon: true });
  expect(show('b', '')).toBeTrue();
});

test('without a window nothing is sent to the taskbar', () => {
  const { state, show, orders } = desktop();
  state.window = 0;
  expect(show('a', '')).toBeFalse();
  expect(orders).toEqual([]);
});
