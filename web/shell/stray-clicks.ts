/**
 * Ignores clicks that were meant for another window: a page of another origin can hold a window above this one and close it between the clicks of
 * a double-click. A click that brings this window to the front begins before it has the focus.
 */
export function ignoreStrayClicks(view: EventTarget = window): void {
  let focusedAt = Number.NEGATIVE_INFINITY;
  let isStray = false;
  view.addEventListener('focus', ({ timeStamp }) => {
    focusedAt = timeStamp;
  });
  view.addEventListener(
    'pointerdown',
    ({ timeStamp }) => {
      isStray = timeStamp - focusedAt > sameClickMs && timeStamp - focusedAt < strayMs;
    },
    true,
  );
  view.addEventListener(
    'click',
    (event) => {
      // A key that presses a button is a click without a count.
      if (!isStray || (event as UIEvent).detail === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
}

/** The system gives the focus within this time of the press that asks for it. */
const sameClickMs = 30;
const strayMs = 500;
