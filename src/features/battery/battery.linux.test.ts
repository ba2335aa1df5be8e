import { expect, test } from 'bun:test';
import type { BusCall } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeClock, fakeContext, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { fakeUpsd, upsdAnswers } from '../../../test/doubles/fake-upsd.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import { until } from '../../../test/harness/until.ts';
import { batteryLinux } from './battery.linux.ts';
import { battery } from './battery.ts';
import { withUps } from './battery.ups.ts';

/** A machine with `etc/nut/upsd.txt`, the variables of its UPS `desk`, has a upsd. */
const variablesFile = '/etc/nut/upsd.txt';

testEachMachine('linux', import.meta.dirname, battery.module, (host, context) => {
  const variables = host.files.text(variablesFile);
  if (variables === null) return batteryLinux(host, context);
  const desk = Object.fromEntries(
    variables
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  );
  const given = { connect: fakeUpsd(upsdAnswers({ desk })).connect, isRecording: false };
  const settings = { ...context.settings(), battery: { nut: '127.0.0.1:3493' } };
  return withUps(() => batteryLinux(host, context))(fakeHost(given), { ...context, settings: () => settings });
});

const hasOwner = 'org.freedesktop.DBus.NameHasOwner';
const getAll = 'org.freedesktop.DBus.Properties.GetAll';
const discharging = 'POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CAPACITY=50\n';
const laptop = { '/sys/class/power_supply/BAT0/uevent': discharging };
const desktop = { '/sys/class/net/lo/address': '00:00:00:00:00:00\n' };

async function read(files: Record<string, string>, methods: Record<string, (call: BusCall) => unknown[]>) {
  const system = fakeBus(methods);
  const host = fakeHost({ files: machineFiles(files), dbus: { system, session: noBus } });
  const { reasons, collected } = collectReasons();
  const payload = await batteryLinux(host, fakeContext()).read(reasons);
  return { payload, reasons: collected, members: system.calls.map(({ member }) => member) };
}

test('values come from UPower where it runs, which smooths them', async () => {
  const device = { IsPresent: true, State: 2, Percentage: 61.53, TimeToEmpty: 5400, TimeToFull: 0 };
  const { payload, reasons } = await read(laptop, { [hasOwner]: () => [true], [getAll]: () => [device] });
  expect(payload).toMatchObject({ is_charging: false, percentage: 61.5, time_remaining: 5400 });
  expect(reasons).toEqual([]);
});

test('while charging, the time remaining is the time until full', async () => {
  const device = { IsPresent: true, State: 1, Percentage: 61.5, TimeToEmpty: 0, TimeToFull: 3600n };
  const { payload } = await read(desktop, { [hasOwner]: () => [true], [getAll]: () => [device] });
  expect(payload).toMatchObject({ is_charging: true, percentage: 61.5, time_remaining: 3600 });
});

test('a read does not start UPower', async () => {
  const { payload, members } = await read(laptop, { [hasOwner]: () => [false], [getAll]: () => [{ IsPresent: true }] });
  expect(payload?.percentage).toBe(50);
  expect(members).toEqual(['NameHasOwner']);
});

test('if UPower fails or has no batteries, the kernel is read', async () => {
  const without = await read(laptop, { [hasOwner]: () => [true], [getAll]: () => [{ IsPresent: false }] });
  expect(without.payload?.percentage).toBe(50);
  const failing = await read(laptop, { [hasOwner]: () => [true] });
  expect(failing.payload?.percentage).toBe(50);
});

test('a listener starts UPower on a laptop, not on a desktop', async () => {
  for (const [files, members] of [
    [laptop, ['StartServiceByName']],
    [desktop, []],
  ] as const) {
    const system = fakeBus({});
    const host = fakeHost({ files: machineFiles(files), dbus: { system, session: noBus } });
    const stop = batteryLinux(host, fakeContext()).watch?.(() => {});
    await until(() => system.calls.length >= members.length, 'UPower is asked for');
    await new Promise((resolve) => setImmediate(resolve));
    stop?.();
    expect(system.calls.map(({ member }) => member)).toEqual([...members]);
  }
});

test('while its changes are followed, UPower is read again only after an announcement or an interval', async () => {
  const device = { IsPresent: true, State: 2, Percentage: 60, TimeToEmpty: 5400, TimeToFull: 0 };
  const system = fakeBus({ [hasOwner]: () => [true], [getAll]: () => [device] });
  let announce = () => {};
  const clock = fakeClock();
  const dbus = { system: { ...system, onReconnected: (listener: () => void) => bind(listener) }, session: noBus };
  const bind = (listener: () => void) => {
    announce = listener;
    return () => {};
  };
  const source = batteryLinux(fakeHost({ files: machineFiles(desktop), dbus, clock }), fakeContext());
  const asked = async () => {
    await source.read(collectReasons().reasons);
    return system.calls.filter(({ member }) => member === 'GetAll').length;
  };
  expect([await asked(), await asked()]).toEqual([1, 2]);
  let changes = 0;
  const stop = source.watch?.(() => {
    changes += 1;
  });
  await asked();
  await new Promise((resolve) => setImmediate(resolve));
  // An answer from before the subscription is not cached.
  expect([await asked(), await asked(), changes]).toEqual([3, 3, 1]);
  announce();
  expect([await asked(), await asked(), changes]).toEqual([4, 4, 2]);
  clock.advance(10_000);
  expect([await asked(), await asked()]).toEqual([5, 5]);
  stop?.();
  expect([await asked(), await asked()]).toEqual([6, 7]);
});

test('attached devices are listed separately, whatever their names', async () => {
  const paths = ['mouse_dev', 'headset_dev', 'line_power_AC', 'battery_BAT0', 'gone', 'broken'];
  const devices: Record<string, Record<string, unknown>> = {
    DisplayDevice: { IsPresent: false },
    mouse_dev: {
      Type: 5,
      IsPresent: true,
      Percentage: 55.6,
      BatteryLevel: 1,
      State: 2,
      Model: 'MX Master',
      Vendor: 'Logitech',
    },
    headset_dev: {
      Type: 17,
      IsPresent: true,
      Percentage: 30,
      BatteryLevel: 3,
      State: 0,
      Model: `\u001b[2J\u202e${'x'.repeat(5000)}`,
    },
    line_power_AC: { Type: 1, IsPresent: true, PowerSupply: true },
    battery_BAT0: { Type: 2, IsPresent: true, PowerSupply: true, Percentage: 50 },
    gone: { Type: 6, IsPresent: false, Percentage: 50 },
  };
  const { payload, reasons } = await read(desktop, {
    [hasOwner]: () => [true],
    'org.freedesktop.UPower.EnumerateDevices': () => [paths.map((name) => `/org/freedesktop/UPower/devices/${name}`)],
    [getAll]({ path }) {
      const values = devices[path.slice(path.lastIndexOf('/') + 1)];
      if (values === undefined) throw new Error('it is broken');
      return [values];
    },
  });
  expect(payload?.devices).toEqual([
    {
      id: 'headset_dev',
      name: `\ufffd[2J${'x'.repeat(75)}…`,
      kind: 'headset',
      percentage: null,
      level: 'low',
      is_charging: null,
    },
    {
      id: 'mouse_dev',
      name: 'Logitech MX Master',
      kind: 'mouse',
      percentage: 56,
      level: null,
      is_charging: false,
    },
  ]);
  expect(reasons.map(({ field }) => field)).toEqual([
    'devices[].percentage',
    'devices[].level',
    'devices[].is_charging',
    null,
  ]);
});

test('the empty payload matches the schema', async () => {
  expect((await battery.module.schema()).parse(battery.module.empty)).toEqual(battery.module.empty);
});
