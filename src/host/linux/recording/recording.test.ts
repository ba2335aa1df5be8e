import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { createMachineRecorder } from './record-machine.ts';
import { openReplay } from './replay.ts';

const directory = () => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-recording-'));
  onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
};

const hostName = 'alices-laptop';

function machine(files: Record<string, string | Uint8Array>) {
  const calls = {
    'a.Player.Get': () => [{ 'xesam:title': 'A private song', volume: 1n << 60n, raw: new Uint8Array([1, 2]) }],
  };
  const bus = fakeBus(calls);
  const found = machineFiles({ 'etc/passwd': 'alice:x:1000:1000:Alice Liddell,,,:/home/alice:/bin/bash\n', ...files });
  const host = fakeHost({
    files: found,
    dbus: { system: bus, session: bus },
    network: { addresses: () => [], searchDomains: () => [] },
    volumes: {
      space: (place) => (place === '/' ? { kind: 'value', value: { total: 9, free: 4, available: 3 } } : gone),
      spaceLater: async () => gone,
      onLate: () => () => {},
      follow: async () => () => {},
    },
    environment: { hostname: () => hostName, userName: 'alice', home: '/home/alice' },
  });
  return { recorder: createMachineRecorder(host, '6.0.0'), found };
}

const gone = { kind: 'failed', code: 'ENOENT' } as const;
const call = { destination: 'a.Player', path: '/', interface: 'a.Player', member: 'Get' };

function recordedParts(root: string) {
  const replay = openReplay(root);
  if (replay === null) throw new Error('nothing was recorded');
  return replay.parts;
}

test('a replay returns the recorded data, and nothing else', async () => {
  const { recorder, found } = machine({
    'proc/stat': 'cpu 1 2 3\n',
    'sys/class/net/eth0/speed': '1000\n',
    'sys/class/net/eth0/device': '-> ../../pci0000:00',
    'sys/bus/0000:00:1f.3/name': 'odd\n',
    'proc/secret': 'never requested\n',
  });
  const { files, dbus, volumes } = recorder.host as ReturnType<typeof fakeHost>;
  expect(files.text('/proc/stat')).toBe('cpu 1 2 3\n');
  expect(files.keep('/sys/class/net/eth0/speed').number()).toBe(1000);
  expect(files.link('/sys/class/net/eth0/device')).toBe('../../pci0000:00');
  expect(files.text('/sys/bus/0000:00:1f.3/name')).toBe('odd\n');
  expect(files.list('/sys/class/net')).toEqual(['eth0']);
  expect(files.text('/nowhere')).toBeNull();
  volumes.space('/');
  await dbus.session.call(call);
  recorder.goOn();
  found.write('proc/stat', 'cpu 4 5 6\n');
  files.text('/proc/stat');

  const root = path.join(directory(), 'report');
  recorder.write(root);
  const replayed = recordedParts(root);
  expect(replayed.files.text('/proc/stat')).toBe('cpu 1 2 3\n');
  expect(replayed.files.keep('/sys/class/net/eth0/speed').number()).toBe(1000);
  expect(replayed.files.link('/sys/class/net/eth0/device')).toBe('../../pci0000:00');
  expect(replayed.files.text('/sys/bus/0000:00:1f.3/name')).toBe('odd\n');
  expect(replayed.files.list('/sys/class/net')).toEqual(['eth0']);
  expect(replayed.files.text('/proc/secret')).toBeNull();
  expect(replayed.files.list('/proc')).toEqual([]);
  expect(replayed.volumes.space('/')).toEqual({ kind: 'value', value: { total: 9, free: 4, available: 3 } });
  expect(replayed.volumes.space('/home')).toEqual(gone);
  expect(await replayed.dbus.session.call(call)).toEqual([
    { 'xesam:title': 'text 1', volume: 1n << 60n, raw: new Uint8Array([1, 2]) },
  ]);
  await expect(replayed.dbus.system.call(call)).rejects.toThrow(BusError);
  replayed.files.goOn();
  expect(replayed.files.text('/proc/stat')).toBe('cpu 4 5 6\n');
});

test('a recording contains no identifying data', () => {
  const edid = Buffer.alloc(128);
  edid.writeUInt32LE(0xc0ffee, 12);
  edid.set([0, 0, 0, 0xff, 0, ...Buffer.from('SN-4711-ALICE')], 54);
  const { recorder } = machine({
    'proc/7/cmdline': 'mysql\0--password=hunter2\0',
    'proc/7/environ': 'TOKEN=hunter2\0',
    'proc/8/cmdline': 'sshd: alice@pts/0 hunter2',
    'proc/cmdline': 'root=UUID=6b29fc40-ca47-1067-b31d-00dd010662da quiet\n',
    'sys/class/dmi/id/product_serial': 'PF2ABC19\n',
    'sys/block/sda/device/uevent': 'ID_SERIAL=WD_PF2ABC19X\nHID_UNIQ=3c:7c:3f:00:11:22\n',
    'sys/class/drm/card0/edid': edid,
    'proc/self/mountinfo': '1 2 0:1 / /mnt/x rw - nfs4 nas.alice.example:/export/private rw\n',
    'run/utmp': `\0\0alice${'\0'.repeat(27)}203.0.113.77\0`,
  });
  const { files } = recorder.host as ReturnType<typeof fakeHost>;
  const asked = [
    '/etc/passwd',
    '/proc/7/cmdline',
    '/proc/7/environ',
    '/proc/8/cmdline',
    '/proc/cmdline',
    '/sys/class/dmi/id/product_serial',
    '/sys/block/sda/device/uevent',
    '/sys/class/drm/card0/edid',
    '/proc/self/mountinfo',
    '/run/utmp',
  ];
  for (const file of asked) expect(files.bytes(file)).not.toBeNull();
  const root = path.join(directory(), 'report');
  const report = recorder.write(root);
  expect(() => recorder.write(root)).toThrow('exists already');
  const all = fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => fs.statSync(path.join(root, file)).isFile())
    .map((file) => `${file}\n${fs.readFileSync(path.join(root, file), 'latin1')}`)
    .join('\n');
  const private_ = ['alice', 'Liddell', hostName, 'hunter2', 'PF2ABC19', '6b29fc40', '3c:7c', 'nas', '203.0.113.77'];
  for (const text of [...private_, 'SN-4711', '\xee\xff\xc0']) expect(all).not.toContain(text);
  expect(recordedParts(root).files.text('/etc/passwd')).toBe('user1:x:1000:1000::/home/user1:/bin/bash\n');
  expect(recordedParts(root).files.text('/proc/7/cmdline')).toBe('mysql\0');
  // The records of that table keep their length.
  expect(recordedParts(root).files.bytes('/run/utmp')?.length).toBe(47);
  expect(report.replaced.find(({ kind }) => kind === 'user name')).toMatchObject({
    original: 'alice',
    standIn: 'user1',
  });
});

test('a malicious recording neither escapes its directory nor blocks', () => {
  const { recorder } = machine({ 'proc/stat': 'cpu 1 2 3\n', 'proc/meminfo': 'x', 'sys/a/b': 'x' });
  const { files } = recorder.host as ReturnType<typeof fakeHost>;
  for (const file of ['/proc/stat', '/proc/meminfo', '/sys/a/b']) files.text(file);
  const root = path.join(directory(), 'report');
  recorder.write(root);
  fs.rmSync(path.join(root, 'proc', 'meminfo'));
  makeNamedPipe(path.join(root, 'proc', 'meminfo'));
  fs.rmSync(path.join(root, 'proc', 'stat'));
  fs.symlinkSync('/etc/passwd', path.join(root, 'proc', 'stat'));
  fs.rmSync(path.join(root, 'sys', 'a'), { recursive: true });
  fs.symlinkSync('/etc', path.join(root, 'sys', 'a'));
  fs.mkdirSync(path.join(root, '..', 'outside'));
  fs.writeFileSync(path.join(root, '..', 'outside', 'name'), 'secret');
  const { files: replayed } = recordedParts(root);
  for (const file of [
    '/../outside/name',
    '/proc/../../outside/name',
    '/proc/stat',
    '/proc/meminfo',
    '/sys/a/passwd',
    '/sys/a/b',
    '/../../etc/passwd',
  ])
    expect([file, replayed.text(file)]).toEqual([file, null]);
});

test('a directory without a recording is a mounted machine; a recording of another version is refused', () => {
  const root = directory();
  expect(openReplay(root)).toBeNull();
  expect(openReplay(undefined)).toBeNull();
  fs.writeFileSync(path.join(root, 'recording.json'), '{"recording": 2}');
  expect(() => openReplay(root)).toThrow('another version');
  fs.writeFileSync(path.join(root, 'recording.json'), '{"recording": 1}');
  expect(() => openReplay(root)).toThrow('incomplete');
});
