import { expect, test } from 'bun:test';
import { alertMachine, hotRule } from '../../test/harness/alert-machine.ts';
import type { AlertOutcome } from './notification.ts';

test('a restart does not repeat a notification, and the end is notified after it', async () => {
  const first = alertMachine();
  await first.set(hotRule);
  await first.sample(95, 6);
  expect(first.notified()).toHaveLength(1);
  // Killed: no orderly stop.
  const second = alertMachine(first);
  await second.set(hotRule);
  expect(second.state()).toBe('active');
  await second.sample(95, 10);
  expect(second.notified()).toEqual([]);
  await second.sample(10);
  expect(second.notified()).toEqual(['ops alert.ended rule-1']);
  expect(second.sent[0]?.id).toBe(first.sent[0]?.id.replace('begun', 'ended') ?? '');
  // The end was delivered: the state file is empty.
  await second.sample(10);
  expect(second.storage.contents.has('/s/alerts.json')).toBe(false);
});

test('a notification that failed before the process ended is sent after the next start', async () => {
  const first = alertMachine();
  first.answers.push({ ok: false, error: 'it answered 500', retry: true, askedForMs: null });
  await first.set(hotRule);
  await first.sample(95, 5);
  expect(first.sent).toHaveLength(1);
  const second = alertMachine(first);
  await second.set(hotRule);
  expect(second.sent.map(({ id }) => id)).toEqual(first.sent.map(({ id }) => id));
});

test('a failed delivery is retried a limited number of times', async () => {
  const { set, sample, pass, sent, answers, shown, said, clock } = alertMachine();
  const failing: AlertOutcome = { ok: false, error: 'it answered 500', retry: true, askedForMs: null };
  answers.push(...Array.from({ length: 20 }, () => failing));
  await set({ when: { series: 'cpu', above: 90 } });
  await sample(95);
  expect(shown().alerts[0]?.notify[0]).toMatchObject({ state: 'waiting', tries: 1, error: 'it answered 500' });
  await pass(7_200_000);
  expect(sent).toHaveLength(6);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(shown().alerts[0]?.notify[0]).toMatchObject({
    state: 'failed',
    error: 'given up after 6 tries: it answered 500',
  });
  expect(said).toHaveLength(2);
  expect(clock.advanceToNext()).toBe(false);
});

test('quiet time suppresses notifications; alerts still active at its end are sent then, ended ones are not', async () => {
  const { set, sample, pass, notified, shown } = alertMachine();
  const quiet = { from: '11:00', to: '12:30' };
  await set({ when: { series: 'cpu', above: 90 }, quiet }, { when: { series: 'cpu', above: 50 }, quiet });
  await sample(95);
  await sample(80);
  expect(shown().alerts.map(({ state, quiet: isQuiet }) => [state, isQuiet])).toEqual([
    ['ok', true],
    ['active', true],
  ]);
  await pass(20 * 60_000);
  expect(notified()).toEqual([]);
  await pass(11 * 60_000);
  expect(notified()).toEqual(['ops alert.begun rule-2']);
});

test('MQTT shows the alert during quiet time', async () => {
  const { set, sample, notified } = alertMachine();
  await set({
    when: { series: 'cpu', above: 90 },
    quiet: { from: '00:00', to: '00:00' },
    notify: ['mqtt', 'screen', 'ops'],
  });
  await sample(95);
  expect(notified()).toEqual(['mqtt alert.begun rule-1']);
});

test('an event every second notifies once a minute with all events', async () => {
  const { set, happen, pass, sent } = alertMachine();
  await set({ when: { event: 'session' } });
  for (let second = 0; second < 60; second += 1) {
    await happen('session', `login ${second % 10}`);
    await pass(1000);
  }
  expect(sent).toHaveLength(2);
  expect(sent[1]?.alert.text.split('; ').toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `login ${at}`));
});

test('units that fail alternately notify once each, a minute apart', async () => {
  const { set, push, pass, sent, noted } = alertMachine();
  await set({ when: { event: 'service_failed' } });
  for (let second = 0; second < 300; second += 1) {
    await push('services', [['web', 'db', 'cache'][second % 3] ?? '']);
    await pass(1000);
  }
  expect(sent.map(({ alert }) => alert.text)).toEqual(['web failed', 'db failed; cache failed']);
  expect(noted).toHaveLength(3);
});

test('a retry delay of half an hour is honoured despite new events, and the log is not filled', async () => {
  const { set, happen, pass, sent, answers, said, shown } = alertMachine();
  answers.push({ ok: false, error: 'it answered 429', retry: true, askedForMs: 1_800_000 });
  await set({ when: { event: 'session' } });
  for (let second = 0; second < 120; second += 1) {
    await happen('session', `login ${second}`);
    await pass(1000);
  }
  expect(shown().alerts[0]?.notify[0]).toMatchObject({ state: 'waiting', error: 'it answered 429' });
  await pass(1_670_000);
  expect(sent).toHaveLength(1);
  await pass(20_000);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.alert.text).toContain('login 119');
  expect(said).toHaveLength(1);
});

test('a receiver that refuses everything gets one attempt and one log line a minute at most', async () => {
  const { set, happen, pass, sent, answers, said } = alertMachine();
  answers.push(
    ...Array.from(
      { length: 1000 },
      () => ({ ok: false, error: 'it answered 400', retry: false, askedForMs: null }) as const,
    ),
  );
  await set({ when: { event: 'session' } });
  for (let second = 0; second < 180; second += 1) {
    await happen('session', `login ${second}`);
    await pass(1000);
  }
  expect([sent.length, said.length]).toEqual([4, 4]);
});

test('a test reports the outcome of each way and changes no state', async () => {
  const { set, engine, answers, notified, shown } = alertMachine();
  await set({ ...hotRule, notify: ['screen', 'ops'] });
  const before = shown();
  answers.push({ ok: false, error: 'there is no desktop', retry: true, askedForMs: null });
  expect(await engine.test('rule-1', new AbortController().signal)).toEqual({
    id: 'rule-1',
    results: [
      { way: 'screen', ok: false, error: 'there is no desktop', answer: '' },
      { way: 'ops', ok: true, error: null, answer: '' },
    ],
  });
  expect(notified()).toEqual(['screen alert.test rule-1', 'ops alert.test rule-1']);
  expect(shown()).toEqual(before);
});

const onPhone = (...levels: number[]) =>
  levels.map((above) => ({ when: { series: 'cpu', above, clear: above / 2 }, notify: ['phone'] }));

test('a target receives alerts that begin within seconds in one message, and so their ends', async () => {
  const { set, sample, push, pass, sent, grouped } = alertMachine();
  const unit = (match: string) => ({ when: { event: 'service_failed', match }, notify: ['phone'] });
  await set(unit('a.service'), unit('b.service'), ...onPhone(50, 60, 70, 80));
  await sample(95);
  await push('services', ['a.service']);
  await pass(4000);
  await push('services', ['a.service', 'b.service']);
  expect(sent).toEqual([]);
  await pass(1000);
  expect(grouped).toEqual([[1, 3, 4, 5, 6, 2].map((rule) => `rule-${rule} alert.begun`)]);
  await sample(1);
  await pass(120_000);
  expect(grouped.slice(1)).toEqual([[3, 4, 5, 6].map((rule) => `rule-${rule} alert.ended`)]);
});

test('a group that fails is tried again as a group, and a requested delay holds back every rule of the target', async () => {
  const { set, sample, pass, grouped, answers, clock } = alertMachine();
  answers.push({ ok: false, error: 'it answered 429', retry: true, askedForMs: 600_000 });
  await set(...onPhone(50, 60, 90));
  await sample(75);
  await pass(6000);
  expect(grouped).toHaveLength(1);
  const asked = clock.monotonic();
  await sample(95);
  await pass(590_000 - (clock.monotonic() - asked));
  expect(grouped).toHaveLength(1);
  await pass(30_000);
  expect(grouped).toHaveLength(2);
  expect(grouped[1]).toEqual([1, 2, 3].map((rule) => `rule-${rule} alert.begun`));
});

test('the general quiet time applies to rules without one of their own', async () => {
  const { set, sample, pass, beQuiet, notified, shown } = alertMachine();
  beQuiet('11:00-12:30');
  await set(
    { when: { series: 'cpu', above: 90 } },
    { when: { series: 'cpu', above: 80 }, quiet: { from: '01:00', to: '02:00' } },
  );
  await sample(95);
  expect(shown().alerts.map(({ quiet }) => quiet)).toEqual([true, false]);
  expect(notified()).toEqual(['ops alert.begun rule-2']);
  await pass(31 * 60_000);
  expect(notified()).toEqual(['ops alert.begun rule-2', 'ops alert.begun rule-1']);
});
