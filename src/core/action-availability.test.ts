import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { defaultSettings } from '../features/index.ts';
import { createActionLooks } from './action-availability.ts';

function machine() {
  const host = fakeHost();
  let settings = defaultSettings;
  const { context } = fakeActionContext(host, { settings: () => settings });
  const looked: PromiseWithResolvers<string | null>[] = [];
  const unavailable = () => {
    const look = Promise.withResolvers<string | null>();
    looked.push(look);
    return look.promise;
  };
  const change = () => {
    settings = { ...settings };
  };
  return { host, looked, action: { unavailable }, sibling: { unavailable }, change, ask: createActionLooks(context) };
}

test('a hundred who ask at once are one look, for all actions that look in the same way', async () => {
  const { looked, action, sibling, ask } = machine();
  const answers = Array.from({ length: 100 }, (_, index) => ask(index % 2 === 0 ? action : sibling));
  expect(looked).toHaveLength(1);
  looked[0]?.resolve('no pointer');
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['no pointer']));
});

test('an answer is good for a second, and changed settings count at once', async () => {
  const { host, looked, action, ask, change } = machine();
  const first = ask(action);
  looked[0]?.resolve(null);
  await first;
  host.clock.advance(999);
  expect(await ask(action)).toBeNull();
  expect(looked).toHaveLength(1);
  host.clock.advance(1);
  void ask(action);
  expect(looked).toHaveLength(2);
  change();
  void ask(action);
  expect(looked).toHaveLength(3);
});

test('one that hangs or fails does not stand in the way of the next', async () => {
  const { host, looked, action, ask } = machine();
  void ask(action);
  host.clock.advance(10_000);
  const second = ask(action);
  expect(looked).toHaveLength(2);
  looked[1]?.reject(new Error('lost'));
  await expect(second).rejects.toThrow('lost');
  void ask(action);
  expect(looked).toHaveLength(3);
});
