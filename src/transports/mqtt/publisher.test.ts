import { expect, test } from 'bun:test';
import type { MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { z } from 'zod';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Reasons } from '../../core/reasons.ts';
import { createStore } from '../../core/store.ts';
import { startRounds } from './poll-schedule.ts';
import { createModulePublisher } from './publisher.ts';
import { topicsOf } from './topics.ts';

interface Thing {
  size: number;
}

const topics = topicsOf('hostler', 'id');
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A module of size `size`, looked at every 10 s. */
async function setUp(entities: Partial<ModuleEntities<Thing>> & Pick<ModuleEntities<Thing>, 'read'>) {
  const clock = fakeClock();
  const host = fakeHost({ clock });
  const sent: MqttMessage[] = [];
  const thing = { reads: 0, size: 1, isMendable: false };
  const definition = {
    name: 'thing',
    description: 'A thing',
    schema: async () => z.object({ size: z.number() }),
    everyMs: 1000,
    empty: { size: 0 },
    sources: {
      linux: async () => () => ({
        read: (reasons: Reasons) => {
          thing.reads++;
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
  const end = startRounds(clock, [publisher], () => true);
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

test('what has not changed is not said again, and what changed by less than is shown is no news for whoever shows it', async () => {
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

test('what has nothing to show is read every five minutes, and at the usual pace as soon as it has, or could have', async () => {
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
  // A broker that may have lost everything is told at once.
  publisher.again();
  await pass(10);
  expect(thing.reads).toBe(before + 1);
  await pass(100);
  expect(thing.reads).toBe(before + 1);
  thing.isMendable = true;
  publisher.again();
  await pass(100);
  expect(thing.reads).toBe(before + 11);
});

test('a payload that is dear serves for several looks, each of which finds out the rest, unless it is outdated', async () => {
  let isOutdated = false;
  const looks: { seconds: number | null }[] = [];
  const { thing, pass, end } = await setUp({
    keepsPayload: { seconds: 50, isOutdated: () => isOutdated },
    read(payload, before) {
      looks.push({ seconds: before?.seconds ?? null });
      return sizeOf(payload);
    },
  });
  await pass(50);
  expect([thing.reads, looks.length]).toEqual([1, 5]);
  expect(looks.slice(1).every(({ seconds }) => seconds === 10)).toBe(true);
  await pass(10);
  expect(thing.reads).toBe(2);
  isOutdated = true;
  await pass(20);
  expect(thing.reads).toBe(4);
  end();
  await pass(100);
  expect(thing.reads).toBe(4);
});
