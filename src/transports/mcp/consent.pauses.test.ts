import { expect, test } from 'bun:test';
import { clientPaces, createPauses } from '../../lib/prompt-backoff.ts';

function patient() {
  let now = 0;
  const pauses = createPauses(clientPaces, () => now);
  /** Prompts as soon as allowed, is denied each time, and returns the wait before each prompt, in seconds. */
  const insist = (token: string, times: number) =>
    Array.from({ length: times }, () => {
      const wait = pauses.refuse(token) ?? 0;
      now += wait * 1000;
      pauses.note(token);
      return wait;
    });
  const pass = (ms: number) => {
    now += ms;
  };
  return { ...pauses, insist, pass };
}

test('the wait doubles with each denial, up to 15 minutes', () => {
  expect(patient().insist('one', 12)).toEqual([0, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900]);
});

test('a client that retries all the time gets one prompt at a time', () => {
  const { refuse, note, pass } = patient();
  let asked = 0;
  // 49 attempts in 8 s, as observed in practice.
  for (let tries = 0; tries < 49; tries++, pass(163)) {
    if (refuse('one') !== null) continue;
    asked += 1;
    note('one');
  }
  expect(asked).toBe(1);
});

test('a denied token does not block other tokens', () => {
  const { insist, refuse } = patient();
  for (let count = 0; count < 8; count++) {
    insist('one', 1);
    expect(refuse('two')).toBeNull();
  }
});

test('alternating tokens share a wait', () => {
  const { insist } = patient();
  const waits = Array.from({ length: 12 }, (_, index) => insist(`token ${index}`, 1)[0]);
  expect(waits).toEqual([0, 0, 0, 0, 10, 20, 40, 80, 160, 300, 300, 300]);
});

test('old denials expire gradually', () => {
  const { insist, refuse, pass } = patient();
  insist('one', 3);
  pass(40_000 + 10 * 60_000);
  // Two are left, so this is the third.
  expect([insist('one', 1), refuse('one')]).toEqual([[0], 40]);
  pass(24 * 60 * 60_000);
  expect([insist('one', 1), refuse('one')]).toEqual([[0], 10]);
});
