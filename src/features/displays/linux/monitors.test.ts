import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { fakeMonitor } from '@hostler/ddc/testing/fake-monitor.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { fakeMonitorBus } from '../../../../test/doubles/fake-monitor-bus.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { findMonitors, monitorOf } from './monitor-addresses.ts';
import { createMonitors } from './monitors.ts';

const edid = Uint8Array.from({ length: 128 }, (_, index) => (index * 7) & 0xff);
const other = edid.with(12, 99);
const drm = '/sys/class/drm';

/** One monitor at HDMI-A-1, whose bus the kernel names, and the given files. */
const machine = (more: Record<string, string | Uint8Array> = {}) =>
  machineFiles({
    [`${drm}/card0/dev`]: '226:0\n',
    [`${drm}/card0-HDMI-A-1/status`]: 'connected\n',
    [`${drm}/card0-HDMI-A-1/edid`]: edid,
    [`${drm}/card0-HDMI-A-1/dpms`]: 'On\n',
    [`${drm}/card0-HDMI-A-1/ddc`]: '-> ../../../i2c-5',
    '/dev/i2c-5': '',
    ...more,
  });

function at(files = machine(), bus = fakeMonitorBus()) {
  const clock = fakeClock();
  const monitors = createMonitors({ files, place: (file) => file, clock, startThread: bus.startThread });
  const read = () => monitors.read(['HDMI-A-1'], 800).then((states) => states.get('HDMI-A-1'));
  return { monitors, read, clock, files, bus };
}

test('the values of a monitor are read', async () => {
  const { read, bus } = at();
  expect(await read()).toEqual({
    kind: 'read',
    controls: {
      brightness: 50,
      contrast: 70,
      input: 'HDMI-1',
      inputs: ['DisplayPort-1', 'HDMI-1', 'HDMI-2', 'Input-27'],
      power: 'on',
    },
  });
  expect(bus.opened).toEqual(['/dev/i2c-5']);
  expect(bus.threads).toEqual({ started: 1, ended: 1 });
});

test('a monitor is queried at most once a minute, and its capabilities once', async () => {
  const { read, bus, clock, monitors } = at();
  await read();
  await read();
  expect(bus.threads.started).toBe(1);
  const monitor = bus.monitors.get(5);
  const described = () => monitor?.received.filter(([order]) => order === 0xf3).length ?? 0;
  const once = described();
  expect(once).toBeGreaterThan(0);
  monitor?.features.set(0x10, { value: 80, max: 80 });
  clock.advance(60_000);
  let changes = 0;
  monitors.watch(() => {
    changes += 1;
  });
  // Known values are returned at once, and new ones are announced.
  expect(await read()).toMatchObject({ controls: { brightness: 50 } });
  while (changes === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await read()).toMatchObject({ controls: { brightness: 100 } });
  expect(described()).toBe(once);
});

test('a monitor that does not answer is queried once, and again after it was reconnected', async () => {
  const { read, bus, clock, files, monitors } = at(machine(), fakeMonitorBus({ 5: null }));
  expect(await read()).toEqual({ kind: 'silent' });
  clock.advance(86_400_000);
  expect(await read()).toEqual({ kind: 'silent' });
  await expect(monitors.set('HDMI-A-1', 'brightness', 10)).rejects.toThrow('when it is reconnected');
  expect(bus.threads.started).toBe(1);
  files.write(`${drm}/card0-HDMI-A-1/status`, 'disconnected\n');
  expect(await read()).toBeUndefined();
  clock.advance(10_000);
  bus.monitors.set(5, fakeMonitor());
  files.write(`${drm}/card0-HDMI-A-1/status`, 'connected\n');
  expect(await read()).toMatchObject({ kind: 'read' });
  // Another monitor at the same connector is queried.
  bus.monitors.set(5, null);
  files.write(`${drm}/card0-HDMI-A-1/edid`, other);
  expect(await read()).toEqual({ kind: 'silent' });
});

test('the pause doubles for a monitor that stops answering', async () => {
  const { read, bus, clock } = at();
  await read();
  bus.monitors.set(5, null);
  clock.advance(60_000);
  await read();
  while (bus.threads.ended < 2) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(await read()).toEqual({ kind: 'resting' });
  clock.advance(299_000);
  await read();
  expect(bus.threads.started).toBe(2);
  bus.monitors.set(5, fakeMonitor());
  clock.advance(1000);
  await read();
  expect(bus.threads.started).toBe(3);
});

test('invalid replies are ignored, and values are limited to the maximum', async () => {
  const junk = fakeMonitor({ spoil: () => Uint8Array.from({ length: 40 }, () => 0xa5) });
  expect(await at(machine(), fakeMonitorBus({ 5: junk })).read()).toEqual({ kind: 'silent' });
  const boasting = fakeMonitor({ capabilities: '(vcp(60(' });
  boasting.features.set(0x10, { value: 60_000, max: 100 });
  boasting.features.set(0x12, { value: 5, max: 0 });
  boasting.features.set(0x60, { value: 0x3a0f, max: 0xffff });
  boasting.features.set(0xd6, { value: 99, max: 5 });
  expect(await at(machine(), fakeMonitorBus({ 5: boasting })).read()).toEqual({
    kind: 'read',
    controls: { brightness: 100, contrast: null, input: 'DisplayPort-1', inputs: ['DisplayPort-1'], power: null },
  });
});

test('a query that hangs in the kernel does not block a read', async () => {
  const bus = fakeMonitorBus();
  bus.hangs = true;
  const { read, clock, monitors } = at(machine(), bus);
  const first = read();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(800);
  expect(await first).toEqual({ kind: 'asking' });
  let changes = 0;
  monitors.watch(() => {
    changes += 1;
  });
  clock.advance(45_000);
  while (changes === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await read()).toEqual({ kind: 'silent' });
});

test('no query without a bus, i2c-dev or permission, or while the monitor is off', async () => {
  const none = machine();
  none.remove(`${drm}/card0-HDMI-A-1/ddc`);
  const off = machine({ [`${drm}/card0-HDMI-A-1/dpms`]: 'Off\n' });
  const missing = machine();
  missing.remove('/dev/i2c-5');
  const refused = { ...machine(), denied: (file: string) => file === '/dev/i2c-5' };
  for (const [files, state] of [
    [none, { kind: 'no-bus' }],
    [off, { kind: 'off' }],
    [missing, { kind: 'absent', file: '/dev/i2c-5' }],
    [refused, { kind: 'denied', file: '/dev/i2c-5' }],
  ] as const) {
    const { read, bus, monitors } = at(files as ReturnType<typeof machine>);
    expect(await read()).toEqual(state);
    await expect(monitors.set('HDMI-A-1', 'contrast', 10)).rejects.toMatchObject({
      code: state.kind === 'denied' ? 'forbidden' : 'unsupported',
    });
    expect(bus.threads.started).toBe(0);
  }
});

test('the reason for a missing permission quotes the udev rule of the packages', async () => {
  const { monitors } = at({ ...machine(), denied: () => true } as ReturnType<typeof machine>);
  const rules = fs.readFileSync(path.join(import.meta.dirname, '../../../../deploy/package/60-hostler.rules'), 'utf8');
  const message = await monitors.set('HDMI-A-1', 'contrast', 10).catch((error: Error) => error.message);
  const [, rule = 'none'] = /write (.*) to \/etc/.exec(String(message)) ?? [];
  expect(rules.split('\n')).toContain(rule);
});

test('a feature is set in the scale of the monitor, and the change is announced', async () => {
  const { monitors, bus } = at();
  let changes = 0;
  monitors.watch(() => {
    changes += 1;
  });
  expect(await monitors.set('HDMI-A-1', 'brightness', 25)).toMatchObject({ brightness: 25 });
  expect(bus.monitors.get(5)?.features.get(0x10)?.value).toBe(20);
  expect(await monitors.set('HDMI-A-1', 'brightness', 1000)).toMatchObject({ brightness: 100 });
  expect(await monitors.set('HDMI-1', 'input', 0x0f)).toMatchObject({ input: 'DisplayPort-1' });
  expect(await monitors.set('HDMI-A-1', 'power', 4)).toMatchObject({ power: 'off' });
  expect(changes).toBeGreaterThan(0);
  bus.monitors.get(5)?.features.delete(0x12);
  await expect(at(machine(), bus).monitors.set('HDMI-A-1', 'contrast', 5)).rejects.toThrow('has no contrast');
  await expect(monitors.set('DP-9', 'brightness', 5)).rejects.toMatchObject({ code: 'not_found' });
});

test('a monitor that disappears during a change is an error with a reason', async () => {
  const { monitors, read, bus } = at();
  await read();
  bus.monitors.set(5, null);
  await expect(monitors.set('HDMI-A-1', 'brightness', 5)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('does not answer'),
  });
});

test('if the kernel names no bus, only those of the same card are searched, by EDID', async () => {
  const card = '../../devices/pci0000:00/0000:01:00.0';
  const files = machineFiles({
    [`${drm}/card0/dev`]: '226:0\n',
    '/sys/devices/pci0000:00/0000:01:00.0/drm/card0/card0-DP-1/status': 'connected\n',
    '/sys/devices/pci0000:00/0000:01:00.0/drm/card0/card0-DP-1/edid': edid,
    [`${drm}/card0-DP-1`]: `-> ${card}/drm/card0/card0-DP-1`,
    '/sys/bus/i2c/devices/i2c-0': '-> ../../../devices/pci0000:00/0000:00:1f.4/i2c-0',
    '/sys/bus/i2c/devices/i2c-3': '-> ../../../devices/pci0000:00/0000:01:00.0/i2c-3',
    '/sys/bus/i2c/devices/i2c-4': '-> ../../../devices/pci0000:00/0000:01:00.0/i2c-4',
    '/dev/i2c-0': '',
    '/dev/i2c-3': '',
    '/dev/i2c-4': '',
  });
  const bus = fakeMonitorBus({ 0: fakeMonitor(), 3: fakeMonitor(), 4: fakeMonitor() });
  bus.edids.set(3, other);
  bus.edids.set(4, edid);
  const { monitors } = at(files, bus);
  expect((await monitors.read(['DP-1'], 800)).get('DP-1')).toMatchObject({ kind: 'read' });
  expect(bus.opened).toEqual(['/dev/i2c-3', '/dev/i2c-4']);
  expect(bus.monitors.get(3)?.received).toEqual([]);
  expect(bus.monitors.get(0)?.received).toEqual([]);
});

test('the bus of DisplayPort is below its connector; panels and unplugged connectors are skipped', () => {
  const files = machine({
    [`${drm}/card0-DP-1/status`]: 'connected\n',
    [`${drm}/card0-DP-1/edid`]: other,
    [`${drm}/card0-DP-1/i2c-9/name`]: 'AUX B/DDI B/PHY B\n',
    [`${drm}/card0-DP-2/status`]: 'connected\n',
    [`${drm}/card0-DP-2/edid`]: other,
    [`${drm}/card0-DP-2/drm_dp_aux2/i2c-11/name`]: 'aux\n',
    [`${drm}/card0-DP-3/status`]: 'disconnected\n',
    [`${drm}/card0-DP-3/edid`]: other,
    [`${drm}/card0-eDP-1/status`]: 'connected\n',
    [`${drm}/card0-eDP-1/edid`]: edid,
    [`${drm}/card0-eDP-1/ddc`]: '-> ../../../i2c-2',
    [`${drm}/card0-VGA-1/status`]: 'connected\n',
    [`${drm}/card0-VGA-1/edid`]: '',
  });
  const places = findMonitors(files);
  expect(places.map(({ connector, buses }) => [connector, buses])).toEqual([
    ['DP-1', [9]],
    ['DP-2', [11]],
    ['HDMI-A-1', [5]],
  ]);
  expect(monitorOf(places, 'HDMI-1')?.connector).toBe('HDMI-A-1');
  expect(monitorOf(places, 'eDP-1')).toBeNull();
});
