import { expect, test } from 'bun:test';
import { type Bus, type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeClock, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { setPart } from '../../core/part.ts';
import { messageOf } from '../../lib/errors.ts';
import { holdPart, powerLinux } from './power.linux.ts';
import type { Verb } from './power.verbs.ts';

const manager = 'org.freedesktop.login1.Manager';
const fail =
  (name: string, message = name) =>
  () => {
    throw new BusError(name, message);
  };
const denied = fail('org.freedesktop.DBus.Error.AccessDenied', 'Access denied');

type Methods = Record<string, (call: BusCall) => unknown[]>;

const graphical = {
  Id: '2',
  Name: 'ada',
  User: [1000, '/org/freedesktop/login1/user/_1000'],
  Class: 'user',
  Type: 'wayland',
  State: 'active',
  Active: true,
};

/** A logind that supports everything, unless overridden. */
const logind = (given: Methods = {}, session: Record<string, unknown> | null = graphical) =>
  fakeBus({
    'org.freedesktop.DBus.Peer.Ping': () => [],
    [`${manager}.ListSessions`]: () => [session === null ? [] : [['2', 1000, 'ada', 'seat0', '/s/2']]],
    'org.freedesktop.DBus.Properties.GetAll': () => [session],
    'org.freedesktop.DBus.Properties.Get': () => [false],
    [`${manager}.ListInhibitors`]: () => [[]],
    ...Object.fromEntries(
      ['Suspend', 'Hibernate', 'Reboot', 'PowerOff'].flatMap((verb) => [
        [`${manager}.Can${verb}`, () => ['yes']],
        [`${manager}.${verb}WithFlags`, () => []],
      ]),
    ),
    [`${manager}.LockSession`]: () => [],
    [`${manager}.TerminateSession`]: () => [],
    ...given,
  });

const desktop = (methods: Methods, ...names: string[]) =>
  fakeBus({ 'org.freedesktop.DBus.ListNames': () => [names], ...methods });

/** Advances the clock for waiting code. */
async function perform(
  verb: Verb,
  system: Bus,
  { force = false, session = noBus, uid = 1000 }: { force?: boolean; session?: Bus; uid?: number } = {},
): Promise<string> {
  const clock = fakeClock();
  const host = fakeHost({ clock, dbus: { system, session }, environment: { uid, userName: 'ada' } });
  let done = false;
  const performing = Promise.resolve(powerLinux(host).verbs[verb]?.perform({ force })).finally(() => {
    done = true;
  });
  performing.catch(() => {});
  while (!done) {
    // After several hundred other test files the runtime calls immediates only when a timer is due.
    await Bun.sleep(0);
    clock.advanceToNext();
  }
  return (await performing) ?? '';
}

const members = (bus: { calls: BusCall[] }) => bus.calls.map(({ member }) => member);
const refusal = (code: string, text: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(text) });

test('each verb is a separate call', async () => {
  const table: [Verb, string][] = [
    ['sleep', 'SuspendWithFlags'],
    ['hibernate', 'HibernateWithFlags'],
    ['restart', 'RebootWithFlags'],
    ['shutdown', 'PowerOffWithFlags'],
    ['logout', 'TerminateSession'],
  ];
  for (const [verb, member] of table) {
    const bus = logind();
    await perform(verb, bus);
    expect(members(bus).at(-1)).toBe(member);
  }
});

test('without logind, or a bus, nothing is supported', async () => {
  for (const verb of ['sleep', 'hibernate', 'restart', 'shutdown', 'lock', 'logout'] as const) {
    await expect(perform(verb, noBus)).rejects.toEqual(refusal('unsupported', 'neither systemd-logind'));
  }
});

test('an order the machine does not support is unsupported for every caller', async () => {
  const bus = logind({ [`${manager}.CanHibernate`]: () => ['na'] });
  await expect(perform('hibernate', bus, { force: true })).rejects.toEqual(refusal('unsupported', 'swap'));
  expect(members(bus)).not.toContain('HibernateWithFlags');
});

test('an order forbidden by policy is refused with the rule that would allow it', async () => {
  for (const answer of ['no', 'challenge']) {
    const bus = logind({ [`${manager}.CanPowerOff`]: () => [answer] });
    await expect(perform('shutdown', bus)).rejects.toEqual(
      refusal(
        'forbidden',
        'if (["org.freedesktop.login1.power-off"].indexOf(action.id) >= 0 && subject.user == "ada")',
      ),
    );
    expect(members(bus)).not.toContain('PowerOffWithFlags');
  }
});

test('with another user logged in, a different rule is needed', async () => {
  const bus = logind({ [`${manager}.CanReboot`]: () => ['no'] }, { ...graphical, User: [1001, '/'] });
  await expect(perform('restart', bus)).rejects.toEqual(
    refusal('forbidden', 'org.freedesktop.login1.reboot-multiple-sessions'),
  );
});

test('an inhibiting program is named; delays, and inhibitors of other orders, do not block', async () => {
  const held = (...inhibitors: unknown[][]) => logind({ [`${manager}.ListInhibitors`]: () => [inhibitors] });
  const blocker = ['sleep:idle', 'Back\nup', 'copying files', 'block', 1000, 77];
  await expect(perform('sleep', held(blocker))).rejects.toEqual(
    refusal('conflict', 'Back\ufffdup (copying files; process 77)'),
  );
  await expect(perform('hibernate', held(['sleep', 'a', 'b', 'block-weak', 0, 1]))).rejects.toEqual(
    refusal('conflict', 'a (b; process 1)'),
  );
  await perform('sleep', held(blocker), { force: true });
  await perform('restart', held(blocker));
  await perform('sleep', held(['sleep', 'a', 'b', 'delay', 0, 1], ['shutdown:idle', 'c', 'd', 'block', 0, 1]));
});

test('of thousands of inhibiting programs some are named', async () => {
  const held = Array.from({ length: 8000 }, (_, at) => ['shutdown', `App ${at}`, 'busy', 'block', 0, at]);
  const refused = perform('shutdown', logind({ [`${manager}.ListInhibitors`]: () => [held] })).catch(messageOf);
  expect(await refused).toEndWith('App 4 (busy; process 4) and by 7995 more. Close it first, or send {"force": true}');
});

test('a user who may not override inhibitors gets the rule for that', async () => {
  const bus = logind({
    [`${manager}.CanSuspend`]: () => ['challenge'],
    [`${manager}.ListInhibitors`]: () => [[['sleep', 'a', 'b', 'block', 0, 1]]],
  });
  await expect(perform('sleep', bus)).rejects.toEqual(refusal('conflict', 'a (b'));
  await expect(perform('sleep', bus, { force: true })).rejects.toEqual(
    refusal('forbidden', 'org.freedesktop.login1.suspend-ignore-inhibit'),
  );
});

test('a program that inhibits between the check and the order is named as well', async () => {
  let asked = 0;
  const bus = logind({
    [`${manager}.ListInhibitors`]: () => [asked++ === 0 ? [] : [['shutdown', 'Late', 'writing', 'block', 0, 5]]],
    [`${manager}.RebootWithFlags`]: denied,
  });
  await expect(perform('restart', bus)).rejects.toEqual(refusal('conflict', 'Late (writing; process 5)'));
});

test('a failed order reports the error', async () => {
  const table: [string, string][] = [
    ['org.freedesktop.DBus.Error.AccessDenied', 'forbidden'],
    ['org.freedesktop.DBus.Error.InteractiveAuthorizationRequired', 'forbidden'],
    ['org.freedesktop.login1.SleepVerbNotSupported', 'unsupported'],
    ['org.freedesktop.login1.OperationInProgress', 'conflict'],
    ['org.freedesktop.DBus.Error.Failed', 'failed'],
    ['Client.Timeout', 'failed'],
    ['Client.Disconnected', 'failed'],
  ];
  for (const [name, code] of table) {
    const bus = logind({ [`${manager}.SuspendWithFlags`]: fail(name) });
    await expect(perform('sleep', bus)).rejects.toEqual(refusal(code, 'power.sleep'));
  }
});

test('a manager that does not answer has failed', async () => {
  const bus = logind({ 'org.freedesktop.DBus.Peer.Ping': fail('Client.Timeout', 'no answer within 5000 ms') });
  await expect(perform('sleep', bus)).rejects.toEqual(refusal('failed', 'no answer within 5000 ms'));
  await expect(perform('lock', bus)).rejects.toEqual(refusal('failed', 'no answer within 5000 ms'));
});

const locked = (afterCalls: number): Methods => {
  let asked = 0;
  return { 'org.freedesktop.DBus.Properties.Get': () => [asked++ >= afterCalls] };
};

test('lock asks logind to lock the session of the user, and checks the state', async () => {
  const bus = logind(locked(3));
  expect(await perform('lock', bus)).toBe('The session of ada is locked');
  expect(bus.calls.find(({ member }) => member === 'LockSession')?.body).toEqual(['2']);
});

test('an unconfirmed lock is reported as such', async () => {
  expect(await perform('lock', logind())).toContain('this was not confirmed within 2 s');
});

test('a desktop that does not follow logind is called directly, and its state checked', async () => {
  let active = false;
  const gnome = desktop(
    {
      'org.gnome.ScreenSaver.Lock': () => {
        active = true;
        return [];
      },
      'org.gnome.ScreenSaver.GetActive': () => [active],
    },
    'org.gnome.ScreenSaver',
  );
  expect(await perform('lock', logind(), { session: gnome })).toBe('The session of ada is locked');
});

test('a desktop that followed logind is not called again', async () => {
  const gnome = desktop({ 'org.gnome.ScreenSaver.GetActive': () => [true] }, 'org.gnome.ScreenSaver');
  await perform('lock', logind(), { session: gnome });
  expect(members(gnome)).not.toContain('Lock');
});

test('a refused lock is an error, unless the desktop locks nevertheless', async () => {
  const bus = () => logind({ [`${manager}.LockSession`]: denied });
  await expect(perform('lock', bus())).rejects.toEqual(refusal('forbidden', 'Access denied'));
  const idle = desktop({ 'org.gnome.ScreenSaver.GetActive': () => [false] }, 'org.gnome.ScreenSaver');
  await expect(perform('lock', bus(), { session: idle })).rejects.toEqual(refusal('forbidden', 'Access denied'));
  const willing = desktop({ 'org.gnome.ScreenSaver.GetActive': () => [true] }, 'org.gnome.ScreenSaver');
  expect(await perform('lock', bus(), { session: willing })).toBe('The session of ada is locked');
});

test('without logind the desktop can still lock', async () => {
  const willing = desktop({ 'org.freedesktop.ScreenSaver.GetActive': () => [true] }, 'org.freedesktop.ScreenSaver');
  expect(await perform('lock', noBus, { session: willing })).toBe('The session is locked');
});

test('root locks the active session, and does not use the bus of that user', async () => {
  const bus = logind(locked(0));
  const session = desktop({});
  expect(await perform('lock', bus, { uid: 0, session })).toBe('The session of ada is locked');
  expect(session.calls).toEqual([]);
});

test('without a session there is nothing to lock or to end', async () => {
  for (const verb of ['lock', 'logout'] as const) {
    await expect(perform(verb, logind({}, null), { session: desktop({}) })).rejects.toEqual(
      refusal('conflict', 'ada, the user this service runs as, is not logged in'),
    );
  }
});

test('logout uses the session manager of the desktop if there is one', async () => {
  const bus = logind();
  const session = desktop(
    { 'org.gnome.SessionManager.IsInhibited': () => [false], 'org.gnome.SessionManager.Logout': () => [] },
    'org.gnome.SessionManager',
  );
  expect(await perform('logout', bus, { session })).toBe('ada is being logged out by GNOME');
  expect(members(bus)).not.toContain('TerminateSession');
});

test('an inhibiting program is named, and can be overridden', async () => {
  const own = 'org.gnome.SessionManager';
  const session = desktop(
    {
      [`${own}.IsInhibited`]: () => [true],
      [`${own}.GetInhibitors`]: () => [['/org/gnome/SessionManager/Inhibitor1']],
      [`${own}.Inhibitor.GetFlags`]: () => [1],
      [`${own}.Inhibitor.GetAppId`]: () => ['writer'],
      [`${own}.Inhibitor.GetReason`]: () => ['unsaved changes'],
      [`${own}.Logout`]: () => [],
    },
    own,
  );
  await expect(perform('logout', logind(), { session })).rejects.toEqual(
    refusal('conflict', 'writer (unsaved changes)'),
  );
  expect(await perform('logout', logind(), { session, force: true })).toBe('ada is being logged out by GNOME');
});

test('delays of sleep and shutdown are acquired separately, and released together', async () => {
  const open = new Set<unknown>();
  const host = setPart(fakeHost(), holdPart, async ({ body = [] }) => {
    open.add(body[0]);
    return () => void open.delete(body[0]);
  });
  const release = await powerLinux(host).announcements?.delay();
  expect([...open]).toEqual(['sleep', 'shutdown']);
  release?.();
  expect(open.size).toBe(0);
});

test('a delay acquired in part is released', async () => {
  const open = new Set<unknown>();
  const host = setPart(fakeHost(), holdPart, async ({ body = [] }) => {
    if (body[0] === 'shutdown') throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'no');
    open.add(body[0]);
    return () => void open.delete(body[0]);
  });
  await expect(powerLinux(host).announcements?.delay() ?? Promise.resolve()).rejects.toThrow('no');
  expect(open.size).toBe(0);
});

test('text of another program neither becomes markup nor reverses the notification', async () => {
  const blocker = ['shutdown', '<a href="http://evil.example">Update</a>\u202e', 'now\nAllow', 'block', 0, 7];
  const refused = await perform('shutdown', logind({ [`${manager}.ListInhibitors`]: () => [[blocker]] })).catch(
    messageOf,
  );
  const session = fakeBus({
    'org.freedesktop.Notifications.GetCapabilities': () => [['body', 'body-markup']],
    'org.freedesktop.Notifications.Notify': () => [1],
  });
  const host = fakeHost({ dbus: { system: noBus, session } });
  await powerLinux(host).notify?.({ title: 'Refused', body: refused, cancel: null });
  const [, , , , body] = session.calls.find(({ member }) => member === 'Notify')?.body ?? [];
  expect(body).toContain('blocked by &lt;a href="http://evil.example"&gt;Update&lt;/a&gt; (now\ufffdAllow; process 7)');
});
