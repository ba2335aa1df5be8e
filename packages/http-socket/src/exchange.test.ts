import { expect, test } from 'bun:test';
import type { LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { askServer, followServer } from './exchange.ts';

/** A server side of a socket, controlled by the test. */
function played() {
  const clock = fakeClock();
  const state = { sent: '', closed: 0, events: null as LocalSocketEvents | null };
  const connect = async (events: LocalSocketEvents) => {
    state.events = events;
    return {
      send: (bytes: Uint8Array) => {
        state.sent += Buffer.from(bytes).toString('latin1');
      },
      close: () => {
        state.closed += 1;
      },
    };
  };
  const answer = (text: string) => state.events?.data(Buffer.from(text));
  return { clock, state, answer, server: { connect, clock } };
}

const asking = { method: 'GET', path: '/a?b=c', limitMs: 1000, maxBytes: 10 } as const;
const tick = () => new Promise((resolve) => setImmediate(resolve));

test('each request has its own connection', async () => {
  const { server, state, answer } = played();
  const reply = askServer(server, asking);
  await tick();
  expect(state.sent).toStartWith('GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n');
  answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
  expect((await reply).body.toString()).toBe('hi');
  expect(state.closed).toBe(1);
});

test('a POST without data has an empty body', async () => {
  const { server, state, answer } = played();
  const reply = askServer(server, { ...asking, method: 'POST' });
  await tick();
  expect(state.sent).toContain('\r\nContent-Length: 0\r\n');
  answer('HTTP/1.1 204 No Content\r\n\r\n');
  expect((await reply).status).toBe(204);
});

test.each([
  ['more than was wanted', 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world', 'larger than 10 bytes'],
  ['an endless body', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(100)}`, 'larger than 10 bytes'],
  ['something else', 'hello\r\n\r\n', 'is not HTTP'],
])('%s fails at once, and the connection is closed', async (_name, text, why) => {
  const { server, state, answer } = played();
  const reply = askServer(server, asking);
  await tick();
  answer(text);
  await expect(reply).rejects.toThrow(why);
  expect(state.closed).toBe(1);
});

test('a silent server times out after the limit, and so does a slow one', async () => {
  const { server, state, clock, answer } = played();
  const reply = askServer(server, asking);
  await tick();
  answer('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n');
  clock.advance(900);
  answer('h');
  clock.advance(200);
  await expect(reply).rejects.toThrow('has not answered for 1 s');
  expect(state.closed).toBe(1);
});

test('a connection established after the limit is closed', async () => {
  const { clock, state, server } = played();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow: typeof server.connect = async (...given) => {
    await promise;
    return await server.connect(...given);
  };
  const reply = askServer({ ...server, connect: slow }, asking);
  clock.advance(1001);
  await expect(reply).rejects.toThrow('has not answered');
  resolve();
  await tick();
  expect(state).toMatchObject({ sent: '', closed: 1 });
});

test('an abort signal ends the request', async () => {
  const { server, state } = played();
  const controller = new AbortController();
  const reply = askServer(server, { ...asking, signal: controller.signal });
  await tick();
  controller.abort(new Error('the caller cancelled'));
  await expect(reply).rejects.toThrow('the caller cancelled');
  expect(state.closed).toBe(1);
  await expect(askServer(server, { ...asking, signal: controller.signal })).rejects.toThrow('the caller cancelled');
});

test('a followed response continues past the limit, until it ends or is stopped', async () => {
  const { server, state, clock, answer } = played();
  const pieces: string[] = [];
  const ends: (Error | null)[] = [];
  const following = followServer(server, asking, {
    piece: (bytes) => void pieces.push(Buffer.from(bytes).toString()),
    ended: (error) => void ends.push(error),
  });
  await tick();
  answer('HTTP/1.1 200 OK\r\n\r\none');
  const { status, stop } = await following;
  clock.advance(100_000);
  answer('two');
  expect([status, pieces]).toEqual([200, ['one', 'two']]);
  stop();
  answer('three');
  state.events?.closed(null);
  expect([pieces.length, ends, state.closed]).toEqual([2, [], 1]);
});

test('the end is reported once', async () => {
  const { server, state, answer } = played();
  const ends: (Error | null)[] = [];
  const following = followServer(server, asking, { piece: () => {}, ended: (error) => void ends.push(error) });
  await tick();
  answer('HTTP/1.1 200 OK\r\n\r\n');
  await following;
  state.events?.closed(null);
  state.events?.closed(new Error('again'));
  expect(ends).toEqual([null]);
});
