import { expect, test } from 'bun:test';
import { callerWith } from '../../../test/harness/agents.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { createClock } from '../../host/clock.ts';
import { asLongList, createSendLong } from './long-answer.ts';
import { createUnreadAnswers } from './unread-answers.ts';

const around = ['{"data":', '}'] as const;
const select = async (list: readonly object[]) => list;
const list = Array.from({ length: 5000 }, (_, index) => ({ name: `\u{1f600}"${index}`.repeat(20), index }));

function createTest(unreadLength = 64 * 1024 * 1024) {
  const clock = createClock();
  return createSendLong(clock, createUnreadAnswers(clock, createUnreadBudget(unreadLength), createUnreadBudget(0)));
}

test('only long lists are meant', () => {
  expect([{}, [], null, 'text', list.slice(0, 1000)].map(asLongList)).toEqual([null, null, null, null, null]);
  expect(asLongList(list)).toBe(list);
});

test('the text is that of JSON.stringify, and what was selected', async () => {
  const send = createTest();
  const whole = await send(callerWith(), list, { select, around });
  expect(await whole.text()).toBe(JSON.stringify({ data: list }));
  const part = await send(callerWith(), list, { select: async (all) => all.slice(0, 2), around });
  expect(await part.json()).toEqual({ data: list.slice(0, 2) });
});

test('a token has half of the places for lists that wait for their texts, by their length', async () => {
  const send = createTest();
  const waiting = Promise.withResolvers<void>();
  const ask = (tokenId: string, length: number) =>
    send(callerWith(['files'], tokenId), new Array(length).fill({}), {
      select: () => waiting.promise.then(() => list),
      around,
    });
  const first = [ask('one', 100_000)];
  await expect(ask('one', 2000)).rejects.toMatchObject({ code: 'rate_limited' });
  const others = [ask('two', 2000), ask('two', 2000)];
  await expect(ask('two', 2000)).rejects.toMatchObject({ code: 'rate_limited' });
  waiting.resolve();
  for (const response of await Promise.all([...first, ...others])) await response.body?.cancel();
  expect(await (await ask('one', 100_000)).json()).toHaveProperty('data.4999.index', 4999);
});

test('a list that no client reads counts with its length, until it is read', async () => {
  const send = createTest(2.5 * JSON.stringify({ data: list }).length);
  const ask = () => send(callerWith(), list, { select, around });
  const held = await ask();
  await expect(ask()).rejects.toThrow('have not been read yet');
  await held.text();
  await (await ask()).text();
});

test('a selection that fails gives its place back', async () => {
  const send = createTest();
  for (let count = 0; count < 10; count++)
    await expect(
      send(callerWith(), list, {
        select: async () => {
          throw new Error('no such field');
        },
        around,
      }),
    ).rejects.toThrow('no such field');
});
