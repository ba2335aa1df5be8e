import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { StartThread, ThreadEvents } from '../../lib/thread.ts';
import type { ThreadCall } from '../../lib/thread-calls.ts';
import { createNativeThreads } from './native-threads.ts';

/** A thread whose answers the test sends. */
function byHand() {
  const started: { job: string; data: unknown; events: ThreadEvents; asked: ThreadCall[]; ended: boolean }[] = [];
  const start: StartThread = async (job, data, events) => {
    const thread = { job, data, events, asked: [] as ThreadCall[], ended: false };
    started.push(thread);
    return {
      send: (message) => thread.asked.push(message as ThreadCall),
      end() {
        thread.ended = true;
      },
    };
  };
  return { started, start };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));

test('a call runs in the thread of its library, and returns its result or its error', async () => {
  const { started, start } = byHand();
  const audio = createNativeThreads(start, fakeClock()).of('coreaudio');
  const [good, bad] = [audio.devices(), audio.setVolume('x', 0.5)];
  await tick();
  const [thread] = started;
  expect(started.length).toBe(1);
  expect([thread?.job, thread?.data]).toEqual(['windows-native', 'coreaudio']);
  expect(thread?.asked.map(({ request }) => request)).toEqual([
    { method: 'devices', args: [] },
    { method: 'setVolume', args: ['x', 0.5] },
  ]);
  thread?.events.message({ id: 1, value: [] });
  thread?.events.message({ id: 2, problem: 'refused', code: null });
  expect(await good).toEqual([]);
  expect(bad).rejects.toThrow('refused');
});

test('a thread that does not answer is abandoned, and the next call starts another', async () => {
  const { started, start } = byHand();
  const clock = fakeClock();
  const audio = createNativeThreads(start, clock).of('coreaudio');
  const stuck = audio.devices().catch((error: Error) => error.message);
  await tick();
  clock.advance(8000);
  expect(await stuck).toBe('Windows did not answer within 8 s');
  await tick();
  expect(started[0]?.ended).toBeTrue();
  const next = audio.devices();
  await tick();
  started[1]?.events.message({ id: 2, value: [] });
  expect(await next).toEqual([]);
});

test('an idle thread is ended after a while', async () => {
  const { started, start } = byHand();
  const clock = fakeClock();
  const audio = createNativeThreads(start, clock).of('coreaudio');
  const asked = audio.devices();
  await tick();
  started[0]?.events.message({ id: 1, value: [] });
  await asked;
  clock.advance(30_000);
  await tick();
  expect(started[0]?.ended).toBeTrue();
  expect(clock.advanceToNext()).toBe(false);
});
