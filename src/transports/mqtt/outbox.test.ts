import { expect, test } from 'bun:test';
import type { MqttLink, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createMqttOutbox } from './outbox.ts';

function setUp() {
  const clock = fakeClock();
  const sent: MqttMessage[] = [];
  const complaints: string[] = [];
  let bytes = 0;
  let answer: () => Promise<void> = async () => {};
  const link: MqttLink = {
    version: 5,
    async publish(message) {
      sent.push(message);
      return await answer();
    },
    subscribe: async () => {},
    waiting: () => bytes,
    close: () => {},
  };
  let current: MqttLink | null = link;
  const counters = { messages: 7 };
  const outbox = createMqttOutbox(
    clock,
    () => current,
    (sentence) => void complaints.push(sentence),
    counters,
  );
  return {
    clock,
    sent,
    complaints,
    outbox,
    counters,
    fill: (now: number) => {
      bytes = now;
    },
    respond: (next: () => Promise<void>) => {
      answer = next;
    },
    lose: () => {
      current = null;
    },
  };
}

test('a broker that does not read is sent nothing until it reads again', () => {
  const { outbox, counters, sent, fill, lose } = setUp();
  fill(262_145);
  expect(outbox.publishRetained('t', 'p')).toBe(false);
  fill(0);
  expect(outbox.publishRetained('t', 'p')).toBe(true);
  lose();
  expect(outbox.publishRetained('t', 'p')).toBe(false);
  expect([sent.length, counters.messages]).toEqual([1, 8]);
});

test('refused messages are logged, and messages lost with the connection are not', async () => {
  const { outbox, complaints, respond, lose } = setUp();
  respond(() => Promise.reject(new Error('not allowed')));
  outbox.publishRetained('t', 'p');
  await outbox.delivered();
  expect(complaints).toEqual(['mqtt: t could not be published: not allowed']);
  outbox.publishRetained('t', 'p');
  lose();
  await outbox.delivered();
  expect(complaints.length).toBe(1);
});

test('the wait for acknowledgements has a deadline', async () => {
  const { outbox, clock, respond } = setUp();
  respond(() => new Promise(() => {}));
  outbox.publishRetained('t', 'p');
  const delivered = outbox.delivered();
  clock.advance(1500);
  await delivered;
});
