import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { elsewhere } from '../../../../test/doubles/recorded-native.ts';
import { perform } from '../../../../test/harness/perform.ts';
import { asTimePasses } from '../../../../test/harness/until.ts';
import type { Native } from '../../../host/windows/native/native.ts';
import { defaultSettings } from '../../index.ts';
import { serviceActions } from '../services.actions.ts';

interface FakeService {
  state: number;
  type: number;
  accepts?: number;
  exitCode?: number;
  dependents?: string[];
  /** Status queries until the service is no longer pending. */
  slow?: number;
  /** Error code of every order. */
  refuses?: number;
  /** State after a start; 4 by default. */
  becomes?: { state: number; exitCode: number };
}

/** A service control manager with these services. */
function manager(services: Record<string, FakeService>, orders: string[]) {
  const known = (name: string) => services[name];
  let pendingQueries = 0;
  const order = (verb: string, name: string, change: (service: FakeService) => void) => {
    orders.push(`${verb} ${name}`);
    const service = known(name);
    if (service === undefined) return 1060;
    if (service.refuses !== undefined) return service.refuses;
    change(service);
    pendingQueries = service.slow ?? 0;
    return 0;
  };
  return {
    status(name: string) {
      const service = known(name);
      if (service === undefined) return 1060;
      const pending = pendingQueries > 0 && orders.length > 0;
      pendingQueries -= 1;
      const state = pending ? (orders.at(-1)?.startsWith('stop') === true ? 3 : 2) : service.state;
      return { state, exitCode: service.exitCode ?? 0, specificCode: 0, pid: 0, accepts: service.accepts ?? 1 };
    },
    startTypes: (names: string[]) => names.map((name) => known(name)?.type ?? null),
    runningDependents: (name: string) => known(name)?.dependents ?? [],
    start: (name: string) =>
      order('start', name, (service) => Object.assign(service, service.becomes ?? { state: 4, exitCode: 0 })),
    stop: (name: string) =>
      order('stop', name, (service) => {
        service.state = 1;
      }),
    setStartType: (name: string, type: number) =>
      order(`set ${type}`, name, (service) => {
        service.type = type;
      }),
  };
}

function machine(services: Record<string, FakeService>, allowlist = Object.keys(services)) {
  const orders: string[] = [];
  const native = { scm: manager(services, orders) } as unknown as Native;
  const host = fakeHost({ platform: 'windows', nativeElsewhere: elsewhere(native) } as never);
  const settings = () => ({ ...defaultSettings, services: { allowlist } });
  const { context } = fakeActionContext(host, { settings });
  const run = async (verb: string, input: unknown) => {
    const action = serviceActions.find(({ name }) => name === `service.${verb}`);
    if (action === undefined) throw new Error(`there is no service.${verb}`);
    return await asTimePasses(perform(action, input, context), host.clock);
  };
  return { orders, order: (verb: string, unit: unknown) => run(verb, { unit }) };
}

describe('a Windows service on the allowlist', () => {
  test.each([
    ['start', 1, ['start Print Spooler'], 'active', 'running'],
    ['start', 4, [], 'active', 'running'],
    ['stop', 4, ['stop Print Spooler'], 'inactive', 'stopped'],
    ['stop', 1, [], 'inactive', 'stopped'],
    ['restart', 4, ['stop Print Spooler', 'start Print Spooler'], 'active', 'running'],
    ['restart', 1, ['start Print Spooler'], 'active', 'running'],
  ])('accepts %s in state %i', async (verb, state, expected, active_state, sub_state) => {
    const { order, orders } = machine({ 'Print Spooler': { state, type: 3, slow: 3 } });
    expect(await order(verb, 'Print Spooler')).toMatchObject({ active_state, sub_state, done: true, action: verb });
    expect(orders).toEqual(expected);
  });

  test('that starts slowly is reported as still starting', async () => {
    const { order } = machine({ Slow: { state: 1, type: 3, slow: 1e6 } });
    expect(await order('start', 'Slow')).toMatchObject({ active_state: 'activating', done: false });
  });

  test('that stops with an error right after its start is an error', async () => {
    const { order } = machine({ Bad: { state: 1, type: 3, becomes: { state: 1, exitCode: 1067 } } });
    await expect(order('start', 'Bad')).rejects.toThrow('was started and stopped right away with error 1067');
  });

  test.each([
    ['enable', 3, ['set 2 S'], 'enabled'],
    ['enable', 4, ['set 2 S'], 'enabled'],
    ['enable', 2, [], 'enabled'],
    ['disable', 2, ['set 3 S'], 'manual'],
    ['disable', 4, [], 'disabled'],
  ])('is %sd where its start type is %i', async (verb, type, expected, enabled) => {
    const { order, orders } = machine({ S: { state: 1, type } });
    expect(await order(verb, 'S')).toMatchObject({ enabled, active_state: null, done: true });
    expect(orders).toEqual(expected);
  });
});

describe('a request is refused on Windows with an explanation:', () => {
  test.each([
    ['Other', 'forbidden'],
    ['s', 'forbidden'],
    ['nginx.service', 'forbidden'],
    ['user:S', 'invalid'],
    ['S ', 'invalid'],
    ['', 'invalid'],
    ['..\\S', 'invalid'],
    ['S/x', 'invalid'],
    ['S\n', 'invalid'],
    ['S\u202e', 'invalid'],
    ['a'.repeat(10_000), 'invalid'],
    [7, 'invalid'],
    ['Gone', 'not_found'],
  ])('%j: %s', async (unit, code) => {
    for (const verb of ['start', 'stop', 'restart', 'enable', 'disable']) {
      const { order, orders } = machine({ S: { state: 4, type: 3 } }, ['S', 'Gone']);
      const refused = order(verb, unit);
      await expect(refused).rejects.toMatchObject({ code });
      await refused.catch(({ message }) => expect(message.length).toBeLessThan(500));
      expect(orders).toEqual([]);
    }
  });

  test('a disabled service', async () => {
    const { order, orders } = machine({ S: { state: 1, type: 4 } });
    await expect(order('start', 'S')).rejects.toThrow('S is disabled and cannot be started');
    expect(orders).toEqual([]);
  });

  test('a service that others depend on', async () => {
    const { order, orders } = machine({ S: { state: 4, type: 3, dependents: ['A', 'B'] } });
    for (const verb of ['stop', 'restart'])
      await expect(order(verb, 'S')).rejects.toThrow('running services depend on it: A, B. Stop those first');
    expect(orders).toEqual([]);
  });

  test('a service that does not accept a stop', async () => {
    const { order } = machine({ S: { state: 4, type: 3, accepts: 0 } });
    await expect(order('stop', 'S')).rejects.toThrow('S cannot be stopped');
  });

  test.each([
    ['start', 1, 5, 'forbidden', 'Start Hostler as an administrator'],
    ['stop', 4, 5, 'forbidden', 'sc.exe sdset S'],
    ['enable', 1, 5, 'forbidden', 'does not let'],
    ['start', 1, 1068, 'failed', 'a service that it needs failed'],
    ['start', 1, 1053, 'failed', 'did not answer in time'],
    ['start', 1, 4711, 'failed', 'Windows refuses to start S: error 4711'],
  ])('%s in state %i with error %i', async (verb, state, refuses, code, sentence) => {
    const { order } = machine({ S: { state, type: 3, refuses } });
    const refused = order(verb, 'S');
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(sentence);
  });
});
