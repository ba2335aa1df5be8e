import { expect, test } from 'bun:test';
import { openEventStream } from './event-stream.ts';

function opened({ maxWaitingBytes = 1000 } = {}) {
  let tick = () => {};
  let timers = 0;
  let ended = 0;
  const after = (_ms: number, callback: () => void) => {
    timers += 1;
    tick = callback;
    return () => {
      timers -= 1;
    };
  };
  const parts = { after, keepAliveMs: 15_000, maxWaitingBytes };
  const stream = openEventStream(parts, { 'X-Own': 'kept' }, () => {
    ended += 1;
  });
  return { stream, ended: () => ended, timers: () => timers, tick: () => tick() };
}

test('messages are events, with their headers', async () => {
  const { stream, ended } = opened();
  stream.send({ a: 'one\ntwo' });
  stream.send({ b: 2 });
  stream.close();
  expect([stream.response.headers.get('x-own'), stream.response.headers.get('content-type')]).toEqual([
    'kept',
    'text/event-stream',
  ]);
  expect(await stream.response.text()).toBe(
    'event: message\ndata: {"a":"one\\ntwo"}\n\nevent: message\ndata: {"b":2}\n\n',
  );
  expect(ended()).toBe(1);
});

test('a client that does not read loses its stream', async () => {
  const { stream, ended } = opened();
  for (let count = 0; count < 30 && ended() === 0; count++) stream.send({ x: 'x'.repeat(50) });
  expect(ended()).toBe(1);
  stream.send({ late: true });
  stream.close();
  await expect(stream.response.text()).rejects.toThrow('does not read');
});

test('a client that disconnects ends the stream once', async () => {
  const { stream, ended, timers } = opened();
  await stream.response.body?.cancel();
  stream.send({ late: true });
  stream.close();
  expect([ended(), timers()]).toEqual([1, 0]);
});

test('an idle stream gets comments', async () => {
  const { stream, tick } = opened();
  tick();
  tick();
  stream.close();
  tick();
  expect(await stream.response.text()).toBe(': keepalive\n\n: keepalive\n\n');
});
