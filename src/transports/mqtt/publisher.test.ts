import { expect, test } from 'bun:test';
import type { MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { z } from 'zod';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { startPolling } from '../../core/entities/poll-schedule.ts';
import { type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Reasons } from '../../core/reasons.ts';
import { createStore } from '../../core/store.ts';
import { createModulePublisher } from './publisher.ts';
import { topicsOf } from './topics.ts';

interface Thing {
  size: number;
}

const topics = topicsOf('hostler', 'id');
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A module of size `size`, polled every 10 s. */
async function setUp(
  entities: Partial<ModuleEntities<Thing>> & Pick<ModuleEntities<Thing>, 'read'>,
  source: { watch?(changed: () => void): () => void } = {},
) {
  const clock = fakeClock();
  const host = fakeHost({ clock });
  const sent: MqttMessage[] = [];
  const thing = { reads: 0, size: 1, isMendable: false, fails: false };
  const definition = {
    name: 'thing',
    description: 'A thing',
    schema: async () => z.object({ size: z.number() }),
    everyMs: 1000,
    empty: { size: 0 },
    sources: {
      linux: async () => () => ({
        ...source,
        read: (reasons: Reasons) => {
          thing.reads++;
          if (thing.fails) throw new Error('the machine is too busy');
          if (thing.isMendable) reasons.missing('size', 'It is still starting');
          return { size: thing.size };
        },
      }),
    },
    entities: async () => entities,
  };
  const context = fakeContext();
  const publisher = await createModulePublisher(definition, {
    store: createStore({ modules: [definition], host, context }),
    host,
    clock,
    log: context.log,
    topics,
    intervalSeconds: 10,
    moduleSeconds: () => 1,
    publish(message) {
      sent.push(message);
      return true;
    },
    entities: () => {},
    device: () => {},
  });
  const end = startPolling(clock, [publisher], () => true);
  return {
    thing,
    sent,
    publisher,
    end,
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000);
        await turn();
      }
    },
  };
}

const sizeOf = ({ size }: Thing) => (size === 0 ? [] : [sensor('size', 'Size', Math.round(size))]);

test('unchanged values, and changes below the displayed precision, are not published again', async () => {
  const { thing, sent, pass } = await setUp({ read: sizeOf });
  await pass(30);
  expect(sent.map(({ topic, payload }) => [topic, payload])).toEqual([
    [topics.state('thing'), '{"size":1}'],
    [topics.values('thing'), '{"size":1}'],
  ]);
  thing.size = 1.2;
  await pass(10);
  expect(sent.slice(2).map(({ topic, payload }) => [topic, payload])).toEqual([
    [topics.state('thing'), '{"size":1.2}'],
  ]);
});

test('a module without values is read every five minutes, and at its interval as soon as it has values or could have', async () => {
  const { thing, pass, publisher } = await setUp({ read: sizeOf });
  thing.size = 0;
  await pass(600);
  expect(thing.reads).toBe(2);
  thing.size = 1;
  await pass(360);
  expect(thing.reads).toBeGreaterThanOrEqual(8);
  thing.size = 0;
  await pass(20);
  const before = thing.reads;
  // After a reconnect everything is published at once.
  publisher.reset();
  await pass(10);
  expect(thing.reads).toBe(before + 1);
  await pass(100);
  expect(thing.reads).toBe(before + 1);
  thing.isMendable = true;
  publisher.reset();
  await pass(100);
  expect(thing.reads).toBe(before + 11);
});

test('a module that announces its changes is read every 15 minutes, without announcements every minute', async () => {
  let announce = () => {};
  const watch = (changed: () => void) => {
    announce = changed;
    return () => {};
  };
  const { thing, sent, pass } = await setUp({ read: sizeOf, atOnce: true }, { watch });
  await pass(10);
  const before = thing.reads;
  await pass(1800);
  expect(thing.reads).toBe(before + 2);
  thing.size = 2;
  announce();
  await pass(1);
  expect(sent.at(-1)?.payload).toBe('{"size":2}');
  const silent = await setUp({ read: sizeOf, atOnce: true });
  await silent.pass(599);
  expect(silent.thing.reads).toBe(9);
});

test('a payload that is expensive to read is reused for several polls until it is outdated', async () => {
  let isOutdated = false;
  const polls: { seconds: number | null }[] = [];
  const { thing, pass, end } = await setUp({
    keepsPayload: { seconds: 50, isOutdated: () => isOutdated },
    read(payload, before) {
      polls.push({ seconds: before?.seconds ?? null });
      return sizeOf(payload);
    },
  });
  await pass(50);
  expect([thing.reads, polls.length]).toEqual([1, 5]);
  expect(polls.slice(1).every(({ seconds }) => seconds === 10)).toBe(true);
  await pass(10);
  expect(thing.reads).toBe(2);
  isOutdated = true;
  await pass(20);
  expect(thing.reads).toBe(4);
  end();
  await pass(100);
  expect(thing.reads).toBe(4);
});

test('the payload of a failed read is not reused', async () => {
  const { thing, sent, pass } = await setUp({ keepsPayload: { seconds: 600, isOutdated: () => false }, read: sizeOf });
  thing.fails = true;
  await pass(10);
  thing.fails = false;
  await pass(20);
  expect(thing.reads).toBe(2);
  expect(sent.map(({ payload }) => payload)).toContain('{"size":1}');
  await pass(60);
  expect(thing.reads).toBe(2);
});
