import { expect, test } from 'bun:test';
import type { AlertOutcome } from './notification.ts';
import {
  afterTry,
  gapMs,
  isDue,
  isWorthWarning,
  newWay,
  pausesMs,
  phaseToDeliver,
  textSince,
  type WayMemory,
  wayStateOf,
  withTask,
} from './notification-state.ts';
import type { Episode } from './rule-state.ts';

const episode: Episode = { id: 'e1', begun: 0, ended: null, isMoment: false, text: 'it is so', value: 95 };
const over = { ...episode, ended: 1000 };
const event: Episode = { ...episode, isMoment: true };
const delivered = (phase: 'begun' | 'ended', id = 'e1'): WayMemory => ({
  ...newWay,
  delivered: { episode: id, phase, at: 0 },
});
const failed: AlertOutcome = { ok: false, error: 'it answered 500', retry: true, askedForMs: null };
const at = (monotonic: number) => ({ now: monotonic, monotonic, random: 1 });

test.each<[string, Episode | null, WayMemory, string | null]>([
  ['nothing ever was', null, newWay, null],
  ['it began', episode, newWay, 'begun'],
  ['it began, and the beginning was delivered', episode, delivered('begun'), null],
  ['it is over, and its beginning was delivered', over, delivered('begun'), 'ended'],
  ['it is over, and its beginning was never delivered', over, newWay, null],
  ['it is over, and the end was delivered', over, delivered('ended'), null],
  ['it began again', { ...episode, id: 'e2' }, delivered('ended'), 'begun'],
  ['it began again before its end was delivered', { ...episode, id: 'e2' }, delivered('begun'), 'begun'],
  ['something happened', event, newWay, 'begun'],
  ['an event happened, and was delivered', { ...event, ended: 1 }, delivered('begun'), null],
  ['something happened long ago, in quiet time', { ...event, ended: 1 }, newWay, null],
  ['an event happened, and its delivery failed so far', { ...event, ended: 1 }, { ...newWay, tries: 2 }, 'begun'],
])('the phase to deliver: %s', (_name, given, way, expected) => {
  expect(phaseToDeliver(given, way)).toBe(expected as never);
});

test('a delivery is tried six times within an hour, then given up', () => {
  let way = withTask(newWay, episode);
  let time = 0;
  const times: number[] = [];
  while (!way.isGivenUp) {
    expect(isDue(way, time - 1) && time > 0).toBe(false);
    expect(isDue(way, time)).toBe(true);
    times.push(time);
    way = afterTry(way, 'e1:begun', failed, at(time));
    time = way.nextAt;
  }
  expect(times).toHaveLength(pausesMs.length + 1);
  expect(times.at(-1)).toBeLessThan(3_600_000);
  expect(way.error).toBe('given up after 6 tries: it answered 500');
  expect(isDue(way, 1e9)).toBe(false);
  expect(wayStateOf('ops', way)).toMatchObject({ state: 'failed', tries: 6 });
  // The next notification has its own attempts.
  expect(isDue(withTask(way, { ...episode, id: 'e2' }), time)).toBe(true);
});

test('a refused delivery is not retried', () => {
  const way = afterTry(withTask(newWay, episode), 'e1:begun', { ...failed, retry: false }, at(0));
  expect(way).toMatchObject({ isGivenUp: true, error: 'it answered 500' });
});

test('a requested retry delay is honoured', () => {
  const way = afterTry(withTask(newWay, episode), 'e1:begun', { ...failed, askedForMs: 120_000 }, at(0));
  expect(way.nextAt).toBe(120_000);
});

test('a beginning delivered after the end is followed by the end', () => {
  const begun = withTask(newWay, episode);
  const meanwhile = withTask(begun, over);
  expect(meanwhile.target).toBeNull();
  const arrived = withTask(afterTry(meanwhile, 'e1:begun', { ok: true }, at(6000)), over);
  expect(arrived).toMatchObject({ target: 'e1:ended', delivered: { phase: 'begun' } });
  expect(withTask(afterTry(arrived, 'e1:ended', { ok: true }, at(7000)), over).target).toBeNull();
});

const another = { ...episode, id: 'e2' };

test('a late failure of an earlier notification leaves the current one its attempts, after a pause', () => {
  const way = withTask(withTask(newWay, episode), another);
  expect(afterTry(way, 'e1:begun', failed, at(0))).toMatchObject({ target: 'e2:begun', tries: 1, nextAt: gapMs });
  const refused = afterTry(way, 'e1:begun', { ...failed, retry: false }, at(0));
  expect(refused).toMatchObject({ target: 'e2:begun', tries: 0, nextAt: gapMs, isGivenUp: false, error: null });
});

test('the next notification is sent after the gap, not before', () => {
  const next = withTask(afterTry(withTask(newWay, episode), 'e1:begun', { ok: true }, at(5000)), another);
  expect([isDue(next, 5000 + gapMs - 1), isDue(next, 5000 + gapMs)]).toEqual([false, true]);
  const refused = afterTry(withTask(newWay, episode), 'e1:begun', { ...failed, retry: false }, at(5000));
  expect(withTask(refused, another)).toMatchObject({ isGivenUp: false, tries: 0, nextAt: 5000 + gapMs });
});

test.each<[string, (way: WayMemory) => WayMemory]>([
  ['something else happens', (way) => withTask(way, another)],
  ['it is over and begins again', (way) => withTask(withTask(way, over), another)],
])('a requested retry delay is honoured when %s', (_what, change) => {
  const patience: AlertOutcome = { ...failed, askedForMs: 1_800_000 };
  const way = change(afterTry(withTask(newWay, episode), 'e1:begun', patience, at(0)));
  expect(way).toMatchObject({ target: 'e2:begun', nextAt: 1_800_000 });
  // The answer arrives after the target has changed.
  const late = afterTry(
    change({ ...withTask(newWay, episode), nextAt: Number.POSITIVE_INFINITY }),
    'e1:begun',
    patience,
    at(0),
  );
  expect(late).toMatchObject({ target: 'e2:begun', nextAt: 1_800_000 });
});

test('there is never more than one delivery in flight', () => {
  const sending = { ...withTask(newWay, episode), nextAt: Number.POSITIVE_INFINITY };
  expect(withTask(withTask(sending, over), another).nextAt).toBe(Number.POSITIVE_INFINITY);
});

test('a failure is logged once within the gap', () => {
  const before = withTask(newWay, episode);
  const after = afterTry(before, 'e1:begun', failed, at(0));
  expect(isWorthWarning(before, after, 0)).toBe(true);
  const warned = { ...after, warnedAt: 0 };
  const other = afterTry(warned, 'e1:begun', { ...failed, error: 'it answered 502' }, at(1000));
  expect([isWorthWarning(warned, other, gapMs - 1), isWorthWarning(warned, other, gapMs)]).toEqual([false, true]);
  // The same error is not logged again.
  expect(isWorthWarning(warned, afterTry(warned, 'e1:begun', failed, at(gapMs)), gapMs)).toBe(false);
});

test.each([
  [null, 100, 'a failed; b failed; c failed'],
  ['unknown', 100, 'a failed; b failed; c failed'],
  ['1', 100, 'b failed; c failed'],
  ['2', 100, 'c failed'],
  ['3', 100, ''],
  [null, 10, '… c failed'],
])('the text since %j, within %d characters: %s', (since, longest, expected) => {
  const texts = ['a failed', 'b failed', 'c failed'];
  const recent = texts.map((text, at) => ({ id: String(at + 1), text }));
  expect(textSince(recent, since, longest)).toBe(expected);
});

test('a sentence that a later one repeats is sent once', () => {
  const recent = ['a failed', 'a failed; b failed', 'c failed', 'c failed'].map((text, at) => ({ id: `${at}`, text }));
  expect(textSince(recent, null, 100)).toBe('a failed; b failed; c failed');
});
