import { expect, test } from 'bun:test';
import { ignoreStrayClicks } from '../web/shell/stray-clicks.ts';

/** Whether a click counts that begins so long after the window got the focus; null: it had it before. */
function counts(afterFocusMs: number | null, detail = 1): boolean {
  const view = new EventTarget();
  const dispatch = (type: string, timeStamp: number) => {
    const event = Object.defineProperties(new Event(type, { cancelable: true }), {
      timeStamp: { value: timeStamp },
      detail: { value: detail },
    });
    view.dispatchEvent(event);
    return event;
  };
  ignoreStrayClicks(view);
  let clicks = 0;
  view.addEventListener('click', () => (clicks += 1));
  if (afterFocusMs !== null) dispatch('focus', 10_000);
  dispatch('pointerdown', 10_000 + (afterFocusMs ?? 0));
  const click = dispatch('click', 10_000 + (afterFocusMs ?? 0) + 80);
  expect(click.defaultPrevented).toBe(clicks === 0);
  return clicks === 1;
}

test('a click counts, but not the second one of a double-click that closed a window above', () => {
  expect(counts(null)).toBe(true);
  expect([60, 150, 450].map((ms) => counts(ms))).toEqual([false, false, false]);
});

test('a click that brings the window to the front counts, and so does a later one, and a key', () => {
  expect([-5, 0, 20].map((ms) => counts(ms))).toEqual([true, true, true]);
  expect(counts(600)).toBe(true);
  expect(counts(150, 0)).toBe(true);
});
