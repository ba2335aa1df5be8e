import { describe, expect, test } from 'bun:test';
import type { LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { type FakeClock, fakeClock } from '@hostler/io/testing/fake-clock.ts';
import fc from 'fast-check';
import { encodeFrame, opcodes } from './frames.ts';
import { openRpc, RpcClosed, RpcRefusal, RpcSilence } from './rpc.ts';

/** A connection whose server side is the test. */
function line(clock: FakeClock = fakeClock()) {
  const sent: { opcode: number; message: Record<string, unknown> }[] = [];
  const received: unknown[] = [];
  const closed: string[] = [];
  const controller = new AbortController();
  let events: LocalSocketEvents = { data: () => {}, closed: () => {} };
  let isOpen = true;
  const opening = openRpc(
    async (_path, given) => {
      events = given;
      return {
        send: (bytes) => {
          const buffer = Buffer.from(bytes);
          sent.push({ opcode: buffer.readUInt32LE(0), message: JSON.parse(buffer.toString('utf8', 8)) });
        },
        close() {
          isOpen = false;
        },
      };
    },
    clock,
    { path: '/nowhere', clientId: '42', signal: controller.signal },
    { event: (name, data) => received.push([name, data]), closed: (error) => closed.push(error.message) },
  );
  opening.catch(() => {});
  return {
    opening,
    sent,
    received,
    closed,
    controller,
    isOpen: () => isOpen,
    give: (bytes: Uint8Array) => events.data(bytes),
    emit: (message: unknown) => events.data(encodeFrame(opcodes.frame, JSON.stringify(message))),
    hangUp: (error: Error | null = null) => events.closed(error),
  };
}

const ready = { cmd: 'DISPATCH', evt: 'READY', data: { v: 1 }, nonce: null };
const event = (n: number) => ({ cmd: 'DISPATCH', evt: 'SPEAKING_START', data: { n }, nonce: null });
const tick = () => new Promise((resolve) => setImmediate(resolve));

async function connected(clock?: FakeClock) {
  const end = line(clock);
  await tick();
  end.emit(ready);
  return { ...end, rpc: await end.opening };
}

describe('the RPC handshake', () => {
  test('names the version and the client', async () => {
    const { sent } = await connected();
    expect(sent[0]).toEqual({ opcode: 0, message: { v: 1, client_id: '42' } });
  });

  test('times out after 10 s of silence', async () => {
    const clock = fakeClock();
    const end = line(clock);
    await tick();
    clock.advance(10_000);
    await expect(end.opening).rejects.toThrow('it did not answer the handshake in time');
    expect(end.isOpen()).toBe(false);
  });

  test('fails with the error of the application', async () => {
    const end = line();
    await tick();
    end.give(encodeFrame(opcodes.close, '{"code":4000,"message":"Invalid Client ID"}'));
    const problem = await end.opening.catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(RpcClosed);
    expect(problem).toMatchObject({ code: 4000, message: 'Invalid Client ID' });
  });

  test('closes the socket when aborted, also when it opens later', async () => {
    const end = line();
    end.controller.abort();
    await expect(end.opening).rejects.toThrow('aborted');
    await tick();
    expect(end.isOpen()).toBe(false);
  });
});

describe('RPC requests', () => {
  test('get the reply with their nonce, in whatever order replies come', async () => {
    const { rpc, sent, emit } = await connected();
    const first = rpc.request({ cmd: 'GET_GUILD', args: { guild_id: '1' } }, (data) => data);
    const second = rpc.request({ cmd: 'SUBSCRIBE', evt: 'X' }, (data) => data);
    const [, a, b] = sent;
    expect(a?.message).toMatchObject({ cmd: 'GET_GUILD', args: { guild_id: '1' } });
    expect(b?.message).toMatchObject({ cmd: 'SUBSCRIBE', evt: 'X', args: {} });
    emit({ cmd: 'SUBSCRIBE', nonce: b?.message.nonce, data: 2 });
    emit({ cmd: 'GET_GUILD', nonce: a?.message.nonce, data: 1 });
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  test('that are refused reject with code and sentence', async () => {
    const { rpc, sent, emit } = await connected();
    const asked = rpc.request({ cmd: 'NO' }, (data) => data);
    emit({ cmd: 'NO', evt: 'ERROR', nonce: sent[1]?.message.nonce, data: { code: 4006, message: 'No permission' } });
    const problem = await asked.catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(RpcRefusal);
    expect(problem).toMatchObject({ code: 4006, message: 'No permission' });
  });

  test('that are not answered reject after 10 s, and a late reply is ignored', async () => {
    const clock = fakeClock();
    const { rpc, sent, emit, closed } = await connected(clock);
    const asked = rpc.request({ cmd: 'SLOW' }, (data) => data);
    clock.advance(10_000);
    await expect(asked).rejects.toBeInstanceOf(RpcSilence);
    emit({ cmd: 'SLOW', nonce: sent[1]?.message.nonce, data: 1 });
    expect(closed).toEqual([]);
  });

  test('that wait when the connection ends reject, and so do later ones', async () => {
    const { rpc, hangUp, closed } = await connected();
    const asked = rpc.request({ cmd: 'X' }, (data) => data);
    hangUp();
    await expect(asked).rejects.toThrow('it closed the connection');
    await expect(rpc.request({ cmd: 'Y' }, (data) => data)).rejects.toThrow('it closed the connection');
    expect(closed).toEqual(['it closed the connection']);
  });

  test('see their reply before the events that came after it in the same bytes', async () => {
    const { rpc, sent, give, received } = await connected();
    const asked = rpc.request({ cmd: 'X' }, () => received.length);
    const reply = encodeFrame(1, JSON.stringify({ cmd: 'X', nonce: sent[1]?.message.nonce, data: null }));
    give(Buffer.concat([encodeFrame(1, JSON.stringify(event(1))), reply, encodeFrame(1, JSON.stringify(event(2)))]));
    expect(await asked).toBe(1);
    expect(received).toHaveLength(2);
  });
});

test('a ping is answered with the same payload', async () => {
  const { sent, give } = await connected();
  give(encodeFrame(opcodes.ping, '{"n":7}'));
  expect(sent.at(-1)).toEqual({ opcode: opcodes.pong, message: { n: 7 } });
});

test('closing the connection is not reported', async () => {
  const { controller, closed, isOpen } = await connected();
  controller.abort();
  expect(isOpen()).toBe(false);
  expect(closed).toEqual([]);
});

describe('an RPC stream that is cut', () => {
  const messages = [ready, event(1), event(2), { cmd: 'UNKNOWN', data: '😀' }, event(3)];
  const stream = Buffer.concat([
    ...messages.map((message) => encodeFrame(opcodes.frame, JSON.stringify(message))),
    encodeFrame(opcodes.ping, '{}'),
  ]);

  test('into any number of pieces gives the same frames', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 30 }), async (places) => {
        const end = line();
        await tick();
        const ends = [...places].sort((a, b) => a - b);
        for (const [index, place] of [...ends, stream.length].entries())
          end.give(stream.subarray(ends[index - 1] ?? 0, place));
        await end.opening;
        expect(end.received).toEqual([1, 2, 3].map((n) => ['SPEAKING_START', { n }]));
      }),
    );
  });

  test('at every byte gives the complete frames and then fails, once', async () => {
    for (let length = 0; length < stream.length; length += 1) {
      const end = line();
      await tick();
      end.give(stream.subarray(0, length));
      end.hangUp();
      end.hangUp();
      const problem = await end.opening.then(
        () => null,
        (error: unknown) => error,
      );
      expect(end.closed.length + (problem === null ? 0 : 1)).toBe(1);
    }
  });

  test('by junk at any byte ends in an error at most, never in a throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(stream.length), fc.uint8Array({ minLength: 1, maxLength: 64 }), async (place, junk) => {
        const end = line();
        await tick();
        end.give(stream.subarray(0, place));
        end.give(junk);
        end.give(stream.subarray(place));
        end.hangUp();
        await end.opening.catch(() => {});
        expect(end.closed.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test.each([
    ['a frame that is too large', Buffer.from([1, 0, 0, 0, 1, 0, 0, 1]), '16777217 bytes'],
    ['another protocol', Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), 'unknown kind'],
    ['half of a message', Buffer.from(encodeFrame(1, '{"cmd":')), 'no JSON'],
    ['a list', Buffer.from(encodeFrame(1, '[]')), 'no message'],
  ])('by %s ends the connection with a reason', async (_what, bytes, sentence) => {
    const { give, closed, isOpen } = await connected();
    give(bytes);
    expect(closed).toHaveLength(1);
    expect(closed[0]).toContain(sentence);
    expect(isOpen()).toBe(false);
  });
});
