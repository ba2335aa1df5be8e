import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { ActionDefinition } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import type { Service } from '../../core/service.ts';
import { createTrayState } from './tray.state.ts';

/** A service with the actions that the menu uses for power orders. */
function start() {
  let pending: object | null = null;
  const callers: Caller[] = [];
  const followers = new Set<() => void>();
  const become = (next: object | null) => {
    pending = next;
    for (const follower of followers) follower();
  };
  const actions: Partial<ActionDefinition>[] = [
    { name: 'power.restart', will: 'The machine will restart' },
    { name: 'power.pending', run: async () => ({ message: '', data: { pending } }) },
    {
      name: 'power.cancel',
      async run() {
        become(null);
        return { message: '', data: {} };
      },
      entities: async () => ({
        follow(_keep, changed) {
          const listener = () => changed({});
          followers.add(listener);
          return () => void followers.delete(listener);
        },
      }),
    },
  ];
  const service: Partial<Service> = {
    version: '7.0.0',
    actions: actions as ActionDefinition[],
    async perform(action, input, caller) {
      callers.push(caller);
      return await action.run(input, {} as never);
    },
    clients: { add: () => () => {}, list: async () => [] } as never,
    controlPause: { current: () => null, onChange: () => () => {} },
  };
  const state = createTrayState({
    service: service as Service,
    prompts: { current: () => null, onChange: () => () => {}, showAgain: () => {} } as never,
    clock: fakeClock(),
    address: 'http://localhost:9170',
    crashes: () => null,
  });
  return { state, become, callers, followers };
}

const restart = { action: 'restart', at: '2026-11-18T12:00:00.000Z', token: 'Phone' };

test('a pending order is shown with the sentence of its action', async () => {
  const { state, become } = start();
  expect((await state.facts()).pending).toBeNull();
  become(restart);
  expect((await state.facts()).pending).toEqual({
    number: 1,
    verb: 'restart',
    will: 'The machine will restart',
    at: Date.parse(restart.at),
    token: 'Phone',
  });
});

test('the menu cancels the order that it showed and no other, and the log names the screen', async () => {
  const { state, become, callers } = start();
  become(restart);
  await state.facts();
  become({ ...restart, at: '2026-11-18T12:30:00.000Z' });
  expect(await state.cancelOrder(1)).toBe(false);
  expect((await state.facts()).pending?.number).toBe(2);
  expect(await state.cancelOrder(2)).toBe(true);
  expect(await state.cancelOrder(2)).toBe(false);
  const cancelling = callers.at(-2);
  expect([cancelling?.tokenName, cancelling?.connection().address]).toEqual(['the user', 'the screen']);
});

test('a change of the pending order is announced until it is stopped', async () => {
  const { state, become, followers } = start();
  let changes = 0;
  const stop = state.follow(() => {
    changes += 1;
  });
  await Bun.sleep(0);
  become(restart);
  expect(changes).toBe(1);
  stop();
  expect(followers.size).toBe(0);
});
