import { expect, test } from 'bun:test';
import { z } from 'zod';
import { herePeer } from '../../../test/doubles/fake-wire.ts';
import { callerWith } from '../../../test/harness/agents.ts';
import type { Connections, ConnectionsParts } from './connections.ts';
import { createDataEvents } from './data-events.ts';
import type { SocketSession } from './session.ts';
import { createWorkQueue } from './work-queue.ts';

/** Each selection takes a millisecond of the fake time. */
function selections(mostWaiting: number) {
  let now = 0;
  const soon: (() => void)[] = [];
  const answered: string[] = [];
  const payload = {
    get entries() {
      now += 1;
      return [{ name: 'one' }];
    },
  };
  const schema = async () => z.object({ entries: z.array(z.object({ name: z.string() })) });
  const store = { seenBy: () => ({ get: () => ({ payload }) }) };
  const parts = { service: { store, modules: [{ name: 'list', schema }] }, feeds: new Map() };
  const connections = {
    outbox: { answer: (_session: SocketSession, text: string) => void answered.push(text) },
    workQueue: createWorkQueue({
      turnMs: 8,
      most: { each: mostWaiting, size: 1000 },
      monotonic: () => now,
      soon: (callback) => void soon.push(callback),
    }),
  };
  const events = createDataEvents(parts as unknown as ConnectionsParts, connections as unknown as Connections);
  const session = { peer: herePeer } as unknown as SocketSession;
  const request = { id: '1', data: { modules: ['list'], fields: ['entries.name'] } };
  const send = async () => await events.get('GET_DATA')?.(session, callerWith(['read']), request);
  const settle = async () => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  return { answered, soon, send, settle };
}

test('selections of a client share the turn of the event loop with other work', async () => {
  const { answered, soon, send, settle } = selections(1000);
  const all = Promise.all(Array.from({ length: 40 }, send));
  await settle();
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.length).toBeLessThan(10);
  while (soon.length > 0) {
    soon.shift()?.();
    await settle();
  }
  await all;
  expect(answered).toHaveLength(40);
  expect(JSON.parse(answered[0] ?? '').data).toEqual({ entries: [{ name: 'one' }] });
});

test('more of them than may wait are refused', async () => {
  const { send, settle } = selections(10);
  const refused = Array.from({ length: 40 }, send).map((each) =>
    each.then(
      () => null,
      (error) => error.code,
    ),
  );
  await settle();
  expect(await Promise.race([Promise.all(refused.slice(-5)), settle()])).toEqual(Array(5).fill('rate_limited'));
});
