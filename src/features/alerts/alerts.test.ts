import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { unexplained } from '../../../test/harness/machines.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { createAlertBoard } from '../../core/alert-state.ts';
import { createStore } from '../../core/store.ts';
import { ServiceError } from '../../lib/errors.ts';
import { defaultSettings } from '../index.ts';
import { alertsActions } from './alerts.actions.ts';
import { alertsReadings } from './alerts.readings.ts';
import { type AlertsPayload, alertsSchema } from './alerts.schema.ts';
import { alerts } from './alerts.ts';

const hot: AlertsPayload['alerts'][number] = {
  id: 'hot',
  name: 'Hot',
  state: 'active',
  since: 1_767_225_600,
  condition: 'cpu above 90 %',
  series: 'cpu',
  event: null,
  value: 95,
  threshold: 90,
  unit: 'percent',
  text: 'cpu is 95 %, above 90 %',
  reason: null,
  quiet: false,
  last_notified: null,
  notify: [{ way: 'mqtt', state: 'told', told: null, tries: 0, error: null }],
};
const state: AlertsPayload = {
  active: 1,
  alerts: [
    hot,
    {
      ...hot,
      id: 'login',
      state: 'ok',
      series: null,
      event: 'session',
      value: null,
      threshold: null,
      unit: null,
      notify: [],
    },
    { ...hot, id: 'gpu', state: 'unknown', reason: 'there is none' },
    { ...hot, id: 'old', state: 'off' },
  ],
};

function service() {
  const board = createAlertBoard();
  const host = fakeHost();
  return {
    board,
    host,
    store: createStore({ modules: [alerts.module], host, context: fakeContext({ alerts: board }) }),
  };
}

test('the payload has the rules that the service watches, with a reason for every null', async () => {
  const { board, host, store } = service();
  expect((await store.get('alerts')).payload).toEqual({ active: 0, alerts: [] });
  board.show(state);
  host.clock.advance(1000);
  const { payload, reasons } = await store.get('alerts');
  expect(alertsSchema.parse(payload)).toEqual(state);
  expect(unexplained(payload, reasons)).toEqual([]);
  store.close();
});

test('the payload is pushed as soon as an alert changes', async () => {
  const { board, host, store } = service();
  const pushed: unknown[] = [];
  const stop = store.listen('alerts', ({ payload }) => pushed.push(payload));
  for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve));
  // Changes announced close together arrive in one push.
  host.clock.advance(60);
  board.show(state);
  for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(pushed.at(-1)).toEqual(state);
  stop();
  store.close();
});

test('a process without alert rules reports it', async () => {
  const store = createStore({ modules: [alerts.module], host: fakeHost(), context: fakeContext() });
  await expect((async () => await store.get('alerts'))()).rejects.toThrow(
    'only a running service evaluates alert rules',
  );
  store.close();
});

test('an alert that is unknown or off has no number', () => {
  expect(alertsReadings.metrics?.read(state)[0]?.samples).toEqual([
    { labels: { id: 'hot', name: 'Hot' }, value: 1 },
    { labels: { id: 'login', name: 'Hot' }, value: 0 },
  ]);
});

test('home automation sees the alerts that notify over MQTT', async () => {
  const entities = (await alertsReadings.entities?.(fakeHost()))?.read(state, null);
  expect(entities?.map(({ key, value, deviceClass }) => [key, value, deviceClass])).toEqual([
    ['alert_hot', true, 'problem'],
    ['alert_gpu', null, 'problem'],
  ]);
});

describe('targets are changed by actions', () => {
  const url = 'gotify://10.0.0.5/sesame-token';
  const action = (name: string) => {
    const found = alertsActions.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no action ${name}`);
    return found as ActionDefinition;
  };

  function machine(isOurUser = true) {
    const storage = memoryStorage();
    const host = fakeHost({ storage, paths: { state: '/state' } as never });
    let targets: { id: string }[] = [];
    const { context } = fakeActionContext(host, {
      settings: () => ({ ...defaultSettings, alerts: { ...defaultSettings.alerts, targets } }) as never,
      async changeSettings(patch) {
        // What the settings refuse.
        if (!isOurUser) throw new ServiceError('forbidden', 'only here');
        ({ targets } = (patch as { alerts: { targets: { id: string }[] } }).alerts);
        return defaultSettings;
      },
      caller: {
        tokenName: 'main',
        tokenId: 'main',
        scopes: new Set(['admin']),
        connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => isOurUser }),
      },
    });
    const run = (name: string, input: object = {}) => action(name).run(input, context);
    return { run, storage, context };
  }

  test('one is added, replaced, listed without its secret, and removed with its URL', async () => {
    const { run, storage } = machine();
    const added = await run('alerts.add', { id: 'phone', url });
    expect(added.data).toEqual({ id: 'phone', url: 'gotify://10.0.0.5/…' });
    await run('alerts.add', { id: 'phone', url: 'gotify://10.0.0.6/sesame-two' });
    await run('alerts.add', { id: 'desk', url });
    const listed = await run('alerts.targets');
    expect(listed.data).toEqual({
      changeable: true,
      targets: [
        { id: 'phone', url: 'gotify://10.0.0.6/…', rules: [] },
        { id: 'desk', url: 'gotify://10.0.0.5/…', rules: [] },
      ],
    });
    expect(JSON.stringify([added, listed])).not.toContain('sesame');
    await run('alerts.remove', { id: 'phone' });
    expect([...storage.contents.values()].join()).toBe(`${JSON.stringify({ desk: url })}\n`);
    await expect(run('alerts.remove', { id: 'phone' })).rejects.toThrow('There is no target "phone"');
    await run('alerts.remove', { id: 'desk' });
    expect(storage.contents.size).toBe(0);
  });

  test('a URL that is not valid is refused without being repeated, and one change waits for another', async () => {
    const { run } = machine();
    await expect(run('alerts.add', { id: 'phone', url: 'gotify://example.com/sesame' })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.not.stringContaining('sesame') }),
    );
    const both = await Promise.allSettled(['one', 'two'].map((id) => run('alerts.add', { id, url })));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('from elsewhere nothing is changed, not even the URL of a known target', async () => {
    const { run, storage } = machine(false);
    await expect(run('alerts.add', { id: 'phone', url })).rejects.toThrow('only on the machine itself');
    expect((await run('alerts.targets')).data).toEqual({ changeable: false, targets: [] });
    expect(storage.contents.size).toBe(0);
  });
});
