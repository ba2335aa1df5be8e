import { expect, test } from 'bun:test';
import type { Thread, ThreadEvents } from '../../lib/thread.ts';
import { createWindowsMessages, type WindowsEvent } from './messages.ts';

/** The thread with the window, as the test plays it. */
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

test('one window serves all who follow, and is woken to end with the last of them', async () => {
  const { messages, started, woken } = played();
  const heard: [string, WindowsEvent][] = [];
  const following = [
    messages.follow((event) => heard.push(['a', event])),
    messages.follow((event) => heard.push(['b', event])),
  ];
  started[0]?.events.message({ window: 77 });
  const [leaveA, leaveB] = await Promise.all(following);
  expect(started).toHaveLength(1);
  started[0]?.events.message('sleep');
  leaveA?.();
  started[0]?.events.message('resume');
  expect(heard).toEqual([
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

test('while the session ends the window stays, so that Windows waits for us', async () => {
  const { messages, started, woken } = played();
  const heard: WindowsEvent[] = [];
  const following = messages.follow((event) => heard.push(event));
  started[0]?.events.message({ window: 77 });
  await following;
  started[0]?.events.message('session-end');
  messages.close();
  await settle();
  expect(heard).toEqual(['session-end']);
  expect([woken, started[0]?.shared[1], started[0]?.isEnded]).toEqual([[], 0, false]);
});

test('who wants Windows to wait is counted where the window sees it, also before there is one', async () => {
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

test('a thread that fails is told to those who follow and those who begin to, and the next one begins another', async () => {
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
  expect(refused).rejects.toThrow("Windows' messages cannot be heard: no desktop");
  await refused.catch(() => {});
  void messages.follow(() => {});
  expect(started).toHaveLength(3);
});
