import { afterEach, beforeEach, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { parseEntryLine } from './service-log.ts';
import { createUnitInstallation } from './systemd-installation.ts';
import { unitText } from './unit.ts';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-units-'));
  fs.mkdirSync(path.join(root, 'run/systemd'), { recursive: true });
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const command = ['/opt/hostler', 'serve'];
const configHome = () => path.join(root, 'home/.config');
const ownUnit = () => path.join(configHome(), 'systemd/user/hostler.service');
const wants = () => path.join(configHome(), 'systemd/user/default.target.wants/hostler.service');

/** A systemd that creates the requested links, and whose unit ends up in a state. */
function machine({ state = 'active', pid = 7, refuses = '' } = {}) {
  const calls: string[] = [];
  const call = async ({ member, body = [] }: BusCall): Promise<unknown[]> => {
    calls.push(member);
    if (member === refuses) throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'no');
    if (member === 'EnableUnitFiles') {
      fs.mkdirSync(path.dirname(wants()), { recursive: true });
      fs.symlinkSync(ownUnit(), wants());
    }
    if (member === 'DisableUnitFiles') fs.rmSync(wants(), { force: true });
    if (member === 'MaskUnitFiles') {
      fs.mkdirSync(path.dirname(ownUnit()), { recursive: true });
      fs.symlinkSync('/dev/null', ownUnit());
    }
    if (member === 'LoadUnit') return ['/unit'];
    if (member === 'GetAll')
      return [
        String(body[0]).endsWith('Unit')
          ? { ActiveState: state, LoadState: 'loaded', Job: [0, '/'] }
          : {
              MainPID: pid,
              StatusText: 'on port 1',
              Result: state === 'active' ? 'success' : 'exit-code',
              NRestarts: 2,
            },
      ];
    return [];
  };
  const bus = { call, subscribe: async () => () => {}, onReconnected: () => () => {}, close: () => {} };
  const host = fakeHost({
    dbus: { system: bus, session: bus },
    paths: { config: '/c', state: '/s', runtime: path.join(root, 'run') },
  });
  return { calls, unit: createUnitInstallation(host, { isSystem: false, command, configHome: configHome(), root }) };
}

test('install writes the unit, enables it and starts it, and says so', async () => {
  const { unit, calls } = machine();
  expect((await unit.state()).startsAtLogin).toBe(false);
  expect(await unit.install({ mayStart: true })).toEqual([
    `The unit is ${ownUnit()}`,
    'Hostler is started when you log in',
    'Hostler is running as process 7: on port 1',
  ]);
  expect(fs.readFileSync(ownUnit(), 'utf8')).toBe(unitText('user', command));
  expect(calls.slice(0, 5)).toEqual(['Reload', 'EnableUnitFiles', 'Reload', 'ResetFailedUnit', 'RestartUnit']);
  expect(await unit.state()).toMatchObject({ startsAtLogin: true, isSwitchedOff: false });
  expect(await unit.activity?.()).toMatchObject({ state: 'active', pid: 7, restarts: 2 });
});

test('nothing is started where another service runs', async () => {
  const { unit, calls } = machine();
  await unit.install({ mayStart: false });
  expect(calls).not.toContain('RestartUnit');
});

test('the unit of the package is used if it starts the same program', async () => {
  const vendor = path.join(root, 'usr/lib/systemd/user');
  fs.mkdirSync(vendor, { recursive: true });
  fs.writeFileSync(path.join(vendor, 'hostler.service'), unitText('user', command));
  await machine().unit.install({ mayStart: true });
  expect(fs.existsSync(ownUnit())).toBe(false);
});

test('remove undoes an installation', async () => {
  const { unit, calls } = machine();
  await unit.install({ mayStart: true });
  expect((await unit.remove({ purge: false }))[0]).toBe(
    'Hostler was stopped, and is no longer started when you log in',
  );
  expect([fs.existsSync(ownUnit()), (await unit.state()).startsAtLogin]).toEqual([false, false]);
  expect(calls).toContain('StopUnit');
});

test('remove reports nothing where nothing is installed', async () => {
  const { unit } = machine({ state: 'inactive', pid: 0 });
  expect(await unit.remove({ purge: false })).toEqual(['Hostler is not started when you log in; nothing was changed']);
});

test('disabling a unit that the administrator enabled for all users masks it for this user', async () => {
  const allUsers = path.join(root, 'etc/systemd/user/default.target.wants');
  fs.mkdirSync(allUsers, { recursive: true });
  fs.symlinkSync('/usr/lib/systemd/user/hostler.service', path.join(allUsers, 'hostler.service'));
  const { unit } = machine();
  expect((await unit.state()).startsAtLogin).toBe(true);
  await unit.setAutostart(false);
  expect(await unit.state()).toMatchObject({ startsAtLogin: false, isSwitchedOff: true });
});

test('a failed start and a systemd that refuses give an error with what to do', async () => {
  const failing = machine({ state: 'failed' }).unit.install({ mayStart: true });
  expect(failing).rejects.toThrow('does not start (exit-code). Run "journalctl --user --unit hostler" to see why');
  const refusing = machine({ refuses: 'EnableUnitFiles' }).unit.install({ mayStart: true });
  expect(refusing).rejects.toThrow('Run the command as root (with sudo)');
  await Promise.allSettled([failing, refusing]);
});

test('a user without a systemd gets an error before anything is written', async () => {
  fs.rmSync(path.join(root, 'run/systemd'), { recursive: true });
  const { unit } = machine();
  await expect(unit.install({ mayStart: true })).rejects.toThrow('--system');
  expect(fs.existsSync(ownUnit())).toBe(false);
});

test('lines of the journal are shown in the format of our log', () => {
  const line = (MESSAGE: unknown, PRIORITY?: string) =>
    JSON.stringify({ MESSAGE, PRIORITY, __REALTIME_TIMESTAMP: '1700000000123456' });
  expect(parseEntryLine(line('a', '3'))).toEqual(['2023-11-14T22:13:20.123Z ERROR a']);
  expect(parseEntryLine(line([104, 105], '4'))).toEqual(['2023-11-14T22:13:20.123Z WARN  hi']);
  expect(parseEntryLine(line('b'))).toEqual(['2023-11-14T22:13:20.123Z INFO  b']);
  expect(parseEntryLine('')).toEqual([]);
});
