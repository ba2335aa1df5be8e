import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { type Bluetooth, bluetoothSchema } from '../../../src/features/bluetooth/bluetooth.schema.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { needs } from '../harness/parts.ts';
import { createToken, postJson, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';

setDefaultTimeout(180_000);

const python = '/usr/bin/python3';
const hasMocks = () =>
  needs('dbus-daemon', python) &&
  (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));

const adapter = '/org/bluez/hci0';
const headset = '38:18:4C:00:00:01';
const keyboard = 'D4:20:B0:00:00:02';
const unpaired = '66:66:66:66:66:66';
const pathOf = (address: string) => `${adapter}/dev_${address.replaceAll(':', '_')}`;

/** The daemon is a stand-in, and /sys is that of this machine. */
const hasRadio = fs.existsSync('/sys/class/bluetooth/hci0');

/** A stand-in for bluetoothd from python3-dbusmock: this kernel may lack Bluetooth. On a private bus. */
describe.skipIf(!hasMocks())('Bluetooth with a stand-in for bluetoothd', () => {
  let system: PrivateBus;
  let daemon: ChildProcess;
  let bus: Bus;
  let hostler: RunningHostler;
  let socket: SocketClient;

  const environment = () => ({
    DBUS_SYSTEM_BUS_ADDRESS: system.address,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
  });
  const call = (object: string, face: string, member: string, signature = '', body: unknown[] = []) =>
    bus.call({ destination: 'org.bluez', path: object, interface: face, member, signature, body, timeoutMs: 30_000 });
  const mock = (member: string, signature: string, body: unknown[]) =>
    call('/', 'org.bluez.Mock', member, signature, body);
  /** As bluetoothd does it: the value changes, and PropertiesChanged is emitted. */
  const set = (object: string, face: string, values: Record<string, unknown>) =>
    call(object, 'org.freedesktop.DBus.Mock', 'UpdateProperties', 'sa{sv}', [face, values]);

  async function startDaemon(): Promise<void> {
    daemon = spawn(python, ['-m', 'dbusmock', '--template', 'bluez5'], {
      env: { PATH: process.env.PATH ?? '', ...environment() },
      stdio: 'ignore',
    });
    await until(async () => (await call('/', 'org.freedesktop.DBus.Peer', 'Ping').catch(() => null)) !== null || null);
    await mock('AddAdapter', 'ss', ['hci0', 'desk']);
    for (const [address, alias] of [
      [headset, 'Headphones'],
      [keyboard, 'MX Keys'],
      [unpaired, 'stranger\u202e\u001b[31m'],
    ])
      await mock('AddDevice', 'sss', ['hci0', address, alias]);
    for (const [address, icon] of [
      [headset, 'audio-headset'],
      [keyboard, 'input-keyboard'],
    ] as const) {
      // The template emits a connection, but does not store it.
      for (const [method, value] of [
        ['Connect', 'True'],
        ['Disconnect', 'False'],
      ])
        await call(pathOf(address), 'org.freedesktop.DBus.Mock', 'AddMethod', 'sssss', [
          'org.bluez.Device1',
          method,
          '',
          '',
          `self.UpdateProperties("org.bluez.Device1", {"Connected": dbus.Boolean(${value}, variant_level=1)})`,
        ]);
      await set(pathOf(address), 'org.bluez.Device1', { Icon: variant('s', icon) });
      await mock('PairDevice', 'ssi', ['hci0', address, 0x240404]);
    }
  }

  async function endDaemon(): Promise<void> {
    const ended = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    await ended;
  }

  const read = async () => bluetoothSchema.parse(await (await hostler.get('/api/data/bluetooth')).json());
  const device = ({ devices }: Bluetooth, address: string) => devices.find((each) => each.address === address);
  const pushes = () =>
    socket.messages.flatMap(({ type, module, data }) =>
      type === 'DATA_UPDATE' && module === 'bluetooth' ? [bluetoothSchema.parse(data)] : [],
    );
  /** A push that came after this many. */
  const pushed = (after: number, matches: (payload: Bluetooth) => boolean) =>
    until(() => pushes().slice(after).find(matches) ?? null);
  const order = async (verb: string, body: unknown, token = hostler.token) => {
    const response = await postJson(hostler, `/api/bluetooth/${verb}`, body, token);
    return { status: response.status, body: await response.json() };
  };

  beforeAll(async () => {
    system = createPrivateBus();
    await system.start();
    bus = connectBuses({
      variable: (name) => ({ ...environment() })[name as 'DBUS_SYSTEM_BUS_ADDRESS'] ?? null,
    }).system;
    await startDaemon();
    const prepare = (directory: string) => {
      fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
      // Read once an hour: earlier changes were announced.
      fs.writeFileSync(
        path.join(directory, 'config', 'settings.json'),
        JSON.stringify({ modules: { bluetooth: { interval: 3_600_000 } } }),
      );
    };
    hostler = await startHostler({ env: environment(), prepare });
    socket = await connectSocket(hostler);
    await socket.ask('REGISTER_DATA_LISTENER', { modules: ['bluetooth'] });
    await until(() => pushes().some(({ adapters }) => adapters.length === 1) || null);
  });
  afterAll(async () => {
    socket?.end();
    await hostler?.stop();
    daemon?.kill('SIGKILL');
    bus?.close();
    await system?.remove();
  });

  test('paired devices are listed, unpaired ones are not', async () => {
    const payload = await read();
    expect(payload.adapters).toMatchObject([{ id: 'hci0', name: 'desk', powered: true }]);
    expect(payload.devices.map(({ name, paired, connected }) => ({ name, paired, connected }))).toEqual([
      { name: 'Headphones', paired: true, connected: false },
      { name: 'MX Keys', paired: true, connected: false },
    ]);
    expect(JSON.stringify(payload)).not.toContain('stranger');
  });

  test('a device is connected and disconnected, and listeners are notified', async () => {
    const before = pushes().length;
    expect(await order('connect', { device: 'Headphones' })).toMatchObject({
      status: 200,
      body: { message: 'Headphones is connected', data: { address: headset, connected: true, done: true } },
    });
    await pushed(before, (payload) => device(payload, headset)?.connected === true);
    const { code, stdout } = await runHostler(['bluetooth', 'disconnect', headset.toLowerCase()], {
      directory: hostler.directory,
    });
    expect([code, stdout]).toEqual([0, 'Headphones is disconnected\n']);
    await pushed(before, (payload) => device(payload, headset)?.connected === false);
  });

  test('changes that bluetoothd makes are pushed', async () => {
    const before = pushes().length;
    await set(adapter, 'org.bluez.Adapter1', { Powered: variant('b', false) });
    await pushed(before, ({ adapters }) => adapters[0]?.powered === false);
    const off = await order('connect', { device: keyboard });
    expect(off).toMatchObject({ status: 409, body: { error: expect.stringContaining('adapter hci0 is off') } });
    expect(await order('power', { on: true })).toMatchObject({
      status: 200,
      body: { message: 'Bluetooth: hci0 is on' },
    });
    await pushed(before, ({ adapters }) => adapters[0]?.powered === true);
  });

  test('unpaired devices that come and go cause no updates and cannot be connected', async () => {
    const before = pushes().length;
    for (let each = 10; each < 60; each++)
      await mock('AddDevice', 'sss', ['hci0', `66:66:66:66:00:${each}`, `phone ${each}`]);
    await set(pathOf(unpaired), 'org.bluez.Device1', { Connected: variant('b', true), RSSI: variant('n', -40) });
    // Later changes would have been pushed later as well.
    await set(pathOf(keyboard), 'org.bluez.Device1', { Alias: variant('s', 'Keys') });
    await pushed(before, (payload) => device(payload, keyboard)?.name === 'Keys');
    // Fifty of them came; earlier changes still in flight may be pushed as well.
    expect(pushes().length - before).toBeLessThan(5);
    for (const wanted of [unpaired, 'phone 12'])
      expect(await order('connect', { device: wanted })).toMatchObject({
        status: 404,
        body: { error: expect.stringContaining('There is no paired device') },
      });
  });

  test('the command line lists the devices', async () => {
    const { code, stdout } = await runHostler(['bluetooth'], { directory: hostler.directory });
    expect(code).toBe(0);
    expect(stdout).toContain('hci0: desk');
    expect(stdout).toMatch(/Headphones\s+headset\s+no\s.*38:18:4C:00:00:01/);
    expect(stdout).not.toContain('phone 1');
  });

  test('without the scope nothing is connected or disconnected', async () => {
    const token = await createToken(hostler, 'reader', 'read');
    for (const [verb, body] of [
      ['connect', { device: keyboard }],
      ['power', { on: false }],
    ] as const)
      expect((await order(verb, body, token)).status).toBe(403);
    expect(await order('connect', {})).toMatchObject({ status: 400 });
    expect(await order('connect', { device: 'x'.repeat(10_000) })).toMatchObject({ status: 400 });
  });

  test('a bluetoothd that hangs affects only this module, which recovers', async () => {
    daemon.kill('SIGSTOP');
    try {
      const refused = await order('power', { on: false });
      expect(refused).toMatchObject({
        status: 502,
        body: { error: expect.stringContaining('bluetoothd does not answer') },
      });
      expect((await hostler.get('/api/health')).status).toBe(200);
    } finally {
      daemon.kill('SIGCONT');
    }
    await until(async () => (await order('power', { on: true })).status === 200 || null);
  });

  test('a bluetoothd that crashes is reported with the reason, and its replacement is found', async () => {
    const before = pushes().length;
    await endDaemon();
    await pushed(before, ({ adapters }) => adapters.length === 0);
    expect(await order('connect', { device: keyboard })).toMatchObject({
      status: 501,
      body: { error: expect.stringMatching(hasRadio ? /bluetoothd is not running/ : /no Bluetooth adapter/) },
    });
    const after = pushes().length;
    await startDaemon();
    await pushed(after, ({ devices }) => devices.length === 2);
  });

  test('a bus that crashes and restarts is followed again', async () => {
    const before = pushes().length;
    await system.kill();
    await once(daemon, 'exit');
    await system.start();
    await startDaemon();
    await pushed(before, ({ devices }) => devices.length === 2);
    const after = pushes().length;
    await set(pathOf(keyboard), 'org.bluez.Device1', { Connected: variant('b', true) });
    await pushed(after, (payload) => device(payload, keyboard)?.connected === true);
  });
});
