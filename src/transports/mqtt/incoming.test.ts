import { expect, test } from 'bun:test';
import type { MqttDelivery, MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { TransportParts } from '../../core/transport.ts';
import { createEntityAnnouncements } from './announcements.ts';
import { createIncoming } from './incoming.ts';
import { createLogOnce, type MqttSession } from './session.ts';
import { topicsOf } from './topics.ts';

const topics = topicsOf('hostler', 'id');

const delivery = (topic: string, payload: string, given: Partial<MqttDelivery> = {}): MqttDelivery => ({
  topic,
  payload: new TextEncoder().encode(payload),
  retain: false,
  duplicate: false,
  packetId: null,
  expiresAfter: null,
  responseTopic: null,
  correlation: null,
  ...given,
});

function setUp(style: 'device' | 'entity' = 'device') {
  const clock = fakeClock();
  const published: MqttMessage[] = [];
  const logged: string[] = [];
  const complain = createLogOnce(clock, (sentence) => void logged.push(sentence));
  let refreshes = 0;
  const controls = {
    async refresh() {
      refreshes++;
      return new Map();
    },
    offered: () => null,
    keys: () => [],
    follow: async () => () => {},
  };
  const link: MqttLink = {
    version: 5,
    publish: async () => {},
    subscribe: async () => {},
    waiting: () => 0,
    close: () => {},
  };
  // Only these are used before an action runs.
  const parts = {
    service: { version: '1', actions: [] },
    host: { clock, storage: { write: () => {} }, paths: { state: '/state' } },
    listenOn: { address: '127.0.0.1', port: 1, securePort: 2 },
    routeTable: {},
    log: { warn: () => {} },
    settings: { current: () => ({}) },
  } as unknown as TransportParts;
  const publish = (message: MqttMessage) => published.push(message) > 0;
  const guarded = async (work: () => Promise<unknown>) => void (await work());
  const session = {
    given: { url: 'mqtt://broker', discovery: style },
    topics,
    id: 'id',
    earlier: { id: 'id', style: null, root: 'hostler', groups: {} },
    modules: [],
    facts: { id: 'id', name: 'machine', manufacturer: null, model: null, mac: null, address: null },
    sleep: { hasSlept: () => false },
    outbox: { publish },
    link: () => link,
    complain,
    guarded,
  } as unknown as MqttSession;
  const announcements = createEntityAnnouncements(parts, session, controls);
  const incoming = createIncoming(parts, session, controls, announcements);
  /** In steps, so that started work ends before the clock advances. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000);
      await Bun.sleep(0);
    }
  };
  return { incoming, published, logged, refreshes: () => refreshes, pass };
}

test.each(['device', 'entity'] as const)('5,000 birth messages cause one announcement (%s)', async (style) => {
  const { incoming, published, refreshes, pass } = setUp(style);
  const birth = delivery('homeassistant/status', 'online');
  for (let n = 0; n < 5000; n++) incoming.take(birth);
  await pass(60);
  expect([refreshes(), published.length]).toEqual([1, 1]);
});

test('repeated birth messages cause one announcement every 10 s at most', async () => {
  const { incoming, refreshes, pass } = setUp();
  for (let second = 0; second < 100; second++) {
    for (let n = 0; n < 100; n++) incoming.take(delivery('homeassistant/status', 'online'));
    await pass(1);
  }
  expect(refreshes()).toBeGreaterThan(1);
  expect(refreshes()).toBeLessThanOrEqual(10);
});

test.each([
  ['retained', 'online', true],
  ['another text', 'offline', false],
  ['longer', 'online and more', false],
  ['empty', '', false],
])('a birth message that is %s causes none', async (_kind, payload, retain) => {
  const { incoming, refreshes, pass } = setUp();
  incoming.take(delivery('homeassistant/status', payload, { retain }));
  await pass(60);
  expect(refreshes()).toBe(0);
});

test('of 5,000 requests 120 per 10 s are answered, including refusals, and later requests are answered again', async () => {
  const { incoming, published, logged, pass } = setUp();
  const ask = (n: number) => {
    const correlation = new TextEncoder().encode(String(n));
    const request = delivery('hostler/id/request', '{"event":"NONE"}', { responseTopic: 'mine', correlation });
    if (incoming.accepts(request.topic)) incoming.take(request);
  };
  for (let n = 0; n < 5000; n++) ask(n);
  await pass(1);
  expect(published.length).toBe(120);
  expect(logged.filter((sentence) => sentence.includes('some are ignored')).length).toBe(1);
  await pass(10);
  ask(5000);
  await pass(1);
  expect(published.length).toBe(121);
});

test('topics without a subscription are rejected before a message is decoded; birth messages need no budget', () => {
  const { incoming, logged } = setUp();
  expect(incoming.accepts('hostler/other/request')).toBe(false);
  expect(logged).toEqual([expect.stringContaining('which was not subscribed to')]);
  const accepted = (topic: string) => Array.from({ length: 200 }, () => incoming.accepts(topic)).filter(Boolean).length;
  expect(accepted('hostler/id/command/volume')).toBe(120);
  expect([accepted('hostler/id/request'), accepted('homeassistant/status')]).toEqual([0, 200]);
});
