import { expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { unexplained } from '../../../test/harness/machines.ts';
import { createAlertBoard } from '../../core/alert-state.ts';
import { createStore } from '../../core/store.ts';
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
