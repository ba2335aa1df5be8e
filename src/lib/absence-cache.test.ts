import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createAbsence, unlessAbsent } from './absence-cache.ts';

test('an absent thing is looked up again after a while, or when it is announced', () => {
  const clock = fakeClock();
  const absence = createAbsence<string>(clock);
  expect(absence.known()).toBeNull();
  absence.look()('connection refused');
  clock.advance(4999);
  expect(absence.known()).toBe('connection refused');
  clock.advance(1);
  expect(absence.known()).toBeNull();
  absence.look()('connection refused');
  absence.forget();
  expect(absence.known()).toBeNull();
});

test('a thing that would be announced is looked up less often', () => {
  const clock = fakeClock();
  let announced = true;
  const absence = createAbsence<string>(clock, () => announced);
  absence.look()('connection refused');
  clock.advance(29_999);
  expect(absence.known()).toBe('connection refused');
  announced = false;
  expect(absence.known()).toBeNull();
  announced = true;
  clock.advance(1);
  expect(absence.known()).toBeNull();
});

test('a thing announced during a lookup is not recorded as absent', () => {
  const absence = createAbsence<string>(fakeClock());
  const note = absence.look();
  absence.forget();
  note('connection refused');
  expect(absence.known()).toBeNull();
});

test('a present thing is looked up each time, an absent one only after a while', () => {
  const clock = fakeClock();
  const answers = ['first', 'second', null, 'fourth'];
  const look = unlessAbsent(clock, () => answers.shift() ?? null);
  expect([look(), look(), look()]).toEqual(['first', 'second', null]);
  clock.advance(4999);
  expect(look()).toBeNull();
  clock.advance(1);
  expect(look()).toBe('fourth');
});
