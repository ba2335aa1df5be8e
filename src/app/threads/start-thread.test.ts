import { expect, test } from 'bun:test';
import { until } from '../../../test/harness/until.ts';
import { startThread } from './start-thread.ts';

test('a thread that dies is reported once, with its error', async () => {
  const reasons: string[] = [];
  const events = { message: () => {}, failed: (reason: string) => void reasons.push(reason) };
  // The second one is started when the first has failed, and fails after the first has exited.
  await startThread('nothing', null, events);
  await until(() => reasons.length > 0, 'it has failed');
  await startThread('nothing either', null, events);
  await until(() => reasons.some((reason) => reason.includes('either')), 'the second one has failed');
  expect(reasons).toEqual(['there is no job nothing for a thread', 'there is no job nothing either for a thread']);
});

test('a job whose name has a dot is found in its feature, and one that no feature has is refused', async () => {
  const received: unknown[] = [];
  const reasons: string[] = [];
  const events = {
    message: (message: unknown) => void received.push(message),
    failed: (reason: string) => void reasons.push(reason),
  };
  const png = new Uint8Array([1, 2, 3]);
  const wish = { format: 'png', maxWidth: null, mostBytes: 1000 };
  const thread = await startThread('screen.picture', { picture: { png }, wish }, events);
  await until(() => received.length + reasons.length > 0, 'the job of the feature has answered');
  thread.end();
  expect(reasons).toEqual([]);
  expect(received).toEqual([{ problem: expect.any(String), tooLarge: false }]);
  await startThread('screen.nothing', null, events);
  await until(() => reasons.length > 0, 'the unknown job has failed');
  expect(reasons).toEqual(['there is no job screen.nothing for a thread']);
});

test('a thread whose job has ended takes another one, and reports to that one alone', async () => {
  const log: unknown[] = [];
  const eventsOf = (name: string) => ({
    message: (message: unknown) => void log.push([name, typeof message]),
    failed: (reason: string) => void log.push([name, reason]),
  });
  const wish = { format: 'png', maxWidth: null, mostBytes: 1000 };
  const order = { picture: { png: new Uint8Array([1, 2, 3]) }, wish };
  const thread = await startThread('screen.picture', order, eventsOf('first'));
  await until(() => log.length === 1, 'the first job has answered');
  let isFree = false;
  thread.free(() => {
    isFree = true;
  });
  await until(() => isFree, 'the thread is free');
  thread.take('screen.picture', order, eventsOf('second'));
  await until(() => log.length === 2, 'the second job has answered');
  thread.take('nothing', null, eventsOf('third'));
  await until(() => log.length === 3, 'the third job has failed');
  expect(log).toEqual([
    ['first', 'object'],
    ['second', 'object'],
    ['third', 'there is no job nothing for a thread'],
  ]);
});
