import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { type FakeHost, fakeBus, fakeClock, fakeContext, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons, readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import { createFiles, type Files } from '../../host/linux/files.ts';
import type { Space, Volumes } from '../../host/volumes.ts';
import type { GuardedResult } from '../../lib/hang-guard.ts';
import { defaultSettings } from '../index.ts';
import { disksLinux } from './disks.linux.ts';
import { disks } from './disks.ts';
import { driveHealth } from './linux/drive-health.part.ts';
import { createDriveHealth } from './linux/drive-health.ts';

type Spaces = Record<string, [number, number, number] | GuardedResult<Space>>;

const mountTable = '/proc/self/mountinfo';

/** The answers of UDisks; null: it is not running. */
interface RecordedUdisks {
  objects: Record<string, Record<string, Record<string, unknown>>>;
  attributes: Record<string, unknown>;
}

testEachMachine('linux', import.meta.dirname, disks.module, disksLinux, volumesOf, (host, machine) => {
  const udisks = path.join(directoryOf(machine), 'udisks.json');
  const recorded = fs.existsSync(udisks) ? JSON.parse(fs.readFileSync(udisks, 'utf8')) : null;
  setPart(host, driveHealth, health(createFiles({ all: directoryOf(machine) }), recorded));
});

function volumesOf(machine: string) {
  const { now, later }: { now: Spaces; later: Spaces } = JSON.parse(
    fs.readFileSync(path.join(directoryOf(machine), 'space.json'), 'utf8'),
  );
  return { mountTable, volumes: fakeVolumes(now, later) };
}

function directoryOf(machine: string): string {
  return path.join(import.meta.dirname, 'fixtures', 'linux', machine);
}

const health = (files: Files, recorded: RecordedUdisks | null) =>
  createDriveHealth({
    files,
    place: (file) => file,
    clock: fakeClock(),
    dbus: { system: recorded === null ? noBus : udisksBus(recorded), session: noBus },
    startThread: async () => {
      throw new Error('a drive was queried directly');
    },
  });

const udisksBus = ({ objects, attributes }: RecordedUdisks) =>
  fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => [withBytes(objects)],
    'org.freedesktop.UDisks2.Drive.Ata.SmartGetAttributes': ({ path: drive }) => [attributes[drive]],
    'org.freedesktop.UDisks2.NVMe.Controller.SmartGetAttributes': ({ path: drive }) => [attributes[drive]],
  });

/** Drives that may not be queried. */
const withoutDrives = (host: FakeHost) => setPart(host, driveHealth, health(createFiles({ all: '/no/machine' }), null));

/** Paths are bytes on the bus. */
function withBytes(objects: RecordedUdisks['objects']) {
  for (const interfaces of Object.values(objects)) {
    const block = interfaces['org.freedesktop.UDisks2.Block'];
    if (block !== undefined) block.Device = Buffer.from(`${block.Device}\0`);
  }
  return objects;
}

/** Only mounts in `now` may be read synchronously, and only those in `later` in a thread. */
function fakeVolumes(now: Spaces, later: Spaces = {}): Volumes & { change(): void } {
  const followers = new Set<() => void>();
  const answer = (spaces: Spaces, place: string): GuardedResult<Space> => {
    const found = spaces[toUtf8(place)];
    if (found === undefined) throw new Error(`${place} was read in the wrong way, or must not be read`);
    if (!Array.isArray(found)) return found;
    const [total, free, available] = found;
    return { kind: 'value', value: { total, free, available } };
  };
  return {
    space: (place) => answer(now, place),
    spaceLater: async (_id, place) => answer(later, place),
    onLate: () => () => {},
    async follow(changed) {
      followers.add(changed);
      return () => void followers.delete(changed);
    },
    change() {
      for (const changed of followers) changed();
    },
  };
}

const toUtf8 = (place: string) => Buffer.from(place, 'latin1').toString('utf8');

const root = '20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw';
const stats = '   8       0 sda 10 0 80 4 20 0 160 8 0 0 0\n   8       1 sda1 9 0 72 3 20 0 160 8 0 0 0\n';
const gigabyte: [number, number, number] = [1e9, 4e8, 3e8];

function small(mountinfo: string[], spaces: Spaces = {}, allowed: string[] = []) {
  const files = machineFiles({ 'proc/self/mountinfo': `${mountinfo.join('\n')}\n`, 'proc/diskstats': stats });
  const volumes = fakeVolumes({ '/': gigabyte, ...spaces }, spaces);
  const host = setPart(fakeHost({ files, mountTable, volumes }), driveHealth, health(files, null));
  const settings = { ...defaultSettings, disks: { allowedSecondaryMountPoints: allowed } };
  const source = disksLinux(host, fakeContext({ settings: () => settings }));
  onTestFinished(() => source.close?.());
  const read = async () => {
    const { reasons, collected } = collectReasons();
    return { payload: await source.read(reasons), reasons: collected };
  };
  const places = async () =>
    (await read()).payload?.devices.flatMap(({ partitions }) => partitions.map((p) => p.mount_point));
  const mount = (...lines: string[]) => files.write('proc/self/mountinfo', `${lines.join('\n')}\n`);
  return { source, read, places, mount, volumes, files };
}

test('if all file systems answer from memory, the payload is synchronous', async () => {
  const { source, read } = small([root]);
  // The first read queries the drives; their answers are cached.
  await read();
  expect(source.read(collectReasons().reasons)).not.toBeInstanceOf(Promise);
});

test('a table of thousands of mounts is read in slices, interleaved with other work', async () => {
  const lines = Array.from({ length: 3000 }, (_, id) => `${id + 30} 20 0:${id} / /mnt/${id} rw - tmpfs tmpfs rw`);
  const files = machineFiles({ 'proc/self/mountinfo': [root, ...lines, ''].join('\n'), 'proc/diskstats': stats });
  const clock = fakeClock();
  const turns: number[] = [];
  function* long(file: string): Generator<void, string | null> {
    const steps = files.long(file);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      clock.advance(1);
      yield;
    }
  }
  const host = withoutDrives(
    fakeHost({ files: { ...files, long }, clock, mountTable, volumes: fakeVolumes({ '/': gigabyte }) }),
  );
  const source = disksLinux(host, fakeContext());
  onTestFinished(() => source.close?.());
  let last = 0;
  const { payload } = await readOnce(source, clock, () => {
    turns.push(clock.monotonic() - last);
    last = clock.monotonic();
  });
  expect(payload?.devices.flatMap(({ partitions }) => partitions.map((p) => p.mount_point))).toEqual(['/']);
  expect(turns.length).toBeGreaterThan(5);
  expect(Math.max(...turns)).toBeLessThanOrEqual(3);
});

test('used and free are those of df: space reserved for root is neither', async () => {
  const { payload } = await small([root]).read();
  expect(payload?.devices[0]?.partitions[0]?.usage).toEqual({ total: 1e9, used: 6e8, free: 3e8, percent: 66.7 });
});

test('users choose the sources of their own file systems: these are no paths to look up, and no partitions', async () => {
  const types = ['fuse', 'fuse.sshfs', 'fuse.fuse-overlayfs'];
  const lines = types.map((type, id) => `${30 + id} 20 0:${40 + id} / /mnt/${id} rw - ${type} /dev/shm/mine/link rw`);
  const spaces = Object.fromEntries(types.map((_type, id) => [`/mnt/${id}`, gigabyte]));
  const { read, files } = small([root, ...lines], spaces);
  files.write('dev/shm/mine/link', '-> sda1');
  const { payload } = await read();
  const ofDisk = payload?.devices.find(({ name }) => name === 'sda')?.partitions ?? [];
  expect(ofDisk.map(({ mount_point }) => mount_point)).toEqual(['/']);
  expect(payload?.devices.flatMap(({ partitions }) => partitions)).toHaveLength(3);
});

test('secondary mounts are listed if the settings allow them, with or without a slash at the end', async () => {
  const lines = [
    root,
    '21 20 8:1 /srv/www /var/www rw - ext4 /dev/sda1 rw',
    '22 20 8:1 /srv/ftp /var/ftp rw - ext4 /dev/sda1 rw',
    '23 20 7:0 / /snap/core/1 ro - squashfs /dev/loop0 ro',
    '24 20 0:40 / /tmp rw - tmpfs tmpfs rw',
  ];
  const spaces = { '/var/www': gigabyte, '/snap/core/1': gigabyte, '/tmp': gigabyte };
  expect(await small(lines).places()).toEqual(['/']);
  const allowed = small(lines, spaces, ['/var/www', '/snap/core/1/', '/tmp']);
  expect((await allowed.places())?.sort()).toEqual(['/', '/snap/core/1', '/tmp', '/var/www']);
  const { payload } = await allowed.read();
  const categories = payload?.devices.flatMap(({ partitions }) => partitions.map((p) => [p.mount_point, p.category]));
  expect(Object.fromEntries(categories ?? [])).toEqual({
    '/': 'primary',
    '/var/www': 'bind',
    '/snap/core/1': 'squashfs',
    '/tmp': 'primary',
  });
});

test('a file system that does not answer has no usage, and the reason names it', async () => {
  const nfs = '21 20 0:40 / /mnt/nas rw - nfs4 nas:/volume1 rw';
  const { payload, reasons } = await small([root, nfs], { '/mnt/nas': { kind: 'silent', ms: 1234 } }).read();
  expect(payload?.devices.map(({ name, partitions }) => [name, partitions[0]?.usage === null])).toEqual([
    ['sda', false],
    ['nas:/volume1', true],
  ]);
  expect(reasons.find(({ field }) => field === 'devices[].partitions[].usage')).toEqual({
    field: 'devices[].partitions[].usage',
    mendable: true,
    reason:
      '/mnt/nas (nfs4 from nas:/volume1) has not answered for 1.2 s and is not queried again until it does; bring its server back, or unmount it with "umount -l"',
  });
});

test('added and removed mounts are in the next read, and announced', async () => {
  const { source, places, mount, volumes } = small([root], { '/mnt/usb': gigabyte });
  let announced = 0;
  const stop = source.watch?.(() => {
    announced += 1;
  });
  await Promise.resolve();
  expect(await places()).toEqual(['/']);
  mount(root, '21 20 8:17 / /mnt/usb rw - ext4 /dev/sdb1 rw');
  volumes.change();
  expect(await places()).toEqual(['/', '/mnt/usb']);
  mount(root, '21 20 8:17 / /mnt/usb rw - ext4 /dev/sdb1 rw', '22 20 0:50 / /proc rw - proc proc rw');
  volumes.change();
  expect(announced).toBe(1);
  mount(root, '22 20 0:50 / /proc rw - proc proc rw');
  volumes.change();
  expect(await places()).toEqual(['/']);
  expect(announced).toBe(2);
  stop?.();
  mount(root, '21 20 8:17 / /mnt/usb rw - ext4 /dev/sdb1 rw');
  volumes.change();
  expect(announced).toBe(2);
});

test('without the tables of the kernel the payload is empty, with reasons', async () => {
  const host = fakeHost({ files: machineFiles({}), mountTable, volumes: fakeVolumes({}) });
  const { reasons, collected } = collectReasons();
  expect(await disksLinux(host, fakeContext()).read(reasons)).toEqual({ devices: [], arrays: [], io_counters: null });
  expect(collected.filter(({ mendable }) => mendable).map(({ field }) => field)).toEqual([
    'io_counters',
    'devices[].io_counters',
    'devices',
  ]);
});

test('an automount point is never read', async () => {
  const lines = [
    root,
    '21 20 0:40 / /net rw - autofs -hosts rw,indirect',
    '22 20 0:41 / /boot rw - autofs systemd-1 rw,direct',
  ];
  expect(await small(lines).places()).toEqual(['/']);
});

/** Drives with sensors; `answerMs`: how long a drive takes to answer. */
function drives(count: number, answerMs: (index: number) => number) {
  const names = Array.from(
    { length: count },
    (_, index) => `sd${String.fromCharCode(97 + Math.floor(index / 20), 97 + (index % 20))}`,
  );
  const files = machineFiles({
    'proc/self/mountinfo': '',
    'proc/diskstats': names.map((name, index) => `8 ${16 * index} ${name} 1 0 1 1 1 0 1 1 0 0 0\n`).join(''),
  });
  for (const [index, name] of names.entries()) {
    files.write(`sys/class/hwmon/hwmon${index}/name`, 'drivetemp\n');
    files.write(`sys/class/hwmon/hwmon${index}/temp1_input`, `${20 + index}000\n`);
    files.write(`sys/class/hwmon/hwmon${index}/device/block/${name}/size`, '1\n');
  }
  const clock = fakeClock();
  const textLater = async (file: string) => {
    await new Promise<void>((resolve) => void clock.after(answerMs(Number(/hwmon(\d+)/.exec(file)?.[1])), resolve));
    return files.text(file);
  };
  const source = disksLinux(
    withoutDrives(fakeHost({ files: { ...files, textLater }, clock, mountTable, volumes: fakeVolumes({}) })),
    fakeContext(),
  );
  onTestFinished(() => source.close?.());
  return {
    /** How many temperatures are unknown in a reading. Then the clock advances. */
    async unknown() {
      const { payload, reasons } = await readOnce(source, clock);
      for (let step = 0; step < 10; step += 1) {
        clock.advance(1000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const nulls = payload?.devices.filter(({ temperature }) => temperature === null).length ?? Number.NaN;
      expect(reasons.some(({ reason }) => reason.includes('did not report a temperature'))).toBe(nulls > 0);
      return nulls;
    },
  };
}

test('if forty drives take too long for one reading, all are queried in rotation, and their values are kept', async () => {
  const { unknown } = drives(40, () => 50);
  expect(await unknown()).toBeGreaterThan(0);
  expect(await unknown()).toBe(0);
  expect(await unknown()).toBe(0);
});

test('a drive that takes half a minute does not block the others', async () => {
  const { unknown } = drives(8, (index) => (index === 3 ? 30_000 : 5));
  for (let reading = 0; reading < 6; reading += 1) await unknown();
  for (let reading = 0; reading < 12; reading += 1) expect(await unknown()).toBeLessThanOrEqual(1);
});
