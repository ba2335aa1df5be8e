import { expect, test } from 'bun:test';
import type { Bus } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeHost, noBus } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import type { Files } from '../../../host/linux/files.ts';
import { createUserReader } from './system.users.ts';

/** One login record, in the layout of x86_64. */
function login(user: string, pid: number): Buffer {
  const record = Buffer.alloc(384);
  record.writeInt16LE(7, 0);
  record.writeInt32LE(pid, 4);
  record.write('pts/0', 8);
  record.write(user, 44);
  return record;
}

async function users(files: Files, bus: Bus) {
  const { reasons, collected } = collectReasons();
  const list = await createUserReader(fakeHost({ files, dbus: { system: bus, session: noBus } }))(reasons);
  return { names: list.map(({ name }) => name), reasons: collected.map(({ field }) => field), list };
}

const sessions: Record<string, Record<string, unknown>> = {
  _31: { Name: 'ada', Class: 'user', State: 'active', Active: true, TTY: 'tty2', Leader: 5, Timestamp: 2_000_000 },
  _32: { Name: 'grace', Class: 'user', State: 'online', Active: false, RemoteHost: '203.0.113.9', TTY: 'pts/1' },
  c1: { Name: 'gdm', Class: 'greeter', State: 'online' },
  _33: { Name: 'ada', Class: 'manager', State: 'active' },
  _34: { Name: 'left', Class: 'user', State: 'closing' },
};
const logind = fakeBus({
  'org.freedesktop.login1.Manager.ListSessions': () => [
    Object.keys(sessions).map((id) => [id, 1000, '', '', `/${id}`]),
  ],
  'org.freedesktop.DBus.Properties.GetAll': ({ path }) => [sessions[path.slice(1)]],
});

test('logins whose process has ended are left out', async () => {
  const files = machineFiles({
    '/run/utmp': Buffer.concat([login('ada', 100), login('gone', 200)]),
    '/proc/1/comm': '',
    '/proc/100/comm': '',
  });
  expect(await users(files, noBus)).toMatchObject({ names: ['ada'], reasons: [] });
});

test('where processes of others are hidden, all logins count', async () => {
  const files = machineFiles({ '/var/run/utmp': login('ada', 100), '/proc/4242/comm': '' });
  expect(await users(files, noBus)).toMatchObject({ names: ['ada'], reasons: [] });
});

test('without login records, logind lists the user sessions', async () => {
  const { list, reasons } = await users(machineFiles({}), logind);
  expect(reasons).toEqual([]);
  expect(list).toEqual([
    { name: 'ada', active: true, terminal: 'tty2', host: '', started: 2, pid: 5 },
    { name: 'grace', active: false, terminal: 'pts/1', host: '203.0.113.9', started: 0, pid: 0 },
  ]);
});

test('empty login records are not conclusive: logind is queried', async () => {
  expect((await users(machineFiles({ '/run/utmp': '' }), logind)).names).toEqual(['ada', 'grace']);
});

test('empty login records without logind mean that no user is logged in', async () => {
  expect(await users(machineFiles({ '/run/utmp': '' }), noBus)).toMatchObject({ names: [], reasons: [] });
});

test('without both there is a reason', async () => {
  expect(await users(machineFiles({}), noBus)).toMatchObject({ names: [], reasons: ['users'] });
});
