import { expect, test } from 'bun:test';
import { memoryStorage } from '../../test/doubles/fake-host.ts';
import { alertMachine, hotRule, turn } from '../../test/harness/alert-machine.ts';
import type { AlertOutcome } from './notification.ts';

test('without rules nothing is read, subscribed to or scheduled', async () => {
  const { set, followers, listening, clock, reads, shown } = alertMachine();
  await set();
  expect([followers.size, listening.size, reads()]).toEqual([0, 0, 0]);
  expect(clock.advanceToNext()).toBe(false);
  expect(shown()).toEqual({ active: 0, alerts: [] });
});

test('a series notifies once when the alert begins and once when it ends', async () => {
  const { set, sample, notified, sent, state, clock, noted } = alertMachine();
  await set(hotRule);
  expect(state()).toBe('unknown');
  await sample(95, 4);
  expect([state(), notified()]).toEqual(['pending', []]);
  await sample(95, 8);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]).toMatchObject({
    machine: 'box',
    alert: {
      condition: 'cpu above 90 % for 1 min',
      text: 'cpu is at 95 %, above 90 %',
      value: 95,
      threshold: 90,
      unit: 'percent',
    },
  });
  await sample(87, 3);
  expect(state()).toBe('active');
  await sample(85, 3);
  expect(notified()).toEqual(['ops alert.begun rule-1', 'ops alert.ended rule-1']);
  expect(sent[1]).toMatchObject({ alert: { value: 85, since: sent[0]?.at } });
  expect(noted).toEqual(['alert: Alert "rule-1": cpu is at 95 %, above 90 %', 'alert: The alert "rule-1" is over']);
  // No timer is pending.
  expect(clock.advanceToNext()).toBe(false);
});

test.each(['', '{', '[]', '{"alerts":{"rule-1":7}}', '{"alerts":{"rule-1":{"when":"x","episode":{},"told":{}}}}'])(
  'an invalid state file is ignored: %j',
  async (text) => {
    const { set, sample, notified } = alertMachine({ storage: memoryStorage({ '/s/alerts.json': text }) });
    await set(hotRule);
    await sample(95, 6);
    expect(notified()).toEqual(['ops alert.begun rule-1']);
  },
);

test('a changed condition resets the rule', async () => {
  const first = alertMachine();
  await first.set(hotRule);
  await first.sample(95, 6);
  await first.set({ when: { series: 'cpu', above: 50, for: 60 } });
  expect(first.state()).toBe('unknown');
  await first.sample(95, 6);
  expect(first.notified()).toEqual(['ops alert.begun rule-1', 'ops alert.begun rule-1']);
});

test('a change of another setting keeps the state of the rule', async () => {
  const { set, sample, notified, state } = alertMachine();
  await set(hotRule);
  await sample(95, 6);
  await set({ ...hotRule, name: 'Hot' }, { when: { series: 'cpu', below: 1 } });
  expect([state(), state('rule-2')]).toEqual(['active', 'unknown']);
  await sample(95, 3);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
});

test('a module that announces its changes is subscribed to, and its problems notify at once', async () => {
  const { set, push, pass, notified, listening, sent } = alertMachine();
  await set({ when: { event: 'service_failed', match: '*.service' } });
  expect([...listening.keys()]).toEqual(['services']);
  await push('services', ['backup.timer']);
  expect(notified()).toEqual([]);
  await push('services', ['backup.timer', 'nginx.service']);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]?.alert.text).toBe('nginx.service failed');
  await push('services', []);
  await pass(50_000);
  expect(notified()).toHaveLength(1);
  await pass(20_000);
  expect(notified()).toEqual(['ops alert.begun rule-1', 'ops alert.ended rule-1']);
  await set();
  expect(listening.size).toBe(0);
});

test('a service that keeps restarting notifies once', async () => {
  const { set, push, pass, notified } = alertMachine();
  await set({ when: { event: 'service_failed' } });
  for (let round = 0; round < 50; round += 1) {
    await push('services', ['nginx.service']);
    await pass(5000);
    await push('services', []);
    await pass(5000);
  }
  expect(notified()).toEqual(['ops alert.begun rule-1']);
});

test('a module that announces nothing is read once a minute', async () => {
  const { set, pass, payloads, notified, reads, sent } = alertMachine();
  await set({ when: { event: 'disk_full' } }, { when: { event: 'disk_full', percent: 95 } });
  expect(reads()).toBe(1);
  payloads.set('disks', 92);
  await pass(61_000);
  expect(reads()).toBe(2);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]?.alert).toMatchObject({ text: '/ is 92 % full', threshold: 90, value: 92 });
});

test('an unavailable module makes the rule unknown, with its reason', async () => {
  const { set, shown, engine } = alertMachine();
  await set({ when: { event: 'disk_ful' } });
  expect(shown().alerts[0]).toMatchObject({
    state: 'unknown',
    reason: 'there is no event "disk_ful"; did you mean disk_full?',
  });
  engine.stop();
});

test('each event notifies, and leaves no lasting state', async () => {
  const { set, happen, pass, notified, sent, state } = alertMachine();
  await set({ when: { event: 'session', match: 'root*' } }, { when: { event: 'container_died' } });
  expect(state()).toBe('ok');
  await happen('session', 'anna logged in');
  await happen('session', 'root on pts/0 logged in');
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]?.alert.text).toBe('root on pts/0 logged in');
  await happen('container_died', 'web\ndied');
  expect(sent[1]?.alert.text).toBe('web\ufffddied');
  await happen('session', 'root on pts/1 logged in');
  await happen('session', 'root on pts/2 logged in');
  expect(notified()).toEqual(['ops alert.begun rule-1', 'ops alert.begun rule-2']);
  await pass(60_000);
  // The events since then are sent together.
  expect(notified()).toEqual(['ops alert.begun rule-1', 'ops alert.begun rule-2', 'ops alert.begun rule-1']);
  expect(sent[2]?.alert.text).toBe('root on pts/1 logged in; root on pts/2 logged in');
  await pass(301_000);
  expect(state()).toBe('ok');
  expect(notified()).toHaveLength(3);
});

test('the log has the path that readers are not shown', async () => {
  const { set, sample, answers, said, shown, engine } = alertMachine();
  const failing: AlertOutcome = {
    ok: false,
    error: 'its key file does not exist',
    full: 'its key file, /k, does not exist',
    retry: true,
    askedForMs: null,
  };
  answers.push(failing, failing);
  await set({ when: { series: 'cpu', above: 90 } });
  await sample(95);
  expect(shown().alerts[0]?.notify[0]?.error).toBe('its key file does not exist');
  const { results } = await engine.test('rule-1', new AbortController().signal);
  expect(results).toEqual([{ way: 'ops', ok: false, error: 'its key file does not exist', answer: '' }]);
  expect(said).toEqual([
    'alerts: rule-1 could not be sent to ops: its key file, /k, does not exist. It will be tried again',
    'alerts: the test of rule-1 could not be sent to ops: its key file, /k, does not exist',
  ]);
});

test('a rule that is not enabled is shown as off, and watches nothing', async () => {
  const { set, followers, shown, engine } = alertMachine();
  await set({ ...hotRule, enabled: false });
  expect(followers.size).toBe(0);
  expect(shown().alerts[0]).toMatchObject({ state: 'off', reason: 'the rule is not enabled' });
  await expect(engine.test('rule-1', new AbortController().signal)).rejects.toThrow('not enabled');
  await expect(engine.test('nothing', new AbortController().signal)).rejects.toThrow('There is no rule "nothing"');
});

test('nothing happens after stop', async () => {
  const { set, sample, engine, followers, notified, clock } = alertMachine();
  await set(hotRule);
  await sample(95, 2);
  const [follower] = followers;
  engine.stop();
  follower?.sampled(new Map([['cpu', 95]]));
  clock.advance(120_000);
  follower?.sampled(new Map([['cpu', 95]]));
  await turn();
  expect(notified()).toEqual([]);
  expect(followers.size).toBe(0);
});
