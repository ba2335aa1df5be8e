import { expect, test } from 'bun:test';
import { BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus } from '../../../../test/doubles/fake-host.ts';
import { createConsoleKit } from './login-session.ts';
import { parseSession } from './logind.ts';
import { createLogind, parseInhibitors } from './logind-manager.ts';

const manager = 'org.freedesktop.login1.Manager';
const invalid = () => {
  throw new BusError('org.freedesktop.DBus.Error.InvalidArgs', 'Invalid flags parameter');
};

test('a request respects inhibitors also for root, unless it is forced', async () => {
  const bus = fakeBus({ [`${manager}.SuspendWithFlags`]: () => [] });
  await createLogind(bus).order('Suspend', false);
  await createLogind(bus).order('Suspend', true);
  expect(bus.calls.map(({ body }) => body)).toEqual([[1], [16]]);
});

test('older versions get the request without flags', async () => {
  const withoutSkipping = fakeBus({ [`${manager}.RebootWithFlags`]: invalid, [`${manager}.Reboot`]: () => [] });
  await createLogind(withoutSkipping).order('Reboot', true);
  const withoutFlags = fakeBus({ [`${manager}.Reboot`]: () => [] });
  await createLogind(withoutFlags).order('Reboot', false);
  for (const { calls } of [withoutSkipping, withoutFlags]) {
    expect(calls.map(({ member, body }) => [member, body]).at(-1)).toEqual(['Reboot', [false]]);
  }
});

test('a failed request is not retried in another way', async () => {
  const bus = fakeBus({
    [`${manager}.PowerOffWithFlags`]: () => {
      throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'no');
    },
    [`${manager}.PowerOff`]: () => [],
  });
  await expect(createLogind(bus).order('PowerOff', false)).rejects.toThrow('no');
  expect(bus.calls).toHaveLength(1);
});

test('inhibitors are distinguished by what and mode', () => {
  expect(parseInhibitors([['sleep:idle', 'Player', 'plays', 'block', 1000, 7]])).toEqual([
    { what: ['sleep', 'idle'], who: 'Player', why: 'plays', mode: 'block', pid: 7 },
  ]);
  for (const nonsense of [undefined, null, 'x', [1]]) expect(parseInhibitors(nonsense)).toEqual([]);
});

test('the named policy matches the request', () => {
  const { policies } = createLogind(fakeBus({}));
  expect(policies('Suspend', false, false)).toEqual(['org.freedesktop.login1.suspend']);
  expect(policies('PowerOff', true, true)).toEqual([
    'org.freedesktop.login1.power-off-multiple-sessions',
    'org.freedesktop.login1.power-off-ignore-inhibit',
  ]);
});

test('ConsoleKit2 locks a session at its own object, and lists the sessions', async () => {
  const own = 'org.freedesktop.ConsoleKit.Session';
  const path = '/org/freedesktop/ConsoleKit/Session1';
  const bus = fakeBus({
    'org.freedesktop.ConsoleKit.Manager.GetSessions': () => [[path]],
    [`${own}.GetUnixUser`]: () => [1000],
    [`${own}.IsActive`]: () => [true],
    [`${own}.GetSessionClass`]: () => ['user'],
    [`${own}.GetSessionType`]: () => ['x11'],
    [`${own}.GetX11Display`]: () => [':0'],
    [`${own}.GetCreationTime`]: () => ['2026-01-01T00:00:00Z'],
    [`${own}.Lock`]: () => [],
  });
  const kit = createConsoleKit(bus);
  const [session = parseSession({})] = await kit.sessions();
  expect(session).toMatchObject({ id: 'Session1', uid: 1000, active: true, type: 'x11', started: 1_767_225_600 });
  await kit.lock(session);
  expect(bus.calls.at(-1)).toMatchObject({ path, member: 'Lock' });
  expect(kit.terminate).toBeNull();
});
