import { describe, expect, test } from 'bun:test';
import type { Thread, ThreadEvents } from '../../lib/thread.ts';
import { createWindowsMessages, sharedNumbers, type WindowsEvent } from './messages.ts';

/** The test plays the thread with the window. */
function played() {
  const started: { shared: Int32Array; events: ThreadEvents; isEnded: boolean }[] = [];
  const woken: number[] = [];
  const start = async (_job: string, shared: unknown, events: ThreadEvents): Promise<Thread> => {
    const one = { shared: new Int32Array(shared as SharedArrayBuffer), events, isEnded: false };
    started.push(one);
    return {
      send: () => {},
      async end() {
        one.isEnded = true;
      },
    };
  };
  const messages = createWindowsMessages(start as never, async (window) => void woken.push(window));
  return { messages, started, woken };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('one window serves all followers, and is woken to end with the last of them', async () => {
  const { messages, started, woken } = played();
  const received: [string, WindowsEvent][] = [];
  const following = [
    messages.follow((event) => received.push(['a', event])),
    messages.follow((event) => received.push(['b', event])),
  ];
  started[0]?.events.message({ window: 77 });
  const [leaveA, leaveB] = await Promise.all(following);
  expect(started).toHaveLength(1);
  started[0]?.events.message('sleep');
  leaveA?.();
  started[0]?.events.message('resume');
  expect(received).toEqual([
    ['a', 'sleep'],
    ['b', 'sleep'],
    ['b', 'resume'],
  ]);
  expect(woken).toEqual([]);
  leaveB?.();
  await settle();
  await settle();
  expect([woken, started[0]?.shared[1], started[0]?.isEnded]).toEqual([[77], 1, true]);
});

test('the window stays open while the session ends, so that Windows waits for the process', async () => {
  const { messages, started, woken } = played();
  const received: WindowsEvent[] = [];
  const following = messages.follow((event) => received.push(event));
  started[0]?.events.message({ window: 77 });
  await following;
  started[0]?.events.message('session-end');
  messages.close();
  await settle();
  expect(received).toEqual(['session-end']);
  expect([woken, started[0]?.shared[1], started[0]?.isEnded]).toEqual([[], 0, false]);
});

test('delays are counted in the shared memory, also those from before the window was opened', async () => {
  const { messages, started } = played();
  const first = messages.delay();
  const following = messages.follow(() => {});
  started[0]?.events.message({ window: 1 });
  await following;
  const second = messages.delay();
  expect(started[0]?.shared[0]).toBe(2);
  first();
  first();
  expect(started[0]?.shared[0]).toBe(1);
  second();
  expect(started[0]?.shared[0]).toBe(0);
});

test('the failure of a thread is reported to current and starting followers, and the next follower starts another thread', async () => {
  const { messages, started } = played();
  const lost: string[] = [];
  const following = messages.follow(
    () => {},
    () => lost.push('lost'),
  );
  started[0]?.events.message({ window: 1 });
  await following;
  started[0]?.events.failed('it broke');
  expect(lost).toEqual(['lost']);
  const refused = messages.follow(() => {});
  started[1]?.events.failed('no desktop');
  expect(refused).rejects.toThrow('The messages of Windows cannot be received: no desktop');
  await refused.catch(() => {});
  void messages.follow(() => {});
  expect(started).toHaveLength(3);
});

test('a thread that cannot be started rejects, and the next follower tries again', async () => {
  let started = 0;
  const messages = createWindowsMessages(
    async () => {
      started += 1;
      throw new Error('too many threads');
    },
    async () => {},
  );
  for (const tries of [1, 2]) {
    await expect(messages.follow(() => {})).rejects.toThrow('cannot be received: too many threads');
    expect(started).toBe(tries);
  }
});

test('the late end of a replaced thread does not affect the next one', async () => {
  const { messages, started } = played();
  const first = messages.follow(() => {});
  started[0]?.events.message({ window: 1 });
  (await first)();
  const received: string[] = [];
  const second = messages.follow(
    (event) => received.push(event),
    () => received.push('lost'),
  );
  started[1]?.events.message({ window: 2 });
  await second;
  started[0]?.events.failed('exit code 1');
  started[1]?.events.message('sleep');
  expect(received).toEqual(['sleep']);
});

test('following again in the lost callback uses the next thread', async () => {
  const { messages, started } = played();
  const received: WindowsEvent[] = [];
  const receive = (event: WindowsEvent) => received.push(event);
  const followed: Promise<() => void>[] = [];
  followed.push(messages.follow(receive, () => followed.push(messages.follow(receive))));
  started[0]?.events.message({ window: 1 });
  await followed[0];
  started[0]?.events.failed('it broke');
  started[1]?.events.message({ window: 2 });
  const leave = await followed[1];
  started[1]?.events.message('sleep');
  expect(received).toEqual(['sleep']);
  leave?.();
  await settle();
  expect(started.map(({ isEnded }) => isEnded)).toEqual([false, true]);
});

describe('the clipboard of Windows', () => {
  const wanted = ({ started }: ReturnType<typeof played>) => started.at(-1)?.shared[sharedNumbers.clipboard] ?? 0;
  /** The thread replies to its order. */
  const reply = (machine: ReturnType<typeof played>, listens = true) =>
    machine.started.at(-1)?.events.message({ order: wanted(machine), listens });
  const begin = async () => {
    const machine = played();
    const following = machine.messages.follow(() => {});
    machine.started[0]?.events.message({ window: 77 });
    await following;
    return machine;
  };
  const nothing = () => {};

  test('is followed only while there are listeners, and only they are called', async () => {
    const machine = await begin();
    const { messages, started, woken } = machine;
    const received: string[] = [];
    started[0]?.events.message({ copied: true });
    expect(wanted(machine)).toBe(0);
    const both = Promise.all(['a', 'b'].map((name) => messages.followClipboard(() => received.push(name), nothing)));
    await settle();
    expect(wanted(machine)).toBeGreaterThan(0);
    expect(woken).toEqual([77]);
    reply(machine);
    const [leaveA, leaveB] = await both;
    started[0]?.events.message({ copied: true });
    leaveA?.();
    leaveA?.();
    started[0]?.events.message({ copied: true });
    expect(received).toEqual(['a', 'b', 'b']);
    expect(wanted(machine)).toBeGreaterThan(0);
    leaveB?.();
    await settle();
    expect([wanted(machine), woken, started[0]?.isEnded]).toEqual([0, [77, 77], false]);
  });

  test('a reply to an earlier order is ignored', async () => {
    const machine = await begin();
    const first = machine.messages.followClipboard(nothing, nothing);
    await settle();
    const earlier = wanted(machine);
    reply(machine);
    (await first)();
    let began = false;
    const second = machine.messages.followClipboard(nothing, nothing).then(() => {
      began = true;
    });
    await settle();
    expect(wanted(machine)).not.toBe(earlier);
    machine.started[0]?.events.message({ order: earlier, listens: true });
    await settle();
    expect(began).toBe(false);
    reply(machine);
    await second;
  });

  test('a refusal of Windows rejects, and the next listener tries again', async () => {
    const machine = await begin();
    const refused = machine.messages.followClipboard(nothing, nothing);
    await settle();
    reply(machine, false);
    await expect(refused).rejects.toThrow('does not report changes to the clipboard');
    expect(wanted(machine)).toBe(0);
    const next = machine.messages.followClipboard(nothing, nothing);
    await settle();
    reply(machine);
    await next;
  });

  test('the failure of the thread is reported to current and starting listeners', async () => {
    const machine = await begin();
    const lost: string[] = [];
    const first = machine.messages.followClipboard(nothing, () => lost.push('first'));
    await settle();
    reply(machine);
    const leave = await first;
    machine.started[0]?.events.failed('it broke');
    expect(lost).toEqual(['first']);
    leave();
    const second = machine.messages.followClipboard(nothing, nothing);
    machine.started[1]?.events.message({ window: 78 });
    await settle();
    machine.started[1]?.events.failed('it broke again');
    await expect(second).rejects.toThrow('does not report changes');
  });
});
