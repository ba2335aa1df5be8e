import { expect, test } from 'bun:test';
import type { ByteStreamEvents } from '@hostler/io/byte-stream.ts';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { fakeUpsd, upsdAnswers } from '../../../test/doubles/fake-upsd.ts';
import { collectReasons } from '../../../test/harness/machines.ts';
import type { Source } from '../../core/module.ts';
import { defaultSettings } from '../index.ts';
import { batteryReadings } from './battery.readings.ts';
import type { Battery, BatteryDevice } from './battery.schema.ts';
import { withUps } from './battery.ups.ts';
import { recordUps, upsProblems, upsSeries } from './battery.ups-rows.ts';

const mains = {
  'ups.status': 'OL',
  'battery.charge': '98',
  'battery.runtime': '1800',
  'ups.load': '12',
  'input.voltage': '231.4',
  'ups.model': 'Back-UPS ES',
};
const none: Battery = { is_charging: null, percentage: null, time_remaining: null, devices: [] };
const known = (name: string, kind: BatteryDevice['kind']): BatteryDevice => ({
  id: name,
  name,
  kind,
  percentage: 50,
  level: null,
  is_charging: false,
});

function open(answer: (command: string, events: ByteStreamEvents) => string | null, devices: BatteryDevice[] = []) {
  const upsd = fakeUpsd(answer);
  const clock = fakeClock();
  const settings = { ...defaultSettings, battery: { nut: '127.0.0.1:3493' } };
  const own: Source<Battery> = {
    read(reasons) {
      reasons.inherent(null, 'This machine has no battery');
      return { ...none, devices };
    },
    watch: () => () => {},
  };
  const host = fakeHost({ connect: upsd.connect, clock, isRecording: false });
  const source = withUps(() => own)(host, fakeContext({ settings: () => settings }));
  const read = async () => {
    const { reasons, collected } = collectReasons();
    return { payload: await source.read(reasons), reasons: collected };
  };
  return { upsd, clock, settings, source, read };
}

test('without an address nothing is connected, and reasons are those of the machine', async () => {
  const { read, settings, upsd, source, clock } = open(upsdAnswers({ apc: mains }));
  settings.battery = { nut: '' };
  const stop = source.watch?.(() => {});
  expect(await read()).toMatchObject({ payload: none, reasons: [{ field: null }] });
  clock.advance(60_000);
  stop?.();
  expect(upsd.targets).toEqual([]);
});

test('a UPS is listed beside the devices of the machine', async () => {
  const { read } = open(upsdAnswers({ apc: mains }), [known('mouse', 'mouse')]);
  const { payload, reasons } = await read();
  expect(payload?.devices).toEqual([
    known('mouse', 'mouse'),
    {
      id: 'nut_apc',
      name: 'Back-UPS ES',
      kind: 'ups',
      percentage: 98,
      level: null,
      is_charging: null,
      ups: {
        state: 'on_line',
        low_battery: false,
        replace_battery: false,
        load: 12,
        time_remaining: 1800,
        input_voltage: 231.4,
      },
    },
  ]);
  // An alert takes a reason for the whole module as one for the UPS.
  expect(reasons.map(({ field }) => field)).toEqual([
    'is_charging',
    'percentage',
    'time_remaining',
    'devices[].level',
    'devices[].is_charging',
  ]);
});

test('a UPS that the system lists as well is listed once', async () => {
  const twice = [known('APC Back-UPS ES 700', 'ups'), known('Eaton 5E', 'ups')];
  expect((await open(upsdAnswers({ apc: mains }), twice).read()).payload?.devices.map(({ id }) => id)).toEqual([
    'Eaton 5E',
    'nut_apc',
  ]);
});

test('while upsd does not answer, its UPSes are unknown, and a restart is survived', async () => {
  let works = true;
  const answer = upsdAnswers({ apc: { ...mains, 'ups.status': 'OB' } });
  const { read, clock } = open((command) => (works ? answer(command) : null));
  const states = async () => (await read()).payload?.devices.map(({ ups }) => ups?.state);
  expect(await states()).toEqual(['on_battery']);
  works = false;
  clock.advance(2000);
  const { payload, reasons } = await read();
  expect(payload?.devices).toMatchObject([
    { id: 'nut_apc', name: 'Back-UPS ES', percentage: null, ups: { state: null } },
  ]);
  expect(reasons.find(({ field }) => field === 'devices[].ups.state')?.reason).toContain('closed the connection');
  expect(reasons.find(({ field }) => field === 'devices')?.mendable).toBe(true);
  // Not a recovery: an active alert stays active.
  expect(upsProblems.ups_on_battery.lacks?.(payload ?? none)).toBeString();
  works = true;
  clock.advance(2000);
  expect(await states()).toEqual(['on_battery']);
});

test('an upsd that hangs delays the other batteries by less than a second, and once in 2 s', async () => {
  const { read, clock, upsd } = open(() => '', [known('mouse', 'mouse')]);
  const reading = read();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(800);
  const { payload, reasons } = await reading;
  expect(payload?.devices).toEqual([known('mouse', 'mouse')]);
  expect(reasons).toContainEqual(expect.objectContaining({ field: 'devices', mendable: true }));
  clock.advance(2200);
  await new Promise((resolve) => setImmediate(resolve));
  await read();
  expect([upsd.targets.length, upsd.open()]).toEqual([1, 0]);
});

test('a power failure is announced within 5 s, a new charge is not', async () => {
  const variables: Record<string, string> = { ...mains };
  const { read, clock, source, settings, upsd } = open((command) => upsdAnswers({ apc: variables })(command));
  let changes = 0;
  const stop = source.watch?.(() => {
    changes += 1;
  });
  await read();
  const next = async () => {
    clock.advance(5000);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    return changes;
  };
  variables['battery.charge'] = '90';
  expect(await next()).toBe(0);
  variables['ups.status'] = 'OB DISCHRG';
  expect(await next()).toBe(1);
  expect(await next()).toBe(1);
  settings.battery = { nut: '' };
  expect(await next()).toBe(2);
  const connections = upsd.targets.length;
  await next();
  stop?.();
  expect(upsd.targets).toHaveLength(connections);
});

test('problems name the UPS', async () => {
  const { payload } = await open(upsdAnswers({ apc: { ...mains, 'ups.status': 'OB LB RB' } })).read();
  const found = Object.values(upsProblems).flatMap(({ find }) => find(payload ?? none, 0));
  expect(found.map(({ text }) => text)).toEqual([
    'The UPS Back-UPS ES is on battery',
    'The battery of the UPS Back-UPS ES is nearly empty',
    'The battery of the UPS Back-UPS ES needs to be replaced',
  ]);
  expect(upsProblems.ups_on_battery.lacks?.(none)).toContain('battery.nut');
});

test('the lowest charge and the highest load of all UPSes are recorded, while a server is named', async () => {
  const small = { ...mains, 'battery.charge': '40', 'ups.load': '5' };
  const { payload } = await open(upsdAnswers({ apc: mains, small })).read();
  const recorded = (battery: Battery) => {
    const values = new Map<string, number | null>();
    recordUps(battery, { value: (series, value) => void values.set(series, value) });
    return Object.fromEntries(values);
  };
  expect(recorded(payload ?? none)).toEqual({ 'ups.charge': 40, 'ups.load': Number(mains['ups.load']) });
  expect(recorded(none)).toEqual({});
  const names = (nut: string) =>
    Object.keys(batteryReadings.history?.configured?.({ ...defaultSettings, battery: { nut } }) ?? {});
  expect([names(''), names('127.0.0.1')]).toEqual([[], Object.keys(upsSeries)]);
});
