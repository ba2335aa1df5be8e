import { expect, test } from 'bun:test';
import { z } from 'zod';
import { callerWith, fakeAgents } from '../../../../test/harness/agents.ts';
import { createUnreadBudget } from '../../../access/limits/unread-budget.ts';
import { type ActionDefinition, defineAction } from '../../../core/action.ts';
import { keepJson } from '../../../core/json/prepared-json.ts';
import type { HttpRequest } from '../../../core/route-table.ts';
import { createClock } from '../../../host/clock.ts';
import { createSendLong } from '../long-answer.ts';
import { createUnreadAnswers } from '../unread-answers.ts';
import { actionRoutes } from './action-routes.ts';

/** An action that gives every caller the same result, and how often an entry of it was serialised. */
function sharing(length: number) {
  const written = { count: 0 };
  const entry = {
    name: 'a',
    toJSON() {
      written.count += 1;
      return { name: 'a' };
    },
  };
  const list = new Array(length).fill(entry);
  const data = length > 1000 ? list : keepJson(list);
  written.count = 0;
  const action = defineAction<object, object[]>({
    name: 'files.list',
    description: 'Lists',
    input: async () => z.object({}),
    output: async () => z.array(z.object({ name: z.string() })),
    scopes: ['files'],
    effect: 'read',
    example: {},
    wire: { event: 'LIST', reply: 'LISTED' },
    unavailable: async () => null,
    run: async () => ({ message: 'Done', data }),
  });
  return { action: action as ActionDefinition, written };
}

async function answersTo({ action }: ReturnType<typeof sharing>, count: number, rawQuery = '') {
  const agents = fakeAgents({ actions: [action] });
  const clock = createClock();
  const parts = {
    service: agents.service,
    callerOf: () => callerWith(),
    sendLong: createSendLong(clock, createUnreadAnswers(clock, createUnreadBudget(1_000_000), createUnreadBudget(0))),
  };
  const [[, methods] = []] = actionRoutes(action, parts);
  const raw = new Request('http://127.0.0.1/api/files/list', { method: 'POST' });
  const request = { raw, rawQuery, path: '', headers: raw.headers, unhurried() {} } as unknown as HttpRequest;
  const settled = await Promise.allSettled(Array.from({ length: count }, async () => await methods?.POST?.(request)));
  await agents.close();
  return settled.flatMap(({ status, ...rest }) => ('value' in rest && rest.value !== undefined ? [rest.value] : []));
}

test('a result that many callers share is serialised once', async () => {
  const shared = sharing(500);
  const answers = await answersTo(shared, 20);
  expect(answers).toHaveLength(20);
  expect(await answers[19]?.json()).toEqual({
    status: 'success',
    message: 'Done',
    data: new Array(500).fill({ name: 'a' }),
  });
  expect(shared.written.count).toBe(0);
});

test('of a long list that a token requests many times, some answers are sent', async () => {
  const shared = sharing(2000);
  const answers = await answersTo(shared, 20);
  expect(answers).toHaveLength(4);
  expect(await answers[3]?.json()).toMatchObject({ status: 'success', message: 'Done', data: { length: 2000 } });
});

test('part of a long list', async () => {
  const [answer] = await answersTo(sharing(2000), 1, 'fields=name&limit=3');
  expect(await answer?.json()).toEqual({ status: 'success', message: 'Done', data: new Array(3).fill({ name: 'a' }) });
});
