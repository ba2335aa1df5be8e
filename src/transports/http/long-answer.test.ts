import { expect, test } from 'bun:test';
import { callerWith } from '../../../test/harness/agents.ts';
import { createClock } from '../../host/clock.ts';
import { asLongList, createSendLong } from './long-answer.ts';

const around = ['{"data":', '}'] as const;
const select = async (list: readonly object[]) => list;
const list = Array.from({ length: 5000 }, (_, index) => ({ name: `\u{1f600}"${index}`.repeat(20), index }));

/** A clock whose long timers end when the test wants. */
function createTest() {
  const late = new Set<() => void>();
  const clock = createClock();
  const send = createSendLong({
    ...clock,
    after(ms, callback) {
      if (ms < 1000) return clock.after(ms, callback);
      late.add(callback);
      return () => late.delete(callback);
    },
  });
  const expire = () => {
    for (const callback of [...late]) callback();
  };
  return { send, expire, pending: () => late.size };
}

test('only long lists are meant', () => {
  expect([{}, [], null, 'text', list.slice(0, 1000)].map(asLongList)).toEqual([null, null, null, null, null]);
  expect(asLongList(list)).toBe(list);
});

test('the text is that of JSON.stringify, and what was selected', async () => {
  const { send, pending } = createTest();
  const whole = await send(callerWith(), list, { select, around });
  expect(await whole.text()).toBe(JSON.stringify({ data: list }));
  const part = await send(callerWith(), list, { select: async (all) => all.slice(0, 2), around });
  expect(await part.json()).toEqual({ data: list.slice(0, 2) });
  expect(pending()).toBe(0);
});

test('a token has half of the places, until its client has read, left or stalled', async () => {
  const { send, expire } = createTest();
  const ask = (tokenId: string) => send(callerWith(['files'], tokenId), list, { select, around });
  const held = await Promise.all(Array.from({ length: 8 }, () => ask('one')));
  const refused = () => expect(ask('one')).rejects.toMatchObject({ code: 'rate_limited' });
  await refused();
  const other = await ask('two');
  await other.body?.cancel();
  await held[0]?.text();
  await held[1]?.body?.cancel();
  held.push(await ask('one'), await ask('one'));
  await refused();
  expire();
  await expect(held[2]?.text()).rejects.toThrow('does not read');
  expect(await (await ask('one')).json()).toHaveProperty('data.4999.index', 4999);
});

test('a list takes places by its length, so that one token keeps two of the longest at most', async () => {
  const { send } = createTest();
  const longest = new Array(100_000).fill({});
  const ask = (tokenId: string) => send(callerWith(['files'], tokenId), longest, { select: async () => list, around });
  const held = await Promise.all([ask('one'), ask('one')]);
  await expect(ask('one')).rejects.toMatchObject({ code: 'rate_limited' });
  const other = await ask('two');
  await other.body?.cancel();
  await held[0]?.body?.cancel();
  await (await ask('one')).body?.cancel();
});

test('a selection that fails gives its place back', async () => {
  const { send } = createTest();
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
