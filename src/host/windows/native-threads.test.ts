import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { StartThread, ThreadEvents } from '../../lib/thread.ts';
import { createNativeThreads, type NativeQuestion } from './native-threads.ts';

/** A thread that is answered by hand. */
function byHand() {
  const started: { job: string; data: unknown; events: ThreadEvents; asked: NativeQuestion[]; ended: boolean }[] = [];
  const start: StartThread = async (job, data, events) => {
    const thread = { job, data, events, asked: [] as NativeQuestion[], ended: false };
    started.push(thread);
    return {
      send: (message) => thread.asked.push(message as NativeQuestion),
      end() {
        thread.ended = true;
      },
    };
  };
  return { started, start };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a call goes into the thread of its library and comes back, or fails there', async () => {
  const { started, start } = byHand();
  const audio = createNativeThreads(start, fakeClock()).of('coreaudio');
  const [good, bad] = [audio.devices(), audio.setVolume('x', 0.5)];
  await turn();
  const [thread] = started;
  expect(started.length).toBe(1);
  expect([thread?.job, thread?.data]).toEqual(['windows-native', 'coreaudio']);
  expect(thread?.asked.map(({ method, args }) => [method, args])).toEqual([
    ['devices', []],
    ['setVolume', ['x', 0.5]],
  ]);
  thread?.events.message({ id: 0, value: [] });
  thread?.events.message({ id: 1, problem: 'refused' });
  expect(await good).toEqual([]);
  expect(bad).rejects.toThrow('refused');
});

test('one that does not answer is given up, and the next call begins another', async () => {
  const { started, start } = byHand();
  const clock = fakeClock();
  const audio = createNativeThreads(start, clock).of('coreaudio');
  const stuck = audio.devices().catch((error: Error) => error.message);
  await turn();
  clock.advance(8000);
  expect(await stuck).toBe('Windows did not answer within 8 s');
  await turn();
  expect(started[0]?.ended).toBeTrue();
  const next = audio.devices();
  await turn();
  started[1]?.events.message({ id: 1, value: [] });
  expect(await next).toEqual([]);
});

test('one that is not asked for a while is given back', async () => {
  const { started, start } = byHand();
  const clock = fakeClock();
  const audio = createNativeThreads(start, clock).of('coreaudio');
  const asked = audio.devices();
  await turn();
  started[0]?.events.message({ id: 0, value: [] });
  await asked;
  clock.advance(30_000);
  await turn();
  expect(started[0]?.ended).toBeTrue();
  expect(clock.advanceToNext()).toBe(false);
});
