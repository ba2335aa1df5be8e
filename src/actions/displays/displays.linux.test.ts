import { expect, test } from 'bun:test';
import { fakeActionContext, fakeBus, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { createReading } from '../../core/reading.ts';
import { createAttributes } from '../../host/linux/hardware/attributes.ts';
import { type Bus, type BusCall, BusError } from '../../protocols/dbus/dbus.ts';
import { displayActions } from './displays.ts';

const [displayBrightness, displayPower] = displayActions;
const panel = '/sys/class/backlight/intel_backlight';

function laptop({ system = noBus, ids = ['eDP-1', 'DP-1'] }: { system?: Bus; ids?: string[] } = {}) {
  const files = machineFiles({
    [`${panel}/type`]: 'raw\n',
    [`${panel}/max_brightness`]: '400\n',
    [`${panel}/brightness`]: '200\n',
  });
  const written: string[] = [];
  const real = createAttributes({ all: files.root }, fakeHost().clock);
  const attributes = {
    ...real,
    write: async (file: string, value: string) => {
      written.push(`${file} ${value}`);
      files.write(file, value);
    },
  };
  const host = fakeHost({ files, attributes, dbus: { system, session: noBus } });
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

test('logind is asked to set it, and the file is left alone', async () => {
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

test('where there is no logind, or it refuses, the file is written', async () => {
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

test('a refusal says what to do', async () => {
  const { context, host } = laptop({
    system: logindWith(() => {
      throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'Session is not in foreground\u001b[31m');
    }),
  });
  host.attributes.write = async () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  };
  await expect(displayBrightness.run({ percent: 10 }, context)).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(/Session is not in foreground\ufffd\[31m.*only root may write .*rule of udev$/),
  });
});

test('a display that is not there, or cannot be dimmed, is refused by name', async () => {
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

test('without a backlight it is unavailable, with the reason', async () => {
  const host = fakeHost({ files: machineFiles({}) });
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

test('nothing is made that is not there', async () => {
  const files = machineFiles({ '/sys/class/backlight/x/brightness': '200\n' });
  const attributes = createAttributes({ all: files.root }, fakeHost().clock);
  await attributes.write('/sys/class/backlight/x/brightness', '150');
  expect(files.text('/sys/class/backlight/x/brightness')).toBe('150');
  await expect(attributes.write('/sys/class/backlight/y/brightness', '1')).rejects.toThrow('ENOENT');
  expect(files.exists('/sys/class/backlight/y')).toBe(false);
});

test('without a desktop displays cannot be switched, and the answer says so', async () => {
  const session = { find: async () => ({ variables: {}, wayland: null, x11: null }), watch: () => () => {} };
  const host = fakeHost({ session });
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

test('a desktop that does not answer is an error in a sentence', async () => {
  const session = { find: async () => ({ variables: {}, wayland: '/x', x11: null }), watch: () => () => {} };
  const connectLocal = async () => {
    throw new Error('connection refused');
  };
  const { context } = fakeActionContext(fakeHost({ session, connectLocal }));
  expect(await displayPower.unavailable(context)).toBe('The desktop could not be asked: connection refused');
});
