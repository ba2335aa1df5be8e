import { expect, test } from 'bun:test';
import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeClock, noBus } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import type { StartThread } from '../../../lib/thread.ts';
import type { DriveReply, DriveRequest } from './drive-commands.thread.ts';
import { type AskableDrive, createDriveHealth, healthFreshMs } from './drive-health.ts';

const sda: AskableDrive = { name: 'sda', numbers: '8:0', kind: 'ata' };
const nvme: AskableDrive = { name: 'nvme0n1', numbers: '259:0', kind: 'nvme' };
const page = (warning: number) => {
  const log = new Uint8Array(512);
  log.set([warning, 0x3f, 1, 100, 10, 1]);
  return log;
};
const log = (warning: number): DriveReply => ({ kind: 'nvme', log: page(warning) });

/** Threads with the given answers; null: no answer. */
function machine(given: {
  system?: Bus;
  files?: Record<string, string>;
  answer?(request: DriveRequest): DriveReply | null;
}) {
  const clock = fakeClock();
  const asked: DriveRequest[] = [];
  const threads = { started: 0, ended: 0 };
  const late: (() => void)[] = [];
  const startThread: StartThread = async (job, _data, { message }) => {
    expect(job).toBe('disks.drives');
    threads.started += 1;
    return {
      send(call) {
        const { id, request } = call as { id: number; request: DriveRequest };
        asked.push(request);
        const value = given.answer?.(request) ?? null;
        if (value === null) late.push(() => message({ id, value: log(0) }));
        else queueMicrotask(() => message({ id, value }));
      },
      end() {
        threads.ended += 1;
      },
    };
  };
  const files = machineFiles({ 'dev/sda': '', 'dev/nvme0n1': '', ...given.files });
  const health = createDriveHealth({
    files,
    place: (file) => file,
    clock,
    dbus: { system: given.system ?? noBus, session: noBus },
    startThread,
  });
  return { health, clock, asked, threads, late, files };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('drives are queried in one thread, one after another, and not again for ten minutes', async () => {
  const { health, clock, asked, threads } = machine({ answer: () => log(0) });
  const drives = [nvme, { ...nvme, name: 'sda' }];
  const first = await health.read(drives, 1000);
  expect(first.get('nvme0n1')).toMatchObject({ kind: 'read', reading: { passed: true, percentage_used: 1 } });
  expect(asked.map(({ file }) => file)).toEqual(['/dev/nvme0n1', '/dev/sda']);
  await settled();
  expect(threads).toEqual({ started: 1, ended: 1 });
  clock.advance(healthFreshMs - 1);
  // Synchronous, and the same object.
  expect(health.read(drives, 1000)).toBe(first);
  expect(asked.length).toBe(2);
  clock.advance(1);
  health.read(drives, 1000);
  await settled();
  expect(asked.length).toBe(4);
});

test('only a changed state is announced', async () => {
  let warning = 0;
  const { health, clock } = machine({ answer: () => log(warning) });
  let announced = 0;
  const stop = health.watch(() => {
    announced += 1;
  });
  const drives = [nvme];
  const again = async () => {
    clock.advance(healthFreshMs);
    health.read(drives, 1000);
    await settled();
    return announced;
  };
  await health.read(drives, 1000);
  // The first reader has received it already.
  expect(announced).toBe(0);
  expect(await again()).toBe(0);
  warning = 1;
  expect(await again()).toBe(1);
  expect(health.known().get('nvme0n1')).toMatchObject({ reading: { passed: false, critical_warnings: ['spare'] } });
  expect(await again()).toBe(1);
  warning = 0;
  expect(await again()).toBe(2);
  stop();
  warning = 1;
  expect(await again()).toBe(2);
});

test('a drive that the kernel has suspended is not opened, and keeps its reading', async () => {
  const { health, clock, asked, files } = machine({ answer: () => log(1) });
  await health.read([nvme], 1000);
  files.write('sys/block/nvme0n1/device/device/power/runtime_status', 'suspended\n');
  clock.advance(healthFreshMs);
  health.read([nvme], 1000);
  await settled();
  expect(asked.length).toBe(1);
  expect(health.known().get('nvme0n1')).toMatchObject({ kind: 'asleep', reading: { critical_warnings: ['spare'] } });
});

test('a drive that reports standby gets no further command', async () => {
  const { health } = machine({ answer: () => ({ kind: 'asleep' }) });
  expect((await health.read([sda], 1000)).get('sda')).toEqual({ kind: 'asleep', reading: null });
});

test('a drive that never answers blocks its own thread only, and is not queried again', async () => {
  const { health, clock, asked, threads, late } = machine({ answer: ({ kind }) => (kind === 'ata' ? null : log(0)) });
  const drives = [sda, nvme];
  const reading = health.read(drives, 1000);
  await settled();
  clock.advance(1000);
  expect((await reading).size).toBe(0);
  let announced = 0;
  health.watch(() => {
    announced += 1;
  });
  clock.advance(60_000);
  await settled();
  await settled();
  expect(health.known().get('sda')).toEqual({ kind: 'silent' });
  expect(health.known().get('nvme0n1')).toMatchObject({ kind: 'read' });
  expect(announced).toBe(1);
  expect(threads).toEqual({ started: 2, ended: 1 });
  clock.advance(healthFreshMs);
  health.read(drives, 1000);
  await settled();
  expect(asked.filter(({ kind }) => kind === 'ata').length).toBe(1);
  // The late answer arrives.
  for (const answer of late) answer();
  await settled();
  expect(threads.ended).toBe(3);
  clock.advance(healthFreshMs);
  health.read(drives, 1000);
  await settled();
  expect(asked.filter(({ kind }) => kind === 'ata').length).toBe(2);
});

test('a drive that is missing or may not be opened starts no thread', async () => {
  const { health, threads } = machine({});
  const states = await health.read(
    [
      { ...sda, name: 'sdz' },
      { ...sda, name: 'sdy', kind: null },
    ],
    1000,
  );
  expect(states.get('sdz')).toEqual({ kind: 'denied' });
  expect(states.get('sdy')).toEqual({ kind: 'mute' });
  expect(threads.started).toBe(0);
});

test('a thread that does not start or fails affects its own reply only', async () => {
  const files = machineFiles({ 'dev/sda': '' });
  const clock = fakeClock();
  const broken: StartThread[] = [
    async () => {
      throw new Error('out of threads');
    },
    async (_job, _data, { failed }) => ({ send: () => queueMicrotask(() => failed('exit code 1')), end: () => {} }),
  ];
  for (const startThread of broken) {
    const health = createDriveHealth({
      files,
      place: (file) => file,
      clock,
      dbus: { system: noBus, session: noBus },
      startThread,
    });
    expect<string[]>(['silent', 'mute']).toContain(String((await health.read([sda], 1000)).get('sda')?.kind));
  }
});

test('a drive that is gone is forgotten', async () => {
  const { health } = machine({ answer: () => log(0) });
  await health.read([nvme], 1000);
  expect([...(await health.read([], 1000)).keys()]).toEqual([]);
});

test('UDisks is read only if it runs, is never made to query a drive, and its reading replaces a query', async () => {
  const objects = {
    '/d': { 'org.freedesktop.UDisks2.Drive.Ata': { SmartEnabled: true, SmartUpdated: 5n, SmartFailing: true } },
    '/b': { 'org.freedesktop.UDisks2.Block': { Drive: '/d', Device: Buffer.from('/dev/sda\0') } },
  };
  const system = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => [objects],
  });
  const { health, asked } = machine({ system });
  expect((await health.read([sda], 1000)).get('sda')).toMatchObject({ reading: { passed: false, read_at: 5 } });
  expect(asked).toEqual([]);
  expect(system.calls.map(({ member }) => member)).toEqual(['NameHasOwner', 'GetManagedObjects', 'SmartGetAttributes']);
  const absent = fakeBus({ 'org.freedesktop.DBus.NameHasOwner': () => [false] });
  await machine({ system: absent, answer: () => ({ kind: 'denied' }) }).health.read([sda], 1000);
  expect(absent.calls.map(({ member }) => member)).toEqual(['NameHasOwner']);
});

test.each([
  ['nothing', undefined],
  ['a number', 7],
  ['lists', [[1, 2], [3]]],
  ['invalid objects', { '/d': 5, '/e': { 'org.freedesktop.UDisks2.Drive.Ata': null } }],
  [
    'values of other types',
    { '/d': { 'org.freedesktop.UDisks2.NVMe.Controller': { SmartUpdated: 1, SmartTemperature: 'hot' } } },
  ],
  [
    'a device elsewhere',
    {
      '/d': { 'org.freedesktop.UDisks2.NVMe.Controller': { SmartUpdated: 1 } },
      '/b': { 'org.freedesktop.UDisks2.Block': { Drive: '/d', Device: Buffer.from('/dev/../etc/passwd\0') } },
    },
  ],
])('a reply of the daemon with %s is ignored', async (_what, objects) => {
  const system = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => [objects],
  });
  const { health } = machine({ system, answer: () => log(0) });
  expect((await health.read([nvme], 1000)).get('nvme0n1')).toMatchObject({ kind: 'read', reading: { passed: true } });
});

test('a daemon that hangs is waited for once, and its earlier readings are used', async () => {
  const names = ['sda', 'sdb', 'sdc'];
  const objects = Object.fromEntries(
    names.flatMap((name) => [
      [
        `/d/${name}`,
        { 'org.freedesktop.UDisks2.Drive.Ata': { SmartEnabled: true, SmartUpdated: 5, SmartFailing: false } },
      ],
      [
        `/b/${name}`,
        { 'org.freedesktop.UDisks2.Block': { Drive: `/d/${name}`, Device: Buffer.from(`/dev/${name}\0`) } },
      ],
    ]),
  );
  const system = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.ObjectManager.GetManagedObjects': () => [objects],
    'org.freedesktop.UDisks2.Drive.Ata.SmartGetAttributes': () => {
      throw new BusError('Client.Timeout', 'no answer');
    },
  });
  const { health } = machine({ system });
  const states = await health.read(
    names.map((name) => ({ ...sda, name })),
    1000,
  );
  for (const name of names) expect(states.get(name)).toMatchObject({ reading: { passed: true, pending: null } });
  expect(system.calls.filter(({ member }) => member === 'SmartGetAttributes').length).toBe(1);
});
