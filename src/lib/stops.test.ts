import { expect, mock, test } from 'bun:test';
import { stopAll, stopOnceBegun } from './stops.ts';

test('all are stopped', () => {
  const stopped: string[] = [];
  stopAll([() => stopped.push('one'), () => stopped.push('other')])();
  expect(stopped).toEqual(['one', 'other']);
});

test('what has begun is stopped at once', async () => {
  const begun = mock();
  const stop = stopOnceBegun(Promise.resolve(begun));
  await Promise.resolve();
  stop();
  expect(begun).toHaveBeenCalledTimes(1);
});

test('what begins later is stopped then; a failed beginning needs no stop', async () => {
  const begun = mock();
  const { promise, resolve } = Promise.withResolvers<() => void>();
  stopOnceBegun(promise)();
  resolve(begun);
  await promise;
  expect(begun).toHaveBeenCalledTimes(1);
  stopOnceBegun(Promise.reject(new Error('no bus')))();
  await Promise.resolve();
});
