import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { ActionDefinition } from '../../core/action.ts';
import type { TransportParts } from '../../core/transport.ts';
import { createActionRunner } from './action-runner.ts';

test('at most eight actions of a burst run at a time', async () => {
  const clock = fakeClock();
  const running: (() => void)[] = [];
  // An action that reads uses only these.
  const parts = {
    service: {
      perform: () => new Promise((resolve) => running.push(() => resolve({ message: 'done' }))),
      history: { note: () => {} },
    },
    host: { clock, storage: { prepareDirectory: () => {}, append: () => {} }, paths: { state: '/state' } },
    log: { warn: () => {}, error: () => {} },
    settings: { current: () => ({ mqtt: { scopes: ['read'] } }) },
  } as unknown as TransportParts;
  const action = {
    name: 'slow',
    effect: 'read',
    scopes: ['read'],
    entities: async () => ({}),
  } as unknown as ActionDefinition;
  const runner = createActionRunner(parts, 'broker', () => {});
  const outcomes = Array.from({ length: 50 }, () => runner.perform(action, {}).then(() => 'done', String));
  await Bun.sleep(0);
  expect(running.length).toBe(8);
  for (const finish of running) finish();
  const refused = (await Promise.all(outcomes)).filter((outcome) => outcome.includes('Too many actions are requested'));
  expect(refused.length).toBe(42);
});
