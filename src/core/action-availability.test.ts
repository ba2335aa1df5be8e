import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../test/doubles/fake-host.ts';
import { defaultSettings } from '../features/index.ts';
import { createAvailabilityCheck } from './action-availability.ts';

function machine() {
  const host = fakeHost();
  let settings = defaultSettings;
  const { context } = fakeActionContext(host, { settings: () => settings });
  const checks: PromiseWithResolvers<string | null>[] = [];
  const unavailable = () => {
    const check = Promise.withResolvers<string | null>();
    checks.push(check);
    return check.promise;
  };
  const change = () => {
    settings = { ...settings };
  };
  return {
    host,
    checks,
    action: { unavailable },
    sibling: { unavailable },
    change,
    ask: createAvailabilityCheck(context),
  };
}

test('concurrent checks share one run, also across actions with the same check', async () => {
  const { checks, action, sibling, ask } = machine();
  const answers = Array.from({ length: 100 }, (_, index) => ask(index % 2 === 0 ? action : sibling));
  expect(checks).toHaveLength(1);
  checks[0]?.resolve('no pointer');
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['no pointer']));
});

test('a result is valid for one second, and a change of settings invalidates it at once', async () => {
  const { host, checks, action, ask, change } = machine();
  const first = ask(action);
  checks[0]?.resolve(null);
  await first;
  host.clock.advance(999);
  expect(await ask(action)).toBeNull();
  expect(checks).toHaveLength(1);
  host.clock.advance(1);
  void ask(action);
  expect(checks).toHaveLength(2);
  change();
  void ask(action);
  expect(checks).toHaveLength(3);
});

test('a check that hangs or fails does not block the next one', async () => {
  const { host, checks, action, ask } = machine();
  void ask(action);
  host.clock.advance(10_000);
  const second = ask(action);
  expect(checks).toHaveLength(2);
  checks[1]?.reject(new Error('lost'));
  await expect(second).rejects.toThrow('lost');
  void ask(action);
  expect(checks).toHaveLength(3);
});
