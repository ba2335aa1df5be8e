import { expect, test } from 'bun:test';
import { z } from 'zod';
import { callerWith, fakeAgents } from '../../test/harness/agents.ts';
import { budgets } from '../access/limits/budgets.ts';
import type { Scope } from '../access/scopes.ts';
import { type ActionContext, type ActionDefinition, defineAction } from './action.ts';

/** An action whose result comes when the test wants. */
function slow(effect: 'read' | 'write') {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const action = defineAction<object, object>({
    name: `slow.${effect}`,
    description: 'Takes as long as another program likes',
    input: async () => z.object({}),
    output: async () => z.object({}),
    scopes: ['clipboard'],
    effect,
    example: {},
    wire: { event: 'SLOW', reply: 'SLOW_DONE' },
    unavailable: async () => null,
    async run() {
      begun.resolve();
      await answer.promise;
      return { message: '', data: { text: 'copied after the token was revoked' } };
    },
  });
  return { action: action as ActionDefinition, begun: begun.promise, answer: answer.resolve };
}

test.each<[string, readonly Scope[] | null]>([
  ['was revoked', null],
  ['lost the scope', ['read']],
])('the action does not read for a token that %s while it waited', async (_what, left) => {
  const { action, begun, answer } = slow('read');
  const agents = fakeAgents({ actions: [action] });
  const reading = agents.service.perform(action, {}, callerWith(['read', 'clipboard']));
  await begun;
  agents.grant(left);
  answer();
  await expect(reading).rejects.toMatchObject({ code: 'unauthorized' });
  await agents.close();
});

test('an action may hold what it needs for later messages without holding its input', async () => {
  const held: unknown[] = [];
  const action = {
    ...slow('write').action,
    input: async () => z.looseObject({}),
    async run(_input: unknown, { notify, host, settings }: ActionContext) {
      held.push({ notify, host, settings });
      return { message: '', data: {} };
    },
  };
  const agents = fakeAgents({ actions: [action] });
  const inputs: WeakRef<object>[] = [];
  const perform = async () => {
    const input = { picture: 'large' };
    inputs.push(new WeakRef(input));
    await agents.service.perform(action, input, callerWith(['clipboard']));
  };
  for (let count = 0; count < 20; count++) await perform();
  await new Promise((resolve) => setTimeout(resolve, 5));
  Bun.gc(true);
  expect(held).toHaveLength(20);
  // The collector may find a few on the stack.
  expect(inputs.filter((each) => each.deref() !== undefined).length).toBeLessThan(5);
  await agents.close();
});

test('a caller learns of an accepted input before the action runs, and of none that is refused', async () => {
  const action = {
    ...slow('write').action,
    input: async () => z.object({ text: z.string() }),
    run: async () => ({ message: '', data: {} }),
  };
  const agents = fakeAgents({ actions: [action] });
  const accepted: object[] = [];
  const perform = (input: object, scopes: Scope[]) =>
    agents.service.perform(action, input, callerWith(scopes), { starting: (checked) => void accepted.push(checked) });
  await perform({ text: 'a', other: 1 }, ['clipboard']);
  await expect(perform({ text: 1 }, ['clipboard'])).rejects.toMatchObject({ code: 'invalid' });
  await expect(perform({ text: 'b' }, ['read'])).rejects.toMatchObject({ code: 'forbidden' });
  expect(accepted).toEqual([{ text: 'a' }]);
  await agents.close();
});

test('a completed change is reported although the token was revoked', async () => {
  const { action, begun, answer } = slow('write');
  const agents = fakeAgents({ actions: [action] });
  const writing = agents.service.perform(action, {}, callerWith(['clipboard']));
  await begun;
  agents.grant(null);
  answer();
  expect((await writing).data).toEqual({ text: 'copied after the token was revoked' });
  await agents.close();
});

test('the browser sessions of a token have the places of one token', async () => {
  const { action, answer } = slow('write');
  const agents = fakeAgents({ actions: [action] });
  const perform = (tokenId: string, shareId: string) =>
    agents.service.perform(action, {}, { ...callerWith(['clipboard'], tokenId), shareId });
  const most = budgets.all.actions / 2;
  const outcomes = Promise.allSettled([
    ...Array.from({ length: most + 1 }, (_, index) => perform(`browser-${index}`, 'one')),
    perform('browser-x', 'two'),
  ]);
  answer();
  const statuses = (await outcomes).map(({ status }) => status);
  expect(statuses).toEqual([...Array(most).fill('fulfilled'), 'rejected', 'fulfilled']);
  await agents.close();
});

test('a token gets half of the places for running actions, another is still served, and what ends something is never refused', async () => {
  const { action, answer } = slow('write');
  const agents = fakeAgents({ actions: [action] });
  const perform = (tokenId: string, made = action) =>
    agents.service.perform(made, {}, callerWith(['clipboard'], tokenId));
  const most = budgets.all.actions / 2;
  const outcomes = Promise.allSettled([...Array.from({ length: most + 1 }, () => perform('one')), perform('two')]);
  const cancel = { ...action, duringPause: true, run: async () => ({ message: '', data: {} }) };
  await perform('one', cancel);
  answer();
  const statuses = (await outcomes).map(({ status }) => status);
  expect(statuses).toEqual([...Array(most).fill('fulfilled'), 'rejected', 'fulfilled']);
  await expect(perform('one')).resolves.toMatchObject({ message: '' });
  await agents.close();
});
