import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/fake-host.ts';
import { createAbsence } from './absence.ts';

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

test('what was announced while it was looked for is not held to be absent', () => {
  const absence = createAbsence<string>(fakeClock());
  const note = absence.look();
  absence.forget();
  note('nobody listens');
  expect(absence.known()).toBeNull();
});
