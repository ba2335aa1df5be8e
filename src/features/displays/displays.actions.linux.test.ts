import { expect, test } from 'bun:test';
import path from 'node:path';
import { type Bus, type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeMonitor } from '@hostler/ddc/testing/fake-monitor.ts';
import { type FakeHost, fakeActionContext, fakeBus, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { fakeMonitorBus } from '../../../test/doubles/fake-monitor-bus.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import type { PausedControl } from '../../core/control-pause.ts';
import { setPart } from '../../core/part.ts';
import { createReading } from '../../core/reading.ts';
import { displayActions } from './displays.actions.ts';
import { monitors } from './linux/monitors.part.ts';
import { createMonitors } from './linux/monitors.ts';
import { attributes, createAttributes } from './linux/sysfs-attributes.ts';

const [displayBrightness, displayPower, displayContrast, displayInput] = displayActions;
const panel = '/sys/class/backlight/intel_backlight';

const placeIn =
  ({ root }: { root: string }) =>
  (file: string) =>
    path.join(root, file);
const withoutMonitors = (host: FakeHost) => setPart(host, monitors, monitors.absent);

interface Laptop {
  system?: Bus;
  session?: Bus;
  ids?: string[];
}

function laptop({ system = noBus, session: desktop = noBus, ids = ['eDP-1', 'DP-1'] }: Laptop = {}) {
  const files = machineFiles({
    [`${panel}/type`]: 'raw\n',
    [`${panel}/max_brightness`]: '400\n',
    [`${panel}/brightness`]: '200\n',
  });
  const written: string[] = [];
  const real = createAttributes({ place: placeIn(files), clock: fakeHost().clock });
  const faked = {
    ...real,
    write: async (file: string, value: string) => {
      written.push(`${file} ${value}`);
      files.write(file, value);
    },
  };
  const host = withoutMonitors(fakeHost({ files, dbus: { system, session: desktop } }));
  setPart(host, attributes, faked);
  const read = async () =>
    createReading(
      ids.map((id) => ({ id })),
      [],
      host.clock,
    );
  const { context } = fakeActionContext(host, { read });
  return { host, files, context, written };
}

const session = '/org/freedesktop/login1/session/_31';
const logindWith = (setBrightness: (call: BusCall) => unknown[]) =>
  fakeBus({
    'org.freedesktop.login1.Manager.ListSessions': () => [[['1', 1000, 'tester', 'seat0', session]]],
    'org.freedesktop.DBus.Properties.GetAll': () => [
      { Id: '1', Name: 'tester', User: [1000, '/'], Class: 'user', State: 'active', Active: true, Type: 'wayland' },
    ],
    'org.freedesktop.login1.Session.SetBrightness': setBrightness,
  });

test('the brightness is set through logind, and the file is not written', async () => {
  const bus = logindWith(() => {
    files.write(`${panel}/brightness`, '160\n');
    return [];
  });
  const { context, files, written } = laptop({ system: bus });
  const { message, data } = await displayBrightness.run({ percent: 40 }, context);
  expect(bus.calls.at(-1)).toMatchObject({
    path: session,
    signature: 'ssu',
    body: ['backlight', 'intel_backlight', 160],
  });
  expect(written).toEqual([]);
  expect(data).toEqual({ displays: [{ id: 'eDP-1', brightness: 40 }] });
  expect(message).toBe('The brightness of eDP-1 is 40 %');
});

test('without logind, or if it refuses, the file is written', async () => {
  const refusing = logindWith(() => {
    throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'Session is not in foreground, refusing');
  });
  for (const system of [noBus, refusing]) {
    const { context, written } = laptop({ system });
    expect((await displayBrightness.run({ percent: 10, display: 'eDP-1' }, context)).data.displays).toEqual([
      { id: 'eDP-1', brightness: 10 },
    ]);
    expect(written).toEqual([`${panel}/brightness 40`]);
  }
});

test('a refusal says how to fix it', async () => {
  const { context, host } = laptop({
    system: logindWith(() => {
      throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'Session is not in foreground\u001b[31m');
    }),
  });
  setPart(host, attributes, {
    ...attributes.absent,
    write: async () => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    },
  });
  await expect(displayBrightness.run({ percent: 10 }, context)).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(/Session is not in foreground\ufffd\[31m.*only root may write .*udev rule$/),
  });
});

test('a display that is not connected or cannot be dimmed is refused by name', async () => {
  const { context } = laptop();
  await expect(displayBrightness.run({ percent: 10, display: 'DP-9' }, context)).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no display "DP-9"; connected: eDP-1, DP-1',
  });
  await expect(displayBrightness.run({ percent: 10, display: 'DP-1' }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('DP-1 cannot be set'),
  });
  const bare = laptop({ ids: [] });
  await expect(displayBrightness.run({ percent: 10 }, bare.context)).rejects.toMatchObject({ code: 'not_found' });
});

test('without a backlight the action is unavailable, with the reason', async () => {
  const host = withoutMonitors(fakeHost({ files: machineFiles({}), dbus: { system: noBus, session: noBus } }));
  expect(await displayBrightness.unavailable(fakeActionContext(host).context)).toContain(
    '/sys/class/backlight is empty',
  );
  const { context } = laptop();
  expect(await displayBrightness.unavailable(context)).toBeNull();
});

test('1000 percent, none and text are refused', async () => {
  const schema = await displayBrightness.input();
  for (const percent of [1000, -1, Number.NaN, '40', null, undefined])
    expect(schema.safeParse({ percent }).success).toBe(false);
  expect(schema.safeParse({ percent: 40, display: 'x'.repeat(10_000) }).success).toBe(false);
  expect(schema.safeParse({ percent: 40, brightness: 3 }).success).toBe(false);
  expect(schema.safeParse({ percent: 0 }).success).toBe(true);
});

test('writing a brightness creates no file', async () => {
  const files = machineFiles({ '/sys/class/backlight/x/brightness': '200\n' });
  const { write } = createAttributes({ place: placeIn(files), clock: fakeHost().clock });
  await write('/sys/class/backlight/x/brightness', '150');
  expect(files.text('/sys/class/backlight/x/brightness')).toBe('150');
  await expect(write('/sys/class/backlight/y/brightness', '1')).rejects.toThrow('ENOENT');
  expect(files.exists('/sys/class/backlight/y')).toBe(false);
});

test('without a desktop displays cannot be switched, and the answer says so', async () => {
  const session = { find: async () => ({ variables: {}, wayland: null, x11: null }), watch: () => () => {} };
  const host = withoutMonitors(fakeHost({ session }));
  const read = async () => createReading([{ id: 'DP-1' }, { id: 'DP-2' }], [], host.clock);
  const { context } = fakeActionContext(host, { read });
  const sentence = 'No desktop is running that could switch displays on and off';
  expect(await displayPower.unavailable(context)).toBe(sentence);
  await expect(displayPower.run({ on: false }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: sentence,
  });
  await expect(displayPower.run({ on: false, display: 'DP-3' }, context)).rejects.toMatchObject({ code: 'not_found' });
});

test('a desktop that does not answer is an error with a reason', async () => {
  const session = { find: async () => ({ variables: {}, wayland: '/x', x11: null }), watch: () => () => {} };
  const connectLocal = async () => {
    throw new Error('connection refused');
  };
  const { context } = fakeActionContext(withoutMonitors(fakeHost({ session, connectLocal })));
  expect(await displayPower.unavailable(context)).toBe('The desktop did not answer: connection refused');
});

/** A machine without a desktop: two external monitors, of which the second does not answer unless given, and a panel. */
function machine({
  second = null as ReturnType<typeof fakeMonitor> | null,
  session = noDesktop,
  desktop = noBus as Bus,
} = {}) {
  const edid = (seed: number) => Uint8Array.from({ length: 128 }, (_, index) => index ^ seed);
  const connector = (name: string, seed: number, bus: number) => ({
    [`/sys/class/drm/card0-${name}/status`]: 'connected\n',
    [`/sys/class/drm/card0-${name}/edid`]: edid(seed),
    [`/sys/class/drm/card0-${name}/ddc`]: `-> ../../../i2c-${bus}`,
    [`/dev/i2c-${bus}`]: '',
  });
  const files = machineFiles({ ...connector('DP-1', 1, 5), ...connector('DP-2', 2, 6), ...connector('eDP-1', 3, 7) });
  const bus = fakeMonitorBus({ 5: fakeMonitor(), 6: second, 7: fakeMonitor() });
  const host = fakeHost({ files, session, dbus: { system: noBus, session: desktop } });
  const { startThread } = bus;
  setPart(host, monitors, createMonitors({ files, place: (file) => file, clock: host.clock, startThread }));
  const read = async () => createReading([{ id: 'DP-1' }, { id: 'DP-2' }, { id: 'eDP-1' }], [], host.clock);
  return { ...fakeActionContext(host, { read }), bus, files, monitor: bus.monitors.get(5) };
}

const noDesktop = { find: async () => ({ variables: {}, wayland: null, x11: null }), watch: () => () => {} };

test('external monitors are dimmed over DDC/CI; one that does not answer does not affect the others', async () => {
  const { context, monitor } = machine();
  expect(await displayBrightness.unavailable(context)).toBeNull();
  expect((await displayBrightness.run({ percent: 25 }, context)).message).toBe('The brightness of DP-1 is 25 %');
  expect(monitor?.features.get(0x10)?.value).toBe(20);
  // 0.4 percent is not black.
  await displayBrightness.run({ percent: 0.1, display: 'DP-1' }, context);
  expect(monitor?.features.get(0x10)?.value).toBe(1);
  await expect(displayBrightness.run({ percent: 25, display: 'DP-2' }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('DP-2 does not answer over DDC/CI'),
  });
  await expect(displayBrightness.run({ percent: 25, display: 'eDP-1' }, context)).rejects.toMatchObject({
    message: expect.stringContaining('eDP-1 is not an external monitor'),
  });
});

test('contrast is set where a monitor has it', async () => {
  const { context, monitor } = machine();
  expect(await displayContrast.run({ percent: 33 }, context)).toEqual({
    message: 'The contrast of DP-1 is 33 %',
    data: { displays: [{ id: 'DP-1', contrast: 33 }] },
  });
  monitor?.features.delete(0x12);
  const other = machine();
  other.monitor?.features.delete(0x12);
  await expect(displayContrast.run({ percent: 33 }, other.context)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'DP-1 has no contrast that can be set over DDC/CI',
  });
  const schema = await displayContrast.input();
  for (const percent of [1000, -1, '40', null]) expect(schema.safeParse({ percent }).success).toBe(false);
});

test('an input is switched by its name; an unknown one is refused with the list of inputs', async () => {
  const { context, monitor } = machine();
  const order = (input: string, display: string | null = 'DP-1') => displayInput.run({ input, display }, context);
  expect((await order('displayport-1')).message).toBe('DP-1 was switched to DisplayPort-1');
  expect(monitor?.features.get(0x60)?.value).toBe(0x0f);
  await expect(order('VGA-1')).rejects.toMatchObject({
    code: 'invalid',
    message: 'DP-1 has no input "VGA-1"; it lists DisplayPort-1, HDMI-1, HDMI-2, Input-27',
  });
  await expect(order('\u202e;rm')).rejects.toMatchObject({ code: 'invalid' });
  // A plain number is accepted: the lists are not always complete.
  expect((await order('Input-144')).data).toEqual({ display: 'DP-1', input: 'Input-144' });
  const several = machine({ second: fakeMonitor() });
  await expect(displayInput.run({ input: 'HDMI-1' }, several.context)).rejects.toMatchObject({
    code: 'invalid',
    message: 'display.input: name one of the displays DP-1, DP-2',
  });
  await expect(order('HDMI-1', 'DP-7')).rejects.toMatchObject({ code: 'not_found' });
});

test('without a desktop monitors are switched off over DDC/CI, with an off state they support', async () => {
  const button = fakeMonitor({ capabilities: '(vcp(10 D6(01 05)))' });
  const { context, monitor } = machine({ second: button });
  expect(await displayPower.unavailable(context)).toBeNull();
  await displayBrightness.run({ percent: 10 }, context);
  expect(await displayPower.run({ on: false }, context)).toEqual({
    message: 'DP-1, DP-2 are off',
    data: { displays: ['DP-1', 'DP-2'], power: 'off', confirmed: true },
  });
  expect([monitor, button].map((each) => each?.features.get(0xd6)?.value)).toEqual([4, 5]);
  await displayPower.run({ on: true, display: 'DP-1' }, context);
  expect(monitor?.features.get(0xd6)?.value).toBe(1);
  await expect(displayPower.run({ on: false, display: 'eDP-1' }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'No desktop is running that could switch displays on and off',
  });
});

test('a monitor that was unplugged is refused, and without any monitor the action is unavailable', async () => {
  const { context, files } = machine();
  for (const name of ['DP-1', 'DP-2']) files.write(`/sys/class/drm/card0-${name}/status`, 'disconnected\n');
  await expect(displayContrast.run({ percent: 5, display: 'DP-1' }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: 'DP-1 is not an external monitor',
  });
  expect(await displayContrast.unavailable(context)).toContain('No external monitor is connected');
  expect(await displayInput.unavailable(context)).toContain('No external monitor is connected');
});

const getProperty = 'org.freedesktop.DBus.Properties.Get';
const owning = (name: string) => ({
  'org.freedesktop.DBus.NameHasOwner': ({ body }: BusCall) => [body?.[0] === name],
});

test('the brightness is set through GNOME, so that its slider follows; if GNOME cannot, through logind', async () => {
  const set: BusCall[] = [];
  const gnome = (brightness: number) =>
    fakeBus({
      ...owning('org.gnome.SettingsDaemon.Power'),
      [getProperty]: () => [brightness],
      'org.freedesktop.DBus.Properties.Set': (call) => {
        set.push(call);
        return [];
      },
    });
  const { context, written } = laptop({ session: gnome(80) });
  expect((await displayBrightness.run({ percent: 30.4 }, context)).data.displays).toEqual([
    { id: 'eDP-1', brightness: 30 },
  ]);
  expect(set[0]).toMatchObject({
    destination: 'org.gnome.SettingsDaemon.Power',
    body: ['org.gnome.SettingsDaemon.Power.Screen', 'Brightness', { value: 30 }],
  });
  expect(written).toEqual([]);
  // GNOME reports -1 if it dims nothing.
  const other = laptop({ session: gnome(-1) });
  await displayBrightness.run({ percent: 10 }, other.context);
  expect(other.written).toEqual([`${panel}/brightness 40`]);
});

test('Plasma dims monitors with a unique name, and the others are dimmed over DDC/CI', async () => {
  const orders: unknown[] = [];
  const plasma = (labels: Record<string, string>) =>
    fakeBus({
      ...owning('org.kde.ScreenBrightness'),
      [getProperty]: () => [Object.keys(labels)],
      'org.freedesktop.DBus.Properties.GetAll': ({ path }) => [
        { Brightness: 5000, MaxBrightness: 10_000, IsInternal: false, Label: labels[path.split('/').at(-1) ?? ''] },
      ],
      'org.kde.ScreenBrightness.Display.SetBrightness': ({ path, body }) => {
        orders.push([path, body]);
        return [];
      },
    });
  const known = plasma({ display0: 'Some Maker DP-2', display1: 'Another', '../evil': 'x' });
  const { context, monitor } = machine({ desktop: known });
  expect((await displayBrightness.run({ percent: 20 }, context)).data.displays).toEqual([
    { id: 'DP-1', brightness: 20 },
    { id: 'DP-2', brightness: 20 },
  ]);
  expect(orders).toEqual([['/org/kde/ScreenBrightness/display0', [2000, 0]]]);
  expect(monitor?.features.get(0x10)?.value).toBe(16);
  // Two monitors of one name are ambiguous.
  orders.length = 0;
  const twins = machine({ desktop: plasma({ display0: 'DP-1', display1: 'DP-1' }) });
  await displayBrightness.run({ percent: 20 }, twins.context);
  expect(orders).toEqual([]);
});

test('a token has eight orders in progress at most, and another token is still served', async () => {
  const { context } = laptop();
  const order = (tokenId: string) =>
    displayBrightness.run({ percent: 40 }, { ...context, caller: { ...context.caller, tokenId } });
  const outcomes = await Promise.allSettled([...Array.from({ length: 9 }, () => order('one')), order('two')]);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(8).fill('fulfilled'), 'rejected', 'fulfilled']);
  expect(outcomes[8]).toMatchObject({ reason: { code: 'rate_limited' } });
});

test('orders of one token do not delay those of another by more than one order', async () => {
  const { context, written } = laptop();
  const order = (percent: number, tokenId: string) =>
    displayBrightness.run({ percent }, { ...context, caller: { ...context.caller, tokenId } });
  await Promise.all([...[10, 20, 30].map((percent) => order(percent, 'one')), order(40, 'two')]);
  expect(written).toEqual([40, 160, 80, 120].map((value) => `${panel}/brightness ${value}`));
});

test('orders run one by one, and one whose token was revoked while it waited is dropped', async () => {
  const { context, files } = laptop();
  const revoked = new Set<string>();
  const first = Promise.withResolvers<void>();
  const order = (percent: number, tokenId: string) =>
    displayBrightness.run(
      { percent },
      {
        ...context,
        caller: { ...context.caller, tokenId },
        admits: (caller) => !revoked.has(caller.tokenId),
        read: async (module) => {
          await first.promise;
          return await context.read(module);
        },
      },
    );
  const outcomes = Promise.allSettled([order(10, 'one'), order(20, 'two'), order(30, 'three')]);
  revoked.add('two');
  first.resolve();
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(files.text(`${panel}/brightness`)).toBe('120');
});

test('an order that waits when control is paused is dropped', async () => {
  const { context, files } = laptop();
  let paused: PausedControl | null = null;
  const first = Promise.withResolvers<void>();
  const order = (percent: number) =>
    displayBrightness.run(
      { percent },
      {
        ...context,
        controlPause: { ...context.controlPause, current: () => paused },
        read: async (module) => {
          await first.promise;
          return await context.read(module);
        },
      },
    );
  const outcomes = Promise.allSettled([order(10), order(20)]);
  await new Promise((resolve) => setImmediate(resolve));
  paused = { since: 0, until: null, by: 'test' };
  first.resolve();
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(files.text(`${panel}/brightness`)).toBe('40');
});
