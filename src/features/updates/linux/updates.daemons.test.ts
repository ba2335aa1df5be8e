import { expect, test } from 'bun:test';
import { type Bus, BusError, type Signal } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeClock } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { readFwupd } from './fwupd.ts';
import { readPackageKit } from './packagekit.ts';
import { followPackageDaemons } from './updates.daemons.ts';

const owner = 'org.freedesktop.DBus.NameHasOwner';

test('fwupd is not started: if it is not running it is not listed', async () => {
  const bus = fakeBus({ [owner]: () => [false] });
  expect(await readFwupd(bus)).toBeNull();
  expect(bus.calls.map(({ member }) => member)).toEqual(['NameHasOwner']);
});

test('fwupd: updatable devices with an upgrade', async () => {
  const bus = fakeBus({
    [owner]: () => [true],
    'org.freedesktop.fwupd.GetDevices': () => [
      [
        { DeviceId: 'a', Name: 'System\u202eFirmware', Version: '1.2', Flags: 2 },
        { DeviceId: 'b', Name: 'Keyboard', Version: '0.1', Flags: 3n },
        { DeviceId: 'c', Name: 'Fixed', Flags: 1 },
        { Name: 'Without an id', Flags: 2 },
        null,
      ],
    ],
    'org.freedesktop.fwupd.GetUpgrades': ({ body }) => {
      if (body?.[0] === 'b') throw new BusError('org.freedesktop.fwupd.NothingToDo', 'No upgrades');
      return [[{ Version: '1.3' }, { Version: '1.2.5' }]];
    },
  });
  expect(await readFwupd(bus)).toMatchObject({
    updates: 1,
    security: null,
    packages: [{ name: 'System\ufffdFirmware', current: '1.2', candidate: '1.3', security: null }],
  });
});

test('a failure of fwupd is reported', async () => {
  const bus = fakeBus({ [owner]: () => [true] });
  expect(await readFwupd(bus)).toMatchObject({ updates: null, problem: expect.stringContaining('does not answer') });
});

/** A PackageKit that sends these signals on request. */
function packageKit(signals: [member: string, ...body: unknown[]][]): Bus & { asked: string[] } {
  let emit: (signal: Signal) => void = () => {};
  const asked: string[] = [];
  const bus = fakeBus({
    [owner]: () => [true],
    'org.freedesktop.PackageKit.CreateTransaction': () => ['/1_a'],
    'org.freedesktop.PackageKit.Transaction.SetHints': ({ body }) => {
      asked.push(String(body?.[0]));
      return [];
    },
    'org.freedesktop.PackageKit.Transaction.GetUpdates': () => {
      for (const [member, ...body] of signals)
        emit({ sender: ':1.1', path: '/1_a', interface: 'org.freedesktop.PackageKit.Transaction', member, body });
      return [];
    },
  });
  return {
    ...bus,
    asked,
    subscribe: async (_match, onSignal) => {
      emit = onSignal;
      return () => {};
    },
  };
}

const fedora = { '/usr/lib/sysimage/rpm/rpmdb.sqlite': '' };

test('PackageKit is queried on RPM systems only, for cached lists', async () => {
  const bus = packageKit([
    ['Package', 8, 'openssl;3.1-2;x86_64;updates', 'TLS'],
    ['Package', 5, 'vim;9.1-1;x86_64;updates', 'Editor'],
    ['Package', 9, 'blocked;1;x86_64;updates', ''],
    ['Package', 5, 17],
    ['Finished', 1, 100],
  ]);
  expect(await readPackageKit(bus, machineFiles({}), fakeClock().after)).toBeNull();
  const debian = machineFiles({ ...fedora, '/var/lib/dpkg/status': '' });
  expect(await readPackageKit(bus, debian, fakeClock().after)).toBeNull();
  expect(bus.asked).toEqual([]);
  expect(await readPackageKit(bus, machineFiles(fedora), fakeClock().after)).toMatchObject({
    name: 'packagekit',
    updates: 2,
    security: 1,
    packages: [
      { name: 'openssl', current: '', candidate: '3.1-2', security: true },
      { name: 'vim', candidate: '9.1-1', security: false },
    ],
  });
  expect(bus.asked).toEqual(['background=true,interactive=false,cache-age=4294967295']);
});

test.each<[string, [string, ...unknown[]][], string]>([
  [
    'fails',
    [
      ['ErrorCode', 4, 'No cache is available'],
      ['Finished', 2, 1],
    ],
    'No cache is available',
  ],
  ['ends without success', [['Finished', 3, 1]], 'could not list'],
])('PackageKit that %s says why', async (_what, signals, sentence) => {
  expect(await readPackageKit(packageKit(signals), machineFiles(fedora), fakeClock().after)).toMatchObject({
    updates: null,
    problem: expect.stringContaining(sentence),
  });
});

test('PackageKit that never finishes is abandoned', async () => {
  const clock = fakeClock();
  const reading = readPackageKit(packageKit([]), machineFiles(fedora), clock.after);
  while (!clock.advanceToNext()) await new Promise((resolve) => setImmediate(resolve));
  expect(await reading).toMatchObject({ updates: null, problem: expect.stringContaining('more than 30 s') });
});

test('an RPM system without PackageKit names the package to install', async () => {
  const bus = fakeBus({ [owner]: () => [false], 'org.freedesktop.DBus.ListActivatableNames': () => [['other']] });
  expect(await readPackageKit(bus, machineFiles(fedora), fakeClock().after)).toMatchObject({
    updates: null,
    problem: expect.stringContaining('Install PackageKit'),
  });
});

test('several signals are one change, and none comes after the end', async () => {
  const clock = fakeClock();
  const listeners: ((signal: Signal) => void)[] = [];
  let left = 0;
  const bus: Bus = {
    ...fakeBus({}),
    subscribe: async (_match, onSignal) => {
      listeners.push(onSignal);
      return () => {
        left += 1;
      };
    },
  };
  let changes = 0;
  const stop = followPackageDaemons(bus, clock, () => {
    changes += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  const signal = { sender: '', path: '/', interface: '', member: 'Changed', body: [] };
  for (let times = 0; times < 50; times += 1) listeners[0]?.(signal);
  clock.advance(10_000);
  expect(changes).toBe(1);
  listeners[0]?.(signal);
  stop();
  clock.advance(10_000);
  expect(changes).toBe(1);
  expect(left).toBe(listeners.length);
});
