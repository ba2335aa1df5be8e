import { expect, test } from 'bun:test';
import type { AlertOutcome } from './message.ts';
import type { Episode } from './rule-state.ts';
import { afterTry, isDue, newWay, pausesMs, phaseToTell, type WayMemory, wayStateOf, withTask } from './telling.ts';

const episode: Episode = { id: 'e1', begun: 0, ended: null, isMoment: false, text: 'it is so', value: 95 };
const over = { ...episode, ended: 1000 };
const event: Episode = { ...episode, isMoment: true };
const told = (phase: 'begun' | 'ended', id = 'e1'): WayMemory => ({ ...newWay, told: { episode: id, phase, at: 0 } });
const failed: AlertOutcome = { ok: false, error: 'it answered 500', retry: true, askedForMs: null };
const at = (monotonic: number) => ({ now: monotonic, monotonic, random: 1 });

test.each<[string, Episode | null, WayMemory, string | null]>([
  ['nothing ever was', null, newWay, null],
  ['it began', episode, newWay, 'begun'],
  ['it began, and that was told', episode, told('begun'), null],
  ['it is over, and its beginning was told', over, told('begun'), 'ended'],
  ['it is over, and its beginning was never told', over, newWay, null],
  ['it is over, and that was told', over, told('ended'), null],
  ['it began again', { ...episode, id: 'e2' }, told('ended'), 'begun'],
  ['it began again before its end was told', { ...episode, id: 'e2' }, told('begun'), 'begun'],
  ['something happened', event, newWay, 'begun'],
  ['something happened, and that was told', { ...event, ended: 1 }, told('begun'), null],
  ['something happened long ago, in quiet time', { ...event, ended: 1 }, newWay, null],
  ['something happened, and telling it failed so far', { ...event, ended: 1 }, { ...newWay, tries: 2 }, 'begun'],
])('what there is to tell: %s', (_name, given, way, expected) => {
  expect(phaseToTell(given, way)).toBe(expected as never);
});

test('it is tried six times within an hour, and then given up', () => {
  let way = withTask(newWay, episode, 0);
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
  // What comes next has tries of its own.
  expect(isDue(withTask(way, { ...episode, id: 'e2' }, time), time)).toBe(true);
});

test('what is refused is not tried again', () => {
  const way = afterTry(withTask(newWay, episode, 0), 'e1:begun', { ...failed, retry: false }, at(0));
  expect(way).toMatchObject({ isGivenUp: true, error: 'it answered 500' });
});

test('whoever asks for patience gets it', () => {
  const way = afterTry(withTask(newWay, episode, 0), 'e1:begun', { ...failed, askedForMs: 120_000 }, at(0));
  expect(way.nextAt).toBe(120_000);
});

test('what arrives after the alert is over is followed by its end', () => {
  const begun = withTask(newWay, episode, 0);
  const meanwhile = withTask(begun, over, 5000);
  expect(meanwhile.target).toBeNull();
  const arrived = withTask(afterTry(meanwhile, 'e1:begun', { ok: true }, at(6000)), over, 6000);
  expect(arrived).toMatchObject({ target: 'e1:ended', told: { phase: 'begun' } });
  expect(withTask(afterTry(arrived, 'e1:ended', { ok: true }, at(7000)), over, 7000).target).toBeNull();
});

test('a failure that comes late does not count for what is to be told now', () => {
  const way = withTask(withTask(newWay, episode, 0), { ...episode, id: 'e2' }, 0);
  expect(afterTry(way, 'e1:begun', failed, at(0))).toBe(way);
});
