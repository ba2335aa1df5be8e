import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { ThreadEvents } from '../../lib/thread.ts';
import type { ThreadCall } from '../../lib/thread-calls.ts';
import { createHangingFiles } from './contained.hanging.ts';
import { createLine, type FromLineThread, silentAfterMs, type ToLineThread } from './contained.thread-protocol.ts';

/** A thread whose answers the test sends. */
function fakeThread() {
  const asked: ToLineThread[] = [];
  let started = 0;
  let ended = 0;
  let lastId = 0;
  let events: ThreadEvents = { message() {}, failed() {} };
  return {
    asked,
    starts: () => started,
    endings: () => ended,
    answer: (value: FromLineThread) => events.message({ id: lastId, value }),
    refuse: (problem: string) => events.message({ id: lastId, problem, code: null }),
    fail: (why: string) => events.failed(why),
    async start(_job: string, _data: unknown, given: ThreadEvents) {
      started += 1;
      events = given;
      return {
        send(message: unknown) {
          const { id, request } = message as ThreadCall;
          lastId = id;
          asked.push(request as ToLineThread);
        },
        end() {
          ended += 1;
        },
      };
    },
  };
}

const facts = {
  realName: 'a.mp3',
  realPath: '/nas/a.mp3',
  realInside: 'x',
  user: 0,
  group: 0,
  identities: [],
  kind: 'file' as const,
  size: 3,
  modifiedMs: 0,
  mode: 0o100644,
  version: 'v',
};
const find = { call: 'find', base: '/nas', relative: 'a.mp3' } as const;
/** Runs all pending microtasks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function line() {
  const clock = fakeClock();
  const thread = fakeThread();
  let gone = 0;
  const made = createLine(clock, thread.start, 'contained', () => {
    gone += 1;
  });
  const calls = () => thread.asked.map(({ call }) => call).join(' ');
  return { clock, thread, line: made, calls, gone: () => gone };
}

describe('a thread that may hang', () => {
  test('gets one request at a time', async () => {
    const { line: asking, thread, calls } = line();
    const first = asking.ask(find);
    const second = asking.ask({ call: 'open', of: first.id });
    asking.close(first.id);
    await settle();
    expect(calls()).toBe('find');
    thread.answer({ facts });
    expect(await first.reply).toEqual({ facts });
    await settle();
    thread.answer({});
    expect(await second.reply).toEqual({});
    await settle();
    expect(calls()).toBe('find open close');
  });

  test('is silent after the limit, and later requests are answered at once without being sent', async () => {
    const { line: asking, thread, clock, calls } = line();
    const first = asking.ask(find).reply;
    await settle();
    clock.advance(silentAfterMs - 1);
    const second = asking.ask(find).reply;
    clock.advance(1);
    expect(await first).toEqual({ problem: 'silent' });
    for (let time = 0; time < 100; time += 1) expect(await asking.ask(find).reply).toEqual({ problem: 'silent' });
    clock.advance(silentAfterMs);
    expect(await second).toEqual({ problem: 'silent' });
    expect(calls()).toBe('find');
    thread.answer({ problem: 'missing' });
    await settle();
    expect(calls()).toBe('find');
    const again = asking.ask(find).reply;
    await settle();
    thread.answer({ facts });
    expect(await again).toEqual({ facts });
  });

  test.each(['find', 'open'] as const)(
    'closes what it found after the caller has stopped waiting: %s',
    async (call) => {
      const { line: asking, thread, clock } = line();
      const { id, reply } = asking.ask(call === 'find' ? find : { call, of: 7 });
      await settle();
      clock.advance(silentAfterMs);
      await reply;
      thread.answer(call === 'find' ? { facts } : {});
      await settle();
      expect(thread.asked).toEqual([
        expect.objectContaining({ call }),
        expect.objectContaining({ call: 'close', of: id }),
      ]);
    },
  );

  test('closes nothing when nothing was found late', async () => {
    const { line: asking, thread, clock, calls } = line();
    const { reply } = asking.ask(find);
    await settle();
    clock.advance(silentAfterMs);
    await reply;
    thread.answer({ problem: 'missing' });
    await settle();
    expect(calls()).toBe('find');
  });

  test('is slow, not silent, as long as it answers one after the other', async () => {
    const { line: asking, thread, clock } = line();
    const pieces = [1, 2, 3].map(() => asking.ask({ call: 'read', of: 1, start: 0, end: 3 }, true).reply);
    await settle();
    for (const piece of pieces) {
      clock.advance(silentAfterMs - 1);
      thread.answer({ bytes: new Uint8Array(3) });
      expect((await piece).bytes).toHaveLength(3);
      await settle();
    }
    const last = asking.ask({ call: 'read', of: 1, start: 0, end: 3 }, true).reply;
    clock.advance(silentAfterMs - 1);
    const other = asking.ask(find).reply;
    await settle();
    thread.answer({ bytes: new Uint8Array(3) });
    await last;
    await settle();
    thread.answer({ facts });
    expect(await other).toEqual({ facts });
  });

  test('patient callers wait without a limit', async () => {
    const { line: asking, thread, clock } = line();
    const reply = asking.ask({ call: 'read', of: 1, start: 0, end: 3 }, true).reply;
    await settle();
    clock.advance(silentAfterMs * 100);
    const next = asking.ask({ call: 'read', of: 2, start: 0, end: 3 }, true).reply;
    thread.answer({ bytes: new Uint8Array(3) });
    expect((await reply).bytes).toHaveLength(3);
    await settle();
    thread.answer({ bytes: new Uint8Array(2) });
    expect((await next).bytes).toHaveLength(2);
  });

  test('ends when it was idle for a while and has nothing open', async () => {
    const { line: asking, thread, clock, gone } = line();
    const { id } = asking.ask(find);
    await settle();
    thread.answer({ facts });
    await settle();
    clock.advance(3_600_000);
    expect(asking.isIdle()).toBe(false);
    asking.close(id);
    await settle();
    thread.answer({});
    await settle();
    expect(asking.isIdle()).toBe(true);
    expect(gone()).toBe(0);
    clock.advance(30_000);
    await settle();
    expect([gone(), thread.endings()]).toEqual([1, 1]);
  });

  test('that fails rejects its request, and the next one starts another thread', async () => {
    const { line: asking, thread, gone } = line();
    const [first, second] = [asking.ask(find).reply, asking.ask(find).reply];
    await settle();
    thread.fail('out of memory');
    await expect(first).rejects.toThrow('out of memory');
    await settle();
    expect(thread.starts()).toBe(2);
    thread.answer({ facts });
    expect(await second).toEqual({ facts });
    expect(gone()).toBe(0);
  });

  test('that failed ends once, after what was open in it has been closed', async () => {
    const { line: asking, thread, clock, gone } = line();
    const found = asking.ask(find);
    await settle();
    thread.answer({ facts });
    await found.reply;
    thread.fail('out of memory');
    const read = asking.ask({ call: 'read', of: found.id, start: 0, end: 1 }, true).reply;
    await settle();
    thread.answer({ problem: 'missing' });
    expect(await read).toEqual({ problem: 'missing' });
    asking.close(found.id);
    await settle();
    thread.answer({});
    await settle();
    clock.advance(3_600_000);
    await settle();
    expect([gone(), thread.endings()]).toEqual([1, 1]);
  });

  test('survives a failed request', async () => {
    const { line: asking, thread, gone } = line();
    const { reply } = asking.ask(find);
    await settle();
    thread.refuse('EIO: i/o error');
    await expect(reply).rejects.toThrow('i/o error');
    expect(gone()).toBe(0);
  });

  test('that does not start is an error', async () => {
    const asking = createLine(
      fakeClock(),
      () => Promise.reject(new Error('no such file')),
      'contained',
      () => {},
    );
    await expect(asking.ask(find).reply).rejects.toThrow('no such file');
  });
});

describe('threads', () => {
  const many = async () => {
    const clock = fakeClock();
    const threads: ReturnType<typeof fakeThread>[] = [];
    const hanging = createHangingFiles(
      clock,
      (...given) => {
        const thread = fakeThread();
        threads.push(thread);
        return thread.start(...given);
      },
      'contained',
    );
    const waiting = [1, 2, 3, 4, 5, 6, 7, 8].map((mount) => hanging.find(`/mnt/${mount}`, `/mnt/${mount}`, 'a.mp3'));
    await settle();
    return { hanging, threads, waiting };
  };

  test('one a mount', async () => {
    const { hanging, threads } = await many();
    void hanging.find('/mnt/1', '/mnt/1/deeper', 'b.mp3');
    expect(threads).toHaveLength(8);
  });

  test('are limited in number', async () => {
    const { hanging, threads } = await many();
    expect(await hanging.find('/mnt/9', '/mnt/9', 'a.mp3')).toBe('crowded');
    expect(threads).toHaveLength(8);
  });

  test('that are idle make room for others', async () => {
    const { hanging, threads, waiting } = await many();
    threads[3]?.answer({ problem: 'missing' });
    expect(await waiting[3]).toBe('missing');
    void hanging.find('/mnt/9', '/mnt/9', 'a.mp3');
    await settle();
    expect(threads.map((thread) => thread.endings())).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 0]);
  });
});
