import { expect, test } from 'bun:test';
import { openClockDiscipline, parseTimex } from './clock-discipline.ts';

function struct(words: Record<number, bigint>, integers: Record<number, number>): DataView {
  const view = new DataView(new ArrayBuffer(208));
  for (const [at, value] of Object.entries(words)) view.setBigInt64(Number(at), value, true);
  for (const [at, value] of Object.entries(integers)) view.setInt32(Number(at), value, true);
  return view;
}

test('nanoseconds and scaled millionths become seconds and ratios', () => {
  const clock = parseTimex(struct({ 8: -1500n, 16: 655_360n, 24: 250_000n, 88: 10_000n }, { 40: 0x2001, 160: 37 }), 0);
  expect(clock).toMatchObject({ isSynchronized: true, offset: -1.5e-6, maxError: 0.25, tick: 0.01, taiOffset: 37 });
  expect(clock.frequencyRatio).toBeCloseTo(1.00001, 12);
});

test('without the bit for nanoseconds the offset is in microseconds, and state 5 is an unsynchronised clock', () => {
  expect(parseTimex(struct({ 8: 2000n }, { 40: 0x40 }), 5)).toMatchObject({ isSynchronized: false, offset: 0.002 });
});

test('the real kernel reports the clock without changing it', () => {
  const found = openClockDiscipline()?.() ?? null;
  // A sandbox may refuse the call.
  if (found !== null) expect(found.tick).toBeGreaterThan(0.005);
});
