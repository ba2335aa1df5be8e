import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost, memoryStorage } from '../../test/doubles/fake-host.ts';
import type { AlertsState } from '../core/alerts.schema.ts';
import type { ModuleDefinition } from '../core/module.ts';
import type { Reading } from '../core/reading.ts';
import type { HistoryFollower } from '../core/readings/history.ts';
import type { ModuleProblems } from '../core/readings/problems.ts';
import { defaultSettings } from '../features/index.ts';
import { createSharedTimers } from '../lib/shared-timers.ts';
import { type AlertRule, alertsSettingsSchema } from './alerts.settings.schema.ts';
import { startEngine } from './engine.ts';
import type { AlertMessage, AlertOutcome } from './notification.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Noon in the local time zone. */
const noon = new Date(2026, 0, 15, 12, 0).getTime();

type GivenRule = Partial<AlertRule> & Pick<AlertRule, 'when'>;

const services: ModuleProblems<string[]> = {
  announced: true,
  problems: {
    service_failed: {
      description: 'A unit failed',
      find: (failed) => failed.map((name) => ({ subject: name, text: `${name} failed` })),
    },
  },
};
const disks: ModuleProblems<number> = {
  problems: {
    disk_full: {
      description: 'Full',
      percent: 90,
      find: (used, percent) => (used >= percent ? [{ subject: '/', text: `/ is ${used} % full`, value: used }] : []),
    },
  },
};

function machine({ clock = fakeClock(noon), storage = memoryStorage() } = {}) {
  const followers = new Set<HistoryFollower>();
  const listening = new Map<string, (reading: Reading) => void>();
  const payloads = new Map<string, unknown>([
    ['services', []],
    ['disks', 10],
  ]);
  const said: string[] = [];
  const noted: string[] = [];
  const sent: (AlertMessage & { way: string })[] = [];
  const answers: AlertOutcome[] = [];
  let reads = 0;
  let settings = defaultSettings;
  let shown: AlertsState = { active: 0, alerts: [] };
  const module = (name: string, problems?: () => Promise<ModuleProblems<never>>) =>
    ({ name, problems }) as unknown as ModuleDefinition;
  const { log } = fakeContext({ log: { ...fakeContext().log, warn: (text) => void said.push(text) } });
  const reading = (payload: unknown) => ({ payload, reasons: [] }) as unknown as Reading;
  const engine = startEngine({
    host: fakeHost({
      clock,
      storage,
      paths: { config: '/c', state: '/s', runtime: null },
      environment: { hostname: () => 'box' },
    }),
    log,
    modules: [
      module('services', async () => services as never),
      module('disks', async () => disks as never),
      module('containers'),
    ],
    store: {
      get(name) {
        reads += 1;
        return reading(payloads.get(name));
      },
      listen(name, listener) {
        listening.set(name, listener);
        return () => void listening.delete(name);
      },
    },
    timers: createSharedTimers(clock),
    history: {
      known: async () => ({
        series: new Map([['cpu', { unit: 'percent', description: '', module: 'cpu' }]]),
        kinds: new Map([
          ['session', { module: 'system', description: '' }],
          ['container_died', { module: 'containers', description: '' }],
        ]),
      }),
      follow(follower) {
        followers.add(follower);
        return () => void followers.delete(follower);
      },
      note: (kind, text) => void noted.push(`${kind}: ${text}`),
    },
    async send(way, message) {
      sent.push({ ...message, way });
      return answers.shift() ?? { ok: true };
    },
    show(state) {
      shown = state;
    },
    settings: () => settings,
    random: () => 1,
  });
  return {
    engine,
    clock,
    storage,
    said,
    noted,
    sent,
    answers,
    followers,
    listening,
    payloads,
    reads: () => reads,
    async set(...rules: GivenRule[]) {
      const alerts = alertsSettingsSchema.parse({
        webhooks: [{ id: 'ops', url: 'https://hooks.example/x' }],
        rules: rules.map((rule, index) => ({ id: `rule-${index + 1}`, notify: ['ops'], ...rule })),
      });
      settings = { ...defaultSettings, alerts };
      await engine.follow();
      await turn();
    },
    async sample(value: number | null, times = 1) {
      for (let time = 0; time < times; time += 1) {
        clock.advance(15_000);
        for (const { sampled } of followers) sampled(new Map([['cpu', value]]));
        await turn();
      }
    },
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 10_000) {
        clock.advance(Math.min(left, 10_000));
        await turn();
      }
    },
    async push(name: string, payload: unknown) {
      payloads.set(name, payload);
      listening.get(name)?.(reading(payload));
      await turn();
    },
    async happen(kind: string, text: string) {
      for (const { kinds, happened } of followers) if (kinds.includes(kind)) happened({ at: clock.now(), kind, text });
      await turn();
    },
    shown: () => shown,
    state: (id = 'rule-1') => shown.alerts.find((alert) => alert.id === id)?.state,
    notified: () => sent.map(({ way, type, alert }) => `${way} ${type} ${alert.id}`),
  };
}

const hot: GivenRule = { when: { series: 'cpu', above: 90, for: 60 } };

test('without rules nothing is read, subscribed to or scheduled', async () => {
  const { set, followers, listening, clock, reads, shown } = machine();
  await set();
  expect([followers.size, listening.size, reads()]).toEqual([0, 0, 0]);
  expect(clock.advanceToNext()).toBe(false);
  expect(shown()).toEqual({ active: 0, alerts: [] });
});

test('a series notifies once when the alert begins and once when it ends', async () => {
  const { set, sample, notified, sent, state, clock, noted } = machine();
  await set(hot);
  expect(state()).toBe('unknown');
  await sample(95, 4);
  expect([state(), notified()]).toEqual(['pending', []]);
  await sample(95, 8);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]).toMatchObject({
    machine: 'box',
    alert: {
      condition: 'cpu above 90 % for 1 min',
      text: 'cpu is 95 %, above 90 %',
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
  expect(noted).toEqual(['alert: Alert "rule-1": cpu is 95 %, above 90 %', 'alert: The alert "rule-1" is over']);
  // No timer is pending.
  expect(clock.advanceToNext()).toBe(false);
});

test('a restart does not repeat a notification, and the end is notified after it', async () => {
  const first = machine();
  await first.set(hot);
  await first.sample(95, 6);
  expect(first.notified()).toHaveLength(1);
  // Killed: no orderly stop.
  const second = machine(first);
  await second.set(hot);
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
  const first = machine();
  first.answers.push({ ok: false, error: 'it answered 500', retry: true, askedForMs: null });
  await first.set(hot);
  await first.sample(95, 5);
  expect(first.sent).toHaveLength(1);
  const second = machine(first);
  await second.set(hot);
  expect(second.sent.map(({ id }) => id)).toEqual(first.sent.map(({ id }) => id));
});

test.each(['', '{', '[]', '{"alerts":{"rule-1":7}}', '{"alerts":{"rule-1":{"when":"x","episode":{},"told":{}}}}'])(
  'an invalid state file is ignored: %j',
  async (text) => {
    const { set, sample, notified } = machine({ storage: memoryStorage({ '/s/alerts.json': text }) });
    await set(hot);
    await sample(95, 6);
    expect(notified()).toEqual(['ops alert.begun rule-1']);
  },
);

test('a changed condition resets the rule', async () => {
  const first = machine();
  await first.set(hot);
  await first.sample(95, 6);
  await first.set({ when: { series: 'cpu', above: 50, for: 60 } });
  expect(first.state()).toBe('unknown');
  await first.sample(95, 6);
  expect(first.notified()).toEqual(['ops alert.begun rule-1', 'ops alert.begun rule-1']);
});

test('a change of another setting keeps the state of the rule', async () => {
  const { set, sample, notified, state } = machine();
  await set(hot);
  await sample(95, 6);
  await set({ ...hot, name: 'Hot' }, { when: { series: 'cpu', below: 1 } });
  expect([state(), state('rule-2')]).toEqual(['active', 'unknown']);
  await sample(95, 3);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
});

test('a failed delivery is retried a limited number of times', async () => {
  const { set, sample, pass, sent, answers, shown, said, clock } = machine();
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
  const { set, sample, pass, notified, shown } = machine();
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
  const { set, sample, notified } = machine();
  await set({
    when: { series: 'cpu', above: 90 },
    quiet: { from: '00:00', to: '00:00' },
    notify: ['mqtt', 'screen', 'ops'],
  });
  await sample(95);
  expect(notified()).toEqual(['mqtt alert.begun rule-1']);
});

test('a module that announces its changes is subscribed to, and its problems notify at once', async () => {
  const { set, push, pass, notified, listening, sent } = machine();
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
  const { set, push, pass, notified } = machine();
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
  const { set, pass, payloads, notified, reads, sent } = machine();
  await set({ when: { event: 'disk_full' } }, { when: { event: 'disk_full', percent: 95 } });
  expect(reads()).toBe(1);
  payloads.set('disks', 92);
  await pass(61_000);
  expect(reads()).toBe(2);
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]?.alert).toMatchObject({ text: '/ is 92 % full', threshold: 90, value: 92 });
});

test('an unavailable module makes the rule unknown, with its reason', async () => {
  const { set, shown, engine } = machine();
  await set({ when: { event: 'disk_ful' } });
  expect(shown().alerts[0]).toMatchObject({
    state: 'unknown',
    reason: 'there is no event "disk_ful"; did you mean disk_full?',
  });
  engine.stop();
});

test('each event notifies, and leaves no lasting state', async () => {
  const { set, happen, pass, notified, sent, state } = machine();
  await set({ when: { event: 'session', match: 'root*' } }, { when: { event: 'container_died' } });
  expect(state()).toBe('ok');
  await happen('session', 'anna logged in');
  await happen('session', 'root on pts/0 logged in');
  expect(notified()).toEqual(['ops alert.begun rule-1']);
  expect(sent[0]?.alert.text).toBe('root on pts/0 logged in');
  await happen('container_died', 'web died');
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

test('an event every second notifies once a minute with all events', async () => {
  const { set, happen, pass, sent } = machine();
  await set({ when: { event: 'session' } });
  for (let second = 0; second < 60; second += 1) {
    await happen('session', `login ${second % 10}`);
    await pass(1000);
  }
  expect(sent).toHaveLength(2);
  expect(sent[1]?.alert.text.split('; ').toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `login ${at}`));
});

test('units that fail alternately notify once each, a minute apart', async () => {
  const { set, push, pass, sent, noted } = machine();
  await set({ when: { event: 'service_failed' } });
  for (let second = 0; second < 300; second += 1) {
    await push('services', [['web', 'db', 'cache'][second % 3] ?? '']);
    await pass(1000);
  }
  expect(sent.map(({ alert }) => alert.text)).toEqual(['web failed', 'db failed; cache failed']);
  expect(noted).toHaveLength(3);
});

test('a retry delay of half an hour is honoured despite new events, and the log is not filled', async () => {
  const { set, happen, pass, sent, answers, said, shown } = machine();
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
  const { set, happen, pass, sent, answers, said } = machine();
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

test('the log has the path that readers are not shown', async () => {
  const { set, sample, answers, said, shown, engine } = machine();
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
  expect(results).toEqual([{ way: 'ops', ok: false, error: 'its key file does not exist' }]);
  expect(said).toEqual([
    'alerts: rule-1 could not be sent to ops: its key file, /k, does not exist. It will be tried again',
    'alerts: the test of rule-1 could not be sent to ops: its key file, /k, does not exist',
  ]);
});

test('a rule that is not enabled is shown as off, and watches nothing', async () => {
  const { set, followers, shown, engine } = machine();
  await set({ ...hot, enabled: false });
  expect(followers.size).toBe(0);
  expect(shown().alerts[0]).toMatchObject({ state: 'off', reason: 'the rule is not enabled' });
  await expect(engine.test('rule-1', new AbortController().signal)).rejects.toThrow('not enabled');
  await expect(engine.test('nothing', new AbortController().signal)).rejects.toThrow('There is no rule "nothing"');
});

test('a test reports the outcome of each way and changes no state', async () => {
  const { set, engine, answers, notified, shown } = machine();
  await set({ ...hot, notify: ['screen', 'ops'] });
  const before = shown();
  answers.push({ ok: false, error: 'there is no desktop', retry: true, askedForMs: null });
  expect(await engine.test('rule-1', new AbortController().signal)).toEqual({
    id: 'rule-1',
    results: [
      { way: 'screen', ok: false, error: 'there is no desktop' },
      { way: 'ops', ok: true, error: null },
    ],
  });
  expect(notified()).toEqual(['screen alert.test rule-1', 'ops alert.test rule-1']);
  expect(shown()).toEqual(before);
});

test('nothing happens after stop', async () => {
  const { set, sample, engine, followers, notified, clock } = machine();
  await set(hot);
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
