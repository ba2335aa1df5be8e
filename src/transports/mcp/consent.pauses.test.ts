import { expect, test } from 'bun:test';
import { createQuestionPauses } from './consent.ts';

function patient() {
  let now = 0;
  const pauses = createQuestionPauses(() => now);
  /** Asks as soon as it may, is denied each time, and returns what it had to wait before each question, in seconds. */
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

test('asking again waits twice as long each time, up to a quarter of an hour', () => {
  expect(patient().insist('one', 12)).toEqual([0, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900]);
});

test('who tries all the time gets a question in at a time, and no more', () => {
  const { refuse, note, pass } = patient();
  let asked = 0;
  // 49 tries in 8 s, as was seen once.
  for (let tries = 0; tries < 49; tries++, pass(163)) {
    if (refuse('one') !== null) continue;
    asked += 1;
    note('one');
  }
  expect(asked).toBe(1);
});

test('a token that was denied keeps no other one from asking', () => {
  const { insist, refuse } = patient();
  for (let count = 0; count < 8; count++) {
    insist('one', 1);
    expect(refuse('two')).toBeNull();
  }
});

test('several that take turns wait together', () => {
  const { insist } = patient();
  const waits = Array.from({ length: 12 }, (_, index) => insist(`token ${index}`, 1)[0]);
  expect(waits).toEqual([0, 0, 0, 0, 10, 20, 40, 80, 160, 300, 300, 300]);
});

test('what lies back is forgiven bit by bit', () => {
  const { insist, refuse, pass } = patient();
  insist('one', 3);
  pass(40_000 + 10 * 60_000);
  // Two are left, and this is the third again.
  expect([insist('one', 1), refuse('one')]).toEqual([[0], 40]);
  pass(24 * 60 * 60_000);
  expect([insist('one', 1), refuse('one')]).toEqual([[0], 10]);
});
