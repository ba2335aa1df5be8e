import { expect, test } from 'bun:test';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeContext, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import type { FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import { sessionLinux } from './session.linux.ts';
import { session } from './session.ts';

const nowhere: FoundSession = { variables: {}, wayland: null, x11: null };
const foundBy = (found: FoundSession) => ({ session: { find: async () => found, watch: () => () => {} } });

testEachMachine('linux', import.meta.dirname, session.module, sessionLinux, () => foundBy(nowhere));

const hasOwner = 'org.freedesktop.DBus.NameHasOwner';
const getAll = 'org.freedesktop.DBus.Properties.GetAll';
const listSessions = 'org.freedesktop.login1.Manager.ListSessions';

interface Given {
  logind?: Record<string, unknown>;
  system?: Record<string, Record<string, unknown>>;
  desktop?: string;
  owners?: string[];
}

async function read({ logind, system = {}, desktop, owners = [] }: Given) {
  const bus = fakeBus({
    [hasOwner]: ({ body }: BusCall) => [
      owners.includes(String(body?.[0])) || (logind !== undefined && body?.[0] === 'org.freedesktop.login1'),
    ],
    [listSessions]: () => [[['c1', 1000, 'anna', 'seat0', '/org/freedesktop/login1/session/c1']]],
    [getAll]({ body, path }: BusCall) {
      if (path.startsWith('/org/freedesktop/login1'))
        return [{ Class: 'user', State: 'active', User: [1000, '/'], ...logind }];
      const values = system[String(body?.[0])];
      if (values === undefined) throw new BusError('org.freedesktop.DBus.Error.Failed', 'it is broken');
      return [values];
    },
  });
  const variables: Record<string, string> = desktop === undefined ? {} : { XDG_CURRENT_DESKTOP: desktop };
  const host = fakeHost({
    files: machineFiles({ '/sys/class/net/lo/address': '' }),
    dbus: { system: bus, session: noBus },
    ...foundBy({ ...nowhere, variables }),
  });
  const { reasons, collected } = collectReasons();
  const payload = await sessionLinux(host, fakeContext()).read(reasons);
  return { payload, why: (field: string) => collected.find((each) => each.field === field)?.reason };
}

const seated = {
  Name: 'anna',
  Seat: ['seat0', '/'],
  Type: 'wayland',
  Active: true,
  IdleHint: false,
  LockedHint: false,
};

test('the user comes from logind, and the hints of a desktop that sets them are used', async () => {
  const { payload, why } = await read({ logind: seated, desktop: 'ubuntu:GNOME' });
  expect(payload).toMatchObject({
    user: 'anna',
    seat: 'seat0',
    type: 'wayland',
    desktop: 'GNOME',
    idle: false,
    idle_since: null,
    locked: false,
  });
  expect(why('idle_since')).toBe('The session is in use');
});

test('a hint that is set counts on any desktop; one that is not set means unknown where the desktop never sets it', async () => {
  const idle = { ...seated, IdleHint: true, IdleSinceHint: 1_767_225_600_000_000n, LockedHint: true };
  const set = await read({ logind: idle, desktop: 'sway' });
  expect(set.payload).toMatchObject({ idle: true, idle_since: 1_767_225_600, locked: true });
  const unset = await read({ logind: seated, desktop: 'sway' });
  expect(unset.payload).toMatchObject({ idle: null, idle_since: null, locked: null });
  expect(unset.why('locked')).toContain('swaylock');
});

test('logind knows whether a text session is idle', async () => {
  const { payload, why } = await read({ logind: { ...seated, Type: 'tty' } });
  expect(payload).toMatchObject({ type: 'tty', idle: false, locked: null, desktop: null });
  expect(why('locked')).toContain('text session');
});

test('UPower and the power profiles are read where they run, and a failing one affects its own fields only', async () => {
  const upower = { OnBattery: true, LidIsClosed: true, LidIsPresent: true };
  const both = await read({
    owners: ['org.freedesktop.UPower', 'net.hadess.PowerProfiles'],
    system: { 'org.freedesktop.UPower': upower, 'net.hadess.PowerProfiles': { ActiveProfile: 'power-saver' } },
  });
  expect(both.payload).toMatchObject({ on_battery: true, lid_closed: true, power_profile: 'power-saver' });
  const broken = await read({
    owners: ['org.freedesktop.UPower', 'net.hadess.PowerProfiles'],
    system: { 'org.freedesktop.UPower': upower },
  });
  expect(broken.payload).toMatchObject({ on_battery: true, power_profile: null });
  expect(broken.why('power_profile')).toContain('it is broken');
});

test('names are cut to 64 characters, without control characters', async () => {
  const { payload } = await read({
    logind: { ...seated, Name: `\u001b[2J\u202e${'x'.repeat(10_000)}` },
    desktop: 'y'.repeat(500),
  });
  expect(payload?.user?.length).toBe(64);
  expect(payload?.user?.startsWith('\ufffd[2Jxx')).toBe(true);
  expect(payload?.desktop?.length).toBe(64);
});

test('without a logged-in user every reason is inherent', async () => {
  const bus = fakeBus({ [hasOwner]: () => [false] });
  const host = fakeHost({
    files: machineFiles({ '/sys/class/net/lo/address': '' }),
    dbus: { system: bus, session: bus },
    ...foundBy(nowhere),
  });
  const { reasons, collected } = collectReasons();
  await sessionLinux(host, fakeContext()).read(reasons);
  expect(collected.filter(({ mendable }) => mendable)).toEqual([]);
});

test('a read starts no program: it calls only names that have an owner', async () => {
  const bus = fakeBus({ [hasOwner]: () => [false] });
  const host = fakeHost({ files: machineFiles({}), dbus: { system: bus, session: bus }, ...foundBy(nowhere) });
  await sessionLinux(host, fakeContext()).read(collectReasons().reasons);
  expect(new Set(bus.calls.map(({ member }) => member))).toEqual(new Set(['NameHasOwner']));
});

test('lids and batteries that are missing are looked for every five seconds, and existing ones are read each time', async () => {
  const files = machineFiles({ '/sys/class/net/lo/address': '' });
  const become = (status: string, lid: string) => {
    const supply = `POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=${status}\n`;
    files.write('/sys/class/power_supply/BAT0/uevent', supply);
    files.write('/proc/acpi/button/lid/LID/state', `state:      ${lid}\n`);
  };
  const bus = fakeBus({ [hasOwner]: () => [false] });
  const host = fakeHost({ files, dbus: { system: bus, session: bus }, ...foundBy(nowhere) });
  const source = sessionLinux(host, fakeContext());
  const now = async () => {
    const payload = await source.read(collectReasons().reasons);
    return [payload?.on_battery, payload?.lid_closed];
  };
  expect(await now()).toEqual([false, null]);
  become('Discharging', 'closed');
  host.clock.advance(4999);
  expect(await now()).toEqual([false, null]);
  host.clock.advance(1);
  expect(await now()).toEqual([true, true]);
  become('Charging', 'open');
  expect(await now()).toEqual([false, false]);
});
