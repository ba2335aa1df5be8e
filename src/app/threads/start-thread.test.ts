import { expect, test } from 'bun:test';
import { until } from '../../../test/harness/until.ts';
import { startThread } from './start-thread.ts';

test('a thread that dies says so once, with what it died of', async () => {
  const reasons: string[] = [];
  const events = { message: () => {}, failed: (reason: string) => void reasons.push(reason) };
  // The second one is started when the first has failed, and fails after the first has exited.
  await startThread('nothing', null, events);
  await until(() => reasons.length > 0, 'it has failed');
  await startThread('nothing either', null, events);
  await until(() => reasons.some((reason) => reason.includes('either')), 'the second one has failed');
  expect(reasons).toEqual(['there is no job nothing for a thread', 'there is no job nothing either for a thread']);
});
