import { describe, expect, test } from 'bun:test';
import { type Bus, type BusCall, BusError, type Signal, type SignalMatch } from '@hostler/dbus/dbus.ts';
import { bluezObjects } from '../../../test/doubles/bluez-objects.ts';
import { fakeBus, fakeContext, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { bluetoothLinux } from './bluetooth.linux.ts';
import { bluetoothSchema } from './bluetooth.schema.ts';
import { bluetooth } from './bluetooth.ts';

testEachMachine('linux', import.meta.dirname, bluetooth.module, bluetoothLinux, () => ({
  dbus: { system: noBus, session: noBus },
}));

type Objects = ReturnType<typeof bluezObjects>;
const adapter = '/org/bluez/hci0';
const headset = `${adapter}/dev_38_18_4C_00_00_01`;
const unpaired = `${adapter}/dev_66_66_66_66_66_66`;

function bluetoothd(objects: () => Objects | BusError | null) {
  const followers: { match: SignalMatch; listener: (signal: Signal) => void }[] = [];
  const bus = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': ({ body }: BusCall) => [body?.[0] === 'org.bluez' && objects() !== null],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => {
      const answer = objects();
      if (answer instanceof BusError) throw answer;
      return [answer];
    },
  });
  const system: Bus = {
    ...bus,
    async subscribe(match, listener) {
      const entry = { match, listener };
      followers.push(entry);
      return () => void followers.splice(followers.indexOf(entry), 1);
    },
  };
  const announce = (member: string, path: string, body: unknown[]) => {
    for (const { match, listener } of [...followers])
      if (match.member === member) listener({ sender: ':1.5', path, interface: match.interface, member, body });
  };
  const files = machineFiles({ '/sys/class/bluetooth/hci0/uevent': '' });
  const host = fakeHost({ files, dbus: { system, session: noBus } });
  const source = bluetoothLinux(host, fakeContext());
  const read = async () => {
    const { reasons, collected } = collectReasons();
    const payload = await source.read(reasons);
    expect(unexplained(payload, collected)).toEqual([]);
    return { payload: bluetoothSchema.parse(payload), collected };
  };
  return { source, read, announce, calls: bus.calls, followers };
}

test('adapters and paired devices are listed, other devices nearby are not', async () => {
  const { payload, collected } = await bluetoothd(bluezObjects).read();
  expect(payload).toEqual({
    adapters: [{ id: 'hci0', name: 'laptop', address: '00:1A:7D:DA:71:13', powered: true, discovering: false }],
    devices: [
      {
        address: '38:18:4C:00:00:01',
        adapter: 'hci0',
        name: 'Headphones',
        kind: 'headset',
        paired: true,
        trusted: true,
        connected: true,
        battery: 70,
        rssi: null,
      },
      {
        address: 'D4:20:B0:00:00:02',
        adapter: 'hci0',
        name: 'MX Keys',
        kind: 'keyboard',
        paired: true,
        trusted: false,
        connected: false,
        battery: null,
        rssi: null,
      },
    ],
  });
  expect(collected.map(({ field }) => field)).toEqual(['devices[].battery', 'devices[].rssi']);
});

test('names are one short line, and invalid values are left out', async () => {
  const objects = bluezObjects();
  const device = objects[headset]?.['org.bluez.Device1'] ?? {};
  Object.assign(device, { Alias: `\u202eevil\u0007${'x'.repeat(10_000)}`, RSSI: 4000 });
  Object.assign(objects[headset] ?? {}, { 'org.bluez.Battery1': { Percentage: 255 } });
  objects[`${adapter}/dev_x`] = { 'org.bluez.Device1': { ...device, Address: '../../etc/passwd' } };
  objects[`${adapter}/dev_y`] = { 'org.bluez.Device1': { ...device, Adapter: '/nowhere' } };
  const { payload } = await bluetoothd(() => objects).read();
  expect(payload.devices).toHaveLength(2);
  expect(payload.devices[0]).toMatchObject({ battery: null, rssi: null });
  expect(payload.devices[0]?.name).toHaveLength(100);
  expect(payload.devices[0]?.name).toStartWith('evil\ufffdxxx');
});

test('thousands of devices are cut off', async () => {
  const objects = bluezObjects();
  const like = objects[headset] ?? {};
  for (let each = 0; each < 5000; each++) objects[`${headset}_${each}`] = like;
  expect((await bluetoothd(() => objects).read()).payload.devices).toHaveLength(256);
});

describe('without an answer the payload is empty, with a reason', () => {
  test.each<[string, Objects | BusError | null, string]>([
    ['not running', null, 'bluetoothd is not running'],
    ['hanging', new BusError('Client.Timeout', 'no answer within 0.6 s'), 'no answer within 0.6 s'],
    ['without an adapter', {}, 'does not manage the Bluetooth adapter'],
  ])('%s', async (_name, answer, sentence) => {
    const { payload, collected } = await bluetoothd(() => answer).read();
    expect(payload).toEqual({ adapters: [], devices: [] });
    expect(collected).toEqual([{ field: null, reason: expect.stringContaining(sentence), mendable: true }]);
  });
});

describe('while there is a listener', () => {
  async function listening(objects = bluezObjects()) {
    const daemon = bluetoothd(() => objects);
    let news = 0;
    const stop = daemon.source.watch?.(() => void news++) ?? (() => {});
    await daemon.read();
    await Bun.sleep(0);
    await daemon.read();
    news = 0;
    const asked = () => daemon.calls.filter(({ member }) => member === 'GetManagedObjects').length;
    return { ...daemon, objects, stop, news: () => news, asked };
  }
  const changed = (face: string, values: Record<string, unknown>) => [face, values, []];

  test('changes of paired devices and adapters are reported at once', async () => {
    const { announce, news } = await listening();
    announce('PropertiesChanged', headset, changed('org.bluez.Device1', { Connected: false }));
    announce('PropertiesChanged', headset, changed('org.bluez.Battery1', { Percentage: 60 }));
    announce('PropertiesChanged', adapter, changed('org.bluez.Adapter1', { Powered: false }));
    announce('InterfacesRemoved', '/', [headset, ['org.bluez.Battery1']]);
    announce('NameOwnerChanged', '/org/freedesktop/DBus', ['org.bluez', ':1.5', '']);
    expect(news()).toBe(5);
  });

  test('changes of unpaired devices and of the signal strength are ignored', async () => {
    const { announce, news, asked, read } = await listening();
    const before = asked();
    announce('InterfacesAdded', '/', [`${unpaired}_2`, { 'org.bluez.Device1': { Paired: false, Alias: 'x' } }]);
    announce('InterfacesRemoved', '/', [unpaired, ['org.bluez.Device1']]);
    announce('PropertiesChanged', unpaired, changed('org.bluez.Device1', { Connected: true, Alias: 'y' }));
    announce('PropertiesChanged', headset, changed('org.bluez.Device1', { RSSI: -50, ManufacturerData: {} }));
    expect(news()).toBe(0);
    await read();
    expect(asked()).toBe(before);
  });

  test('a device that is paired now is listed', async () => {
    const { announce, news, objects, read } = await listening();
    Object.assign(objects[unpaired]?.['org.bluez.Device1'] ?? {}, { Paired: true });
    announce('PropertiesChanged', unpaired, changed('org.bluez.Device1', { Paired: true }));
    expect(news()).toBe(1);
    const { payload } = await read();
    expect(payload.devices.map(({ name }) => name)).toEqual(['Headphones', 'unpaired\ufffd[31m', 'MX Keys']);
  });

  test('during discovery the signal strength is read each time', async () => {
    const objects = bluezObjects();
    Object.assign(objects[adapter]?.['org.bluez.Adapter1'] ?? {}, { Discovering: true });
    Object.assign(objects[headset]?.['org.bluez.Device1'] ?? {}, { RSSI: -40 });
    const { read, asked } = await listening(objects);
    const before = asked();
    expect((await read()).payload.devices[0]?.rssi).toBe(-40);
    expect(asked()).toBe(before + 1);
  });

  test('all subscriptions end with the listener', async () => {
    const { stop, followers } = await listening();
    stop();
    expect(followers).toEqual([]);
  });
});

test('the reason for a missing adapter is cached for five seconds, and follows bluetoothd at once', async () => {
  let hasAdapter = false;
  let isRunning = false;
  const files = {
    ...machineFiles({ '/sys/class/net/lo/address': '' }),
    list: (directory: string) => (directory === '/sys/class/bluetooth' && hasAdapter ? ['hci0'] : []),
  };
  const system = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [isRunning],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => [{}],
  });
  const host = fakeHost({ files, dbus: { system, session: noBus } });
  const source = bluetoothLinux(host, fakeContext());
  const why = async () => {
    const { reasons, collected } = collectReasons();
    await source.read(reasons);
    return collected[0]?.reason;
  };
  expect(await why()).toBe('This machine has no Bluetooth adapter');
  hasAdapter = true;
  host.clock.advance(4999);
  expect(await why()).toBe('This machine has no Bluetooth adapter');
  host.clock.advance(1);
  expect(await why()).toContain('bluetoothd is not running');
  isRunning = true;
  expect(await why()).toContain('does not manage the Bluetooth adapter');
});
