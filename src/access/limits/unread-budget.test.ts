import { expect, test } from 'bun:test';
import { createUnreadBudget } from './unread-budget.ts';

test('the first caller holds half, the next half of the rest, and released bytes are free again', () => {
  const { hold } = createUnreadBudget(100);
  const first = hold('one', 50);
  expect([first === null, hold('one', 1), hold('two', 26)]).toEqual([false, null, null]);
  expect(hold('two', 25)).not.toBeNull();
  first?.();
  first?.();
  expect(hold('two', 26)).toBeNull();
  expect(hold('one', 37)).not.toBeNull();
  expect(hold('one', 1)).toBeNull();
});

test('a text that many wait for counts once, until the last one has it', () => {
  const { hold } = createUnreadBudget(100);
  const text = 'x'.repeat(40);
  const releases = Array.from({ length: 1000 }, () => hold('one', text));
  expect(releases).not.toContain(null);
  for (const release of releases.slice(1)) release?.();
  expect(hold('one', 11)).toBeNull();
  releases[0]?.();
  expect(hold('one', 50)).not.toBeNull();
});
