import { describe, expect, test } from 'bun:test';
import { type Bus, type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { bluezObjects } from '../../../test/doubles/bluez-objects.ts';
import { fakeActionContext, fakeBus, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { parse } from '../../core/json/parse.ts';
import { bluetoothActions } from './bluetooth.actions.ts';
import { bluetoothOrderInputSchema, bluetoothPowerInputSchema } from './bluetooth.schema.ts';

const [connect, disconnect, power] = bluetoothActions;
const adapter = '/org/bluez/hci0';
const headset = '38:18:4C:00:00:01';
const keyboard = 'D4:20:B0:00:00:02';
const unpaired = '66:66:66:66:66:66';

/** Succeeds, unless it is given an error. */
function desk(
  given: { refuses?: BusError; objects?: ReturnType<typeof bluezObjects>; system?: Bus; sys?: readonly string[] } = {},
) {
  const objects = given.objects ?? bluezObjects();
  const obey = (path: string, face: string, values: Record<string, unknown>) => {
    if (given.refuses !== undefined) throw given.refuses;
    Object.assign(objects[path]?.[face] ?? {}, values);
    return [];
  };
  const bus = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => [objects],
    'org.freedesktop.DBus.Properties.Get': ({ path, body }: BusCall) => [
      objects[path]?.[String(body?.[0])]?.[String(body?.[1])],
    ],
    'org.freedesktop.DBus.Properties.Set': ({ path, body }: BusCall) =>
      obey(path, String(body?.[0]), { [String(body?.[1])]: Object(body?.[2]).value }),
    'org.bluez.Device1.Connect': ({ path }: BusCall) => obey(path, 'org.bluez.Device1', { Connected: true }),
    'org.bluez.Device1.Disconnect': ({ path }: BusCall) => obey(path, 'org.bluez.Device1', { Connected: false }),
  });
  const files = machineFiles(Object.fromEntries((given.sys ?? []).map((file) => [`/sys/class/${file}`, ''])));
  const { context } = fakeActionContext(fakeHost({ files, dbus: { system: given.system ?? bus, session: noBus } }));
  const orders = () => bus.calls.filter(({ member }) => /^(Connect|Disconnect|Set)$/.test(member));
  return { context, orders };
}

test('a paired device is connected and disconnected, by address or name', async () => {
  const { context, orders } = desk();
  expect(await connect.run({ device: keyboard.toLowerCase() }, context)).toEqual({
    message: 'MX Keys is connected',
    data: { address: keyboard, name: 'MX Keys', adapter: 'hci0', connected: true, done: true },
  });
  expect((await disconnect.run({ device: 'Headphones' }, context)).data).toMatchObject({
    address: headset,
    connected: false,
  });
  expect(orders().map(({ member, path }) => `${member} ${path}`)).toEqual([
    'Connect /org/bluez/hci0/dev_D4_20_B0_00_00_02',
    'Disconnect /org/bluez/hci0/dev_38_18_4C_00_00_01',
  ]);
});

test('a device that is already connected gets no call', async () => {
  const { context, orders } = desk();
  expect((await connect.run({ device: headset, adapter: 'hci0' }, context)).message).toBe('Headphones is connected');
  expect(orders()).toEqual([]);
});

test.each([unpaired, 'unpaired\u202e\u001b[31m', 'unpaired\ufffd[31m', '../../etc/passwd', 'WH-1000XM4'])(
  '%p is not a paired device, and no call is made',
  async (device) => {
    const { context, orders } = desk();
    const refusal = await connect.run({ device }, context).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'not_found' });
    expect(refusal.message).toContain('paired: Headphones (38:18:4C:00:00:01, hci0), MX Keys');
    expect(refusal.message).not.toContain('\u001b');
    expect(orders()).toEqual([]);
  },
);

test('two devices of the same name are ambiguous', async () => {
  const objects = bluezObjects();
  for (const faces of Object.values(objects))
    if (faces['org.bluez.Device1'] !== undefined) Object.assign(faces['org.bluez.Device1'], { Alias: 'Twin' });
  const { context } = desk({ objects });
  await expect(connect.run({ device: 'Twin' }, context)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('choose one by its address'),
  });
});

describe('a refusal of bluetoothd is an error with a reason', () => {
  test.each<[string, string, string, string]>([
    ['org.bluez.Error.Failed', 'br-connection-page-timeout', 'failed', 'may be switched off, too far away'],
    ['org.bluez.Error.Failed', 'le-connection-abort-by-local', 'failed', 'may be switched off, too far away'],
    ['org.bluez.Error.InProgress', 'In Progress', 'conflict', 'is in progress'],
    ['org.freedesktop.DBus.Error.AccessDenied', 'Rejected', 'forbidden', 'group bluetooth'],
    ['org.bluez.Error.Failed', 'odd\u001b[31m', 'failed', 'odd\ufffd[31m'],
  ])('%s %s', async (name, message, code, sentence) => {
    const { context } = desk({ refuses: new BusError(name, message) });
    await expect(connect.run({ device: keyboard }, context)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(sentence),
    });
  });

  test('a connection that takes longer is not cancelled', async () => {
    const { context } = desk({ refuses: new BusError('Client.Timeout', 'no answer') });
    expect(await connect.run({ device: keyboard }, context)).toMatchObject({
      message: 'MX Keys is still being connected',
      data: { connected: false, done: false },
    });
  });
});

describe('switching Bluetooth', () => {
  test('affects all adapters, or the named one', async () => {
    const { context, orders } = desk();
    expect(await power.run({ on: false }, context)).toEqual({
      message: 'Bluetooth: hci0 is off',
      data: { adapters: [{ id: 'hci0', powered: false }] },
    });
    expect((await power.run({ on: true, adapter: 'hci0' }, context)).data.adapters).toEqual([
      { id: 'hci0', powered: true },
    ]);
    expect(orders()).toHaveLength(2);
    await expect(power.run({ on: true, adapter: 'hci7' }, context)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that is blocked names the block', async () => {
    const { context } = desk({ refuses: new BusError('org.bluez.Error.Blocked', 'Blocked through rfkill') });
    await expect(power.run({ on: false }, context)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('rfkill unblock bluetooth'),
    });
  });

  test('off, nothing is connected', async () => {
    const objects = bluezObjects();
    Object.assign(objects[adapter]?.['org.bluez.Adapter1'] ?? {}, { Powered: false });
    const { context, orders } = desk({ objects });
    await expect(connect.run({ device: keyboard }, context)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('adapter hci0 is off'),
    });
    expect(orders()).toEqual([]);
  });
});

test('without bluetoothd, or without an adapter, it is unavailable with the reason', async () => {
  for (const [given, sentence] of [
    [{ system: noBus, sys: ['bluetooth/hci0/uevent'] }, 'bluetoothd is not running; install bluez'],
    [{ system: noBus, sys: ['net/lo/mtu'] }, 'This machine has no Bluetooth adapter'],
    [{ objects: {}, sys: ['net/lo/mtu'] }, 'This machine has no Bluetooth adapter'],
    [{ objects: {}, sys: ['bluetooth/hci0/uevent'] }, 'does not manage the Bluetooth adapter'],
  ] as const) {
    const { context } = desk(given);
    expect(await connect.unavailable(context)).toContain(sentence);
    await expect(power.run({ on: true }, context)).rejects.toMatchObject({ code: 'unsupported' });
  }
  expect(await connect.unavailable(desk().context)).toBeNull();
});

test('the number of pending requests is limited', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const { context } = desk();
  const { system } = (context.host as unknown as { dbus: { system: Bus } }).dbus;
  const answer = system.call;
  system.call = (call) => (call.member === 'Connect' ? promise : answer(call));
  const orders = Array.from({ length: 8 }, () => connect.run({ device: keyboard }, context));
  await Bun.sleep(0);
  await expect(connect.run({ device: keyboard }, context)).rejects.toThrow('Too many');
  const other = { ...context, caller: { ...context.caller, tokenId: 'other' } };
  orders.push(connect.run({ device: keyboard }, other));
  expect(await Promise.race([orders.at(-1), Bun.sleep(1)])).toBeUndefined();
  resolve([]);
  await Promise.allSettled(orders);
});

test.each([{}, { device: '' }, { device: 'x'.repeat(10_000) }, { device: 7 }, { device: 'a', pair: true }])(
  '%p is refused',
  (input) => {
    expect(() => parse(bluetoothOrderInputSchema, input, 'bluetooth.connect')).toThrow('bluetooth.connect');
  },
);

test.each([{}, { on: 'true' }, { on: null }, { on: true, adapter: '' }])(
  'the invalid power request %p switches nothing',
  (input) => {
    expect(() => parse(bluetoothPowerInputSchema, input, 'bluetooth.power')).toThrow('bluetooth.power');
  },
);
