import { expect, test } from 'bun:test';
import {
  afterCheck,
  afterWait,
  newMemory,
  type RuleCheck,
  type RuleMemory,
  type RuleTiming,
  waitOver,
} from './rule-state.ts';

const level: RuleTiming = { forMs: 60_000, settleMs: 0, gapMs: 240_000 };
const holdMs = 300_000;
const on = (value = 95, subjects: string[] = []): RuleCheck => ({
  kind: 'on',
  value,
  text: `it is ${value}`,
  subjects,
});
const off = (value = 10): RuleCheck => ({ kind: 'off', value });
const missing: RuleCheck = { kind: 'missing', reason: 'no sensor' };

function following(timing: RuleTiming = level) {
  let monotonic = 0;
  let now = Date.UTC(2026, 0, 1);
  let ids = 0;
  let memory: RuleMemory = newMemory(now, 'not checked yet');
  const makeId = () => `episode-${++ids}`;
  return {
    pass(ms: number, { wall = ms }: { wall?: number } = {}) {
      monotonic += ms;
      now += wall;
      memory = afterWait(memory, timing, holdMs, { now, monotonic }, makeId);
      return memory;
    },
    check(...checks: RuleCheck[]) {
      for (const check of checks) memory = afterCheck(memory, check, timing, { now, monotonic }, makeId);
      return memory;
    },
    sample(check: RuleCheck) {
      monotonic += 15_000;
      now += 15_000;
      memory = afterCheck(memory, check, timing, { now, monotonic }, makeId);
      return memory.state;
    },
    memory: () => memory,
    due: () => waitOver(memory, timing, holdMs),
  };
}

test('an alert begins when the condition has held for the whole duration, not before', () => {
  const { sample, memory } = following();
  expect(memory().state).toBe('unknown');
  expect(sample(off())).toBe('ok');
  expect([on(), on(), on(), on(), on()].map(sample)).toEqual(['pending', 'pending', 'pending', 'pending', 'active']);
  expect(memory()).toMatchObject({ value: 95, text: 'it is 95', episode: { id: 'episode-1', ended: null } });
});

test('one check without the condition restarts the wait', () => {
  const { sample } = following();
  expect([on(), on(), on(), on(), off(), on(), on(), on(), on()].map(sample)).toEqual([
    'pending',
    'pending',
    'pending',
    'pending',
    'ok',
    'pending',
    'pending',
    'pending',
    'pending',
  ]);
});

test('the end belongs to the same episode', () => {
  const { sample, memory } = following({ ...level, forMs: 0 });
  expect([on(), on(97), off()].map(sample)).toEqual(['active', 'active', 'ok']);
  expect(memory().episode).toMatchObject({ id: 'episode-1', value: 95 });
  expect(memory().episode?.ended).toBe(Date.UTC(2026, 0, 1, 0, 0, 45));
  sample(on());
  expect(memory().episode?.id).toBe('episode-2');
});

test('a missing value makes a rule unknown and does not end an alert', () => {
  const { sample, memory } = following({ ...level, forMs: 0 });
  expect(sample(missing)).toBe('unknown');
  expect(memory().reason).toBe('no sensor');
  expect([on(), missing].map(sample)).toEqual(['active', 'active']);
  expect(memory()).toMatchObject({ reason: 'no sensor', episode: { ended: null } });
  expect(sample(off())).toBe('ok');
  expect(memory().reason).toBeNull();
});

test('setting the wall clock neither begins nor ends an alert', () => {
  const { sample, pass, memory } = following();
  sample(on());
  pass(0, { wall: 86_400_000 });
  expect(sample(on())).toBe('pending');
  pass(0, { wall: -400 * 86_400_000 });
  expect([on(), on(), on()].map(sample)).toEqual(['pending', 'pending', 'active']);
  pass(0, { wall: 86_400_000 });
  expect(memory().state).toBe('active');
});

test('a gap between checks does not count towards the duration', () => {
  const { sample, pass } = following();
  sample(on());
  pass(3_600_000);
  expect([on(), on(), on(), on(), on()].map(sample)).toEqual(['pending', 'pending', 'pending', 'pending', 'active']);
});

test('a problem that recurs within a minute is one alert', () => {
  const { check, pass, memory, due } = following({ forMs: 0, settleMs: 60_000, gapMs: Number.POSITIVE_INFINITY });
  for (let round = 0; round < 20; round += 1) {
    check(on(1, ['nginx.service']));
    pass(1000);
    check(off());
    pass(1000);
  }
  expect(memory()).toMatchObject({ state: 'active', episode: { id: 'episode-1' } });
  expect(due()).toBe(99_000);
  expect(pass(58_000).state).toBe('active');
  expect(pass(1000)).toMatchObject({ state: 'ok', episode: { id: 'episode-1' } });
  expect(memory().episode?.ended).not.toBeNull();
});

test('an additional subject starts another episode', () => {
  const { check, memory } = following({ forMs: 0, settleMs: 60_000, gapMs: Number.POSITIVE_INFINITY });
  check(on(91, ['/']), on(92, ['/']));
  expect(memory().episode?.id).toBe('episode-1');
  check(on(92, ['/', '/home']));
  expect(memory().episode?.id).toBe('episode-2');
  check(on(92, ['/home']));
  expect(memory()).toMatchObject({ state: 'active', episode: { id: 'episode-2' } });
  expect(memory().recent.map(({ id }) => id)).toEqual(['episode-1', 'episode-2']);
});

const announced: RuleTiming = { forMs: 0, settleMs: 60_000, gapMs: Number.POSITIVE_INFINITY };

test('subjects that fail alternately start one episode each', () => {
  const { check, pass, memory } = following(announced);
  for (let round = 0; round < 100; round += 1) {
    check(on(1, [round % 2 === 0 ? 'web' : 'db']));
    pass(1000);
  }
  expect(memory().episode?.id).toBe('episode-2');
  expect([...memory().subjects.keys()]).toEqual(['web', 'db']);
});

test('a subject that recovered for an hour starts another episode when it fails again', () => {
  const { check, pass, memory } = following(announced);
  check(on(1, ['web', 'db']));
  for (let minutes = 0; minutes < 60; minutes += 5) {
    check(on(1, ['web']));
    pass(300_000);
  }
  expect(memory().episode?.id).toBe('episode-1');
  check(on(1, ['web', 'db']));
  expect(memory().episode?.id).toBe('episode-2');
});

test('the number of remembered subjects is bounded', () => {
  const { check, memory } = following(announced);
  for (let name = 0; name < 1000; name += 1) check(on(1, [`unit-${name}`]));
  expect(memory().subjects.size).toBe(100);
  expect(memory().recent).toHaveLength(20);
  const { episode } = memory();
  check(on(1, ['unit-999', 'unit-1000']));
  expect(memory().episode).toBe(episode);
});

test('a problem becomes active after the duration of the rule without another check', () => {
  const { check, pass, due } = following({ forMs: 30_000, settleMs: 0, gapMs: Number.POSITIVE_INFINITY });
  expect(check(on(1, ['a'])).state).toBe('pending');
  expect(due()).toBe(30_000);
  expect(pass(29_999).state).toBe('pending');
  expect(pass(1)).toMatchObject({ state: 'active', episode: { text: 'it is 1' } });
});

test('an event is shown for the hold time, and each event is an episode', () => {
  const { check, pass, memory, due } = following();
  check(off(), { kind: 'happened', text: 'root logged in' });
  expect(memory()).toMatchObject({ state: 'active', text: 'root logged in', episode: { isMoment: true } });
  pass(200_000);
  check({ kind: 'happened', text: 'anna logged in' });
  expect(memory().episode?.id).toBe('episode-2');
  expect(due()).toBe(500_000);
  expect(pass(299_999).state).toBe('active');
  expect(pass(1).state).toBe('ok');
});
