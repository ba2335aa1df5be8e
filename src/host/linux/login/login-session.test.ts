import { expect, test } from 'bun:test';
import { BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { chooseSession, findLoginManager } from './login-session.ts';
import { type LoginSession, parseSession } from './logind.ts';

const session = (given: Partial<LoginSession>): LoginSession => ({
  ...parseSession({}),
  uid: 1000,
  class: 'user',
  state: 'online',
  type: 'tty',
  ...given,
});

const tty = session({ id: 'tty', started: 50 });
const newer = session({ id: 'newer', started: 60 });
const screen = session({ id: 'screen', type: 'wayland', active: true, started: 10 });
const hidden = session({ id: 'hidden', type: 'x11', active: false, started: 40 });
const ofOther = session({ id: 'other', uid: 1001, type: 'x11', active: true, started: 99 });
const greeter = session({ id: 'greeter', class: 'greeter', type: 'wayland', active: true, started: 100 });
const closing = session({ id: 'closing', state: 'closing', type: 'x11', active: true, started: 101 });

test('the session in front of the screen comes first, then the newest', () => {
  const table: [LoginSession[], number, string | undefined][] = [
    [[tty, screen, hidden, newer], 1000, 'screen'],
    [[tty, hidden, newer], 1000, 'newer'],
    [[tty, screen, ofOther], 1000, 'screen'],
    [[tty, screen, ofOther], 0, 'other'],
    [[ofOther], 1000, undefined],
    [[greeter, closing, tty], 0, 'tty'],
    [[greeter, closing], 0, undefined],
    [[], 0, undefined],
  ];
  for (const [sessions, uid, id] of table) expect(chooseSession(sessions, uid)?.id).toBe(id);
});

const ping = 'org.freedesktop.DBus.Peer.Ping';
const absent = new BusError('org.freedesktop.DBus.Error.ServiceUnknown', 'no owner');
const refuse = (error: Error) => () => {
  throw error;
};

test('logind is queried first, and ConsoleKit2 without logind', async () => {
  const both = fakeBus({ [ping]: () => [] });
  expect((await findLoginManager(both))?.name).toBe('logind');
  const old = fakeBus({
    [ping]: ({ destination }) => (destination === 'org.freedesktop.ConsoleKit' ? [] : refuse(absent)()),
  });
  expect((await findLoginManager(old))?.name).toBe('ConsoleKit2');
  expect(await findLoginManager(fakeBus({ [ping]: refuse(absent) }))).toBeNull();
  expect(await findLoginManager(noBus)).toBeNull();
});

test('the error of a running manager is not hidden by querying another one', async () => {
  const silent = new BusError('Client.Timeout', 'no answer');
  await expect(findLoginManager(fakeBus({ [ping]: refuse(silent) }))).rejects.toThrow('no answer');
});
