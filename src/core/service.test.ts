import { expect, test } from 'bun:test';
import { z } from 'zod';
import { callerWith, fakeAgents } from '../../test/harness/agents.ts';
import type { Scope } from '../access/scopes.ts';
import { type ActionDefinition, defineAction } from './action.ts';

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
