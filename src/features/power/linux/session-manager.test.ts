import { expect, test } from 'bun:test';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { findScreensavers } from './screensaver.ts';
import { findSessionManager } from './session-manager.ts';

const names = (...running: string[]) => ({ 'org.freedesktop.DBus.ListNames': () => [running] });
const sent = ({ destination, path, interface: iface, member, body = [] }: BusCall) =>
  [destination, path, iface, member, ...body].join(' ');

test('each desktop is called through its own interface to end the session', async () => {
  const table: [string, string, string, boolean][] = [
    [
      'org.gnome.SessionManager',
      'org.gnome.SessionManager.Logout',
      'org.gnome.SessionManager /org/gnome/SessionManager org.gnome.SessionManager Logout 1',
      false,
    ],
    [
      'org.gnome.SessionManager',
      'org.gnome.SessionManager.Logout',
      'org.gnome.SessionManager /org/gnome/SessionManager org.gnome.SessionManager Logout 2',
      true,
    ],
    ['org.kde.ksmserver', 'org.kde.Shutdown.logout', 'org.kde.Shutdown /Shutdown org.kde.Shutdown logout', false],
    ['org.lxqt.session', 'org.lxqt.session.logout', 'org.lxqt.session /LXQtSession org.lxqt.session logout', false],
    [
      'org.xfce.SessionManager',
      'org.xfce.Session.Manager.Logout',
      'org.xfce.SessionManager /org/xfce/SessionManager org.xfce.Session.Manager Logout false true',
      false,
    ],
  ];
  for (const [name, method, expected, force] of table) {
    const bus = fakeBus({ ...names(name), [method]: () => [] });
    const manager = await findSessionManager(bus);
    await manager?.logout(force);
    expect(bus.calls.map(sent).at(-1)).toBe(expected);
  }
});

test('an old Plasma is called through the old interface, and a new one that refuses is not', async () => {
  const old = 'org.kde.KSMServerInterface.logout';
  const failing = (errorName: string) =>
    fakeBus({
      ...names('org.kde.ksmserver'),
      'org.kde.Shutdown.logout': () => {
        throw new BusError(errorName, 'it said no');
      },
      [old]: () => [],
    });
  const bus = failing('org.freedesktop.DBus.Error.ServiceUnknown');
  await (await findSessionManager(bus))?.logout(true);
  expect(bus.calls.map(sent).at(-1)).toBe('org.kde.ksmserver /KSMServer org.kde.KSMServerInterface logout 0 0 2');
  const refusing = await findSessionManager(failing('org.freedesktop.DBus.Error.Failed'));
  await expect(refusing?.logout(false) ?? Promise.resolve()).rejects.toThrow('it said no');
});

test('without a known desktop, or without a bus, there is no session manager', async () => {
  expect(await findSessionManager(fakeBus(names('org.example.Other')))).toBeNull();
  expect(await findSessionManager(noBus)).toBeNull();
});

test('GNOME lists the programs that inhibit logout, and only those', async () => {
  const own = 'org.gnome.SessionManager';
  const bus = fakeBus({
    ...names(own),
    [`${own}.IsInhibited`]: () => [true],
    [`${own}.GetInhibitors`]: () => [['/org/gnome/SessionManager/Inhibitor1', '/org/gnome/SessionManager/Inhibitor2']],
    [`${own}.Inhibitor.GetFlags`]: ({ path }) => [path.endsWith('1') ? 8 : 5],
    [`${own}.Inhibitor.GetAppId`]: () => ['writer'],
    [`${own}.Inhibitor.GetReason`]: () => ['unsaved changes'],
  });
  const manager = await findSessionManager(bus);
  expect(await manager?.blockers()).toEqual([{ who: 'writer', why: 'unsaved changes' }]);
});

test('of very many inhibitors GNOME is asked about the first hundred', async () => {
  const own = 'org.gnome.SessionManager';
  const bus = fakeBus({
    ...names(own),
    [`${own}.IsInhibited`]: () => [true],
    [`${own}.GetInhibitors`]: () => [Array.from({ length: 10_000 }, (_, at) => `/inhibitor/${at}`)],
    [`${own}.Inhibitor.GetFlags`]: () => [8],
  });
  expect(await (await findSessionManager(bus))?.blockers()).toEqual([]);
  expect(bus.calls.filter(({ member }) => member === 'GetFlags')).toHaveLength(100);
});

test('running screensavers are found, the desktop’s own before the generic one', async () => {
  const bus = fakeBus({
    ...names('org.freedesktop.ScreenSaver', 'org.kde.screensaver', 'org.cinnamon.ScreenSaver'),
    'org.freedesktop.ScreenSaver.Lock': () => [],
    'org.cinnamon.ScreenSaver.Lock': () => [],
    'org.freedesktop.ScreenSaver.GetActive': ({ destination }) => [destination === 'org.kde.screensaver'],
  });
  const found = await findScreensavers(bus);
  expect(found.map(({ name }) => name)).toEqual([
    'org.kde.screensaver',
    'org.cinnamon.ScreenSaver',
    'org.freedesktop.ScreenSaver',
  ]);
  for (const { lock } of found) await lock();
  expect(bus.calls.filter(({ member }) => member === 'Lock').map(({ path, body }) => [path, body])).toEqual([
    ['/ScreenSaver', undefined],
    ['/org/cinnamon/ScreenSaver', ['']],
    ['/org/freedesktop/ScreenSaver', undefined],
  ]);
  // One that does not report its state is not active.
  expect(await Promise.all(found.map(({ isActive }) => isActive()))).toEqual([true, false, false]);
  expect(await findScreensavers(noBus)).toEqual([]);
});
