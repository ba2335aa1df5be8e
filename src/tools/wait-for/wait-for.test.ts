import { expect, test } from 'bun:test';
import { type GivenContext, toolContext } from '../../../test/harness/tool-context.ts';
import { until } from '../../../test/harness/until.ts';
import { waitFor } from './wait-for.ts';

const begin = async (given: GivenContext, words: Record<string, unknown>) => {
  const input = (await waitFor.input(given.context.modules)).parse({
    module: 'cpu',
    field: 'usage',
    op: 'lt',
    value: 10,
    ...words,
  });
  return waitFor.run(input, given.context);
};
const waiting = (given: GivenContext) => until(() => given.listening('cpu') === 1, 'it listens');

test('a condition that already holds is answered at once, without a subscription', async () => {
  const given = toolContext({ cpu: { usage: 5 } });
  expect(await begin(given, {})).toEqual({ met: true, value: 5, waited_s: 0 });
  expect(given.listening('cpu')).toBe(0);
});

test('a wait ends with the change, reports progress, and unsubscribes', async () => {
  const given = toolContext({ cpu: { usage: 50 } });
  const answer = begin(given, {});
  await waiting(given);
  given.clock.advance(5000);
  given.say('cpu', { usage: 30 });
  given.clock.advance(2000);
  given.say('cpu', { usage: 9 });
  expect(await answer).toEqual({ met: true, value: 9, waited_s: 7 });
  expect(given.reported.map(({ done }) => done)).toEqual([0, 5]);
  expect(given.listening('cpu')).toBe(0);
  expect(given.clock.advanceToNext()).toBe(false);
});

test('a timeout returns the last value', async () => {
  const given = toolContext({ cpu: { usage: 50 } });
  const answer = begin(given, { timeout_seconds: 3 });
  await waiting(given);
  given.say('cpu', { usage: 40 });
  given.clock.advance(3000);
  expect(await answer).toEqual({ met: false, value: 40, waited_s: 3 });
  expect(given.listening('cpu')).toBe(0);
});

test('a client that disconnects ends the wait', async () => {
  const given = toolContext({ cpu: { usage: 50 } });
  const answer = begin(given, {}).catch((error) => error.message);
  await waiting(given);
  given.cancel();
  expect(await answer).toContain('cancelled');
  expect(given.listening('cpu')).toBe(0);
  expect(given.clock.advanceToNext()).toBe(false);
});

test.each([
  [{ op: 'le', value: 50 }, true],
  [{ op: 'gt', value: 50 }, false],
  [{ op: 'ge', value: 50 }, true],
  [{ op: 'ne', value: 50 }, false],
  [{ op: 'eq', value: 50 }, true],
  [{ field: 'name', op: 'contains', value: 'CORTEX' }, true],
  [{ field: 'cores.usage', op: 'gt', value: 90 }, true],
  [{ field: 'cores.0.usage', op: 'gt', value: 90 }, false],
])('the condition %j', async (words, met) => {
  const given = toolContext({ cpu: { usage: 50, name: 'Cortex-A72', cores: [{ usage: 1 }, { usage: 99 }] } });
  const answer = begin(given, { timeout_seconds: 1, ...words });
  if (!met) {
    await waiting(given);
    given.clock.advance(1000);
  }
  expect((await answer).met).toBe(met);
});

test('invalid input is refused before the wait', async () => {
  const given = toolContext({ cpu: { usage: 50 } });
  await expect(begin(given, { field: 'load' })).rejects.toThrow('cpu has no field "load"; available: usage');
  await expect(begin(given, { value: 'ten' })).rejects.toThrow('value must be a number for lt');
});

test.each(['temperature', 'cores.0.temperature', 'cores[].temperature'])(
  '%s is null with its reason',
  async (field) => {
    const given = toolContext({ cpu: { temperature: null, cores: [{ temperature: null }] } });
    const reasons = [
      { field: 'temperature', reason: 'no sensor', mendable: false },
      { field: 'cores[].temperature', reason: 'no sensor', mendable: false },
      { field: 'temp', reason: 'something else', mendable: false },
    ];
    const { read } = given.context;
    given.context.read = async (module) => ({ ...(await read(module)), reasons });
    const answer = begin(given, { field, timeout_seconds: 1 });
    await waiting(given);
    given.clock.advance(1000);
    expect(await answer).toMatchObject({ value: null, why_null: [{ fields: ['value'], reason: 'no sensor' }] });
  },
);
