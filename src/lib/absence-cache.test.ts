import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createAbsence, unlessAbsent } from './absence-cache.ts';

test('what is not there is looked for again after a while, or when it is announced', () => {
  const clock = fakeClock();
  const absence = createAbsence<string>(clock);
  expect(absence.known()).toBeNull();
  absence.look()('nobody listens');
  clock.advance(4999);
  expect(absence.known()).toBe('nobody listens');
  clock.advance(1);
  expect(absence.known()).toBeNull();
  absence.look()('nobody listens');
  absence.forget();
  expect(absence.known()).toBeNull();
});

test('what would be announced is looked for less often', () => {
  const clock = fakeClock();
  let announced = true;
  const absence = createAbsence<string>(clock, () => announced);
  absence.look()('nobody listens');
  clock.advance(29_999);
  expect(absence.known()).toBe('nobody listens');
  announced = false;
  expect(absence.known()).toBeNull();
  announced = true;
  clock.advance(1);
  expect(absence.known()).toBeNull();
});

test('what was announced while it was looked for is not held to be absent', () => {
  const absence = createAbsence<string>(fakeClock());
  const note = absence.look();
  absence.forget();
  note('nobody listens');
  expect(absence.known()).toBeNull();
});

test('what is there is looked at each time, what is not only after a while', () => {
  const clock = fakeClock();
  const answers = ['first', 'second', null, 'fourth'];
  const look = unlessAbsent(clock, () => answers.shift() ?? null);
  expect([look(), look(), look()]).toEqual(['first', 'second', null]);
  clock.advance(4999);
  expect(look()).toBeNull();
  clock.advance(1);
  expect(look()).toBe('fourth');
});
