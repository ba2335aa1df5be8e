import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock, fakeContext, fakeHost } from '../../test/doubles/fake-host.ts';
import type { Moment } from '../core/readings/history.ts';
import { defaultSettings, modules } from '../features/index.ts';
import { createBuffer } from './buffer.ts';
import { loadSamplers } from './samplers.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-samplers-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const stat = (pid: number, name: string, ticks: number, pages: number, start = 5) =>
  `${pid} (${name}) S 1 1 1 0 -1 4194304 0 0 0 0 ${ticks} 0 0 0 20 0 1 0 ${start} 0 ${pages} 0 0\n`;

/** A machine with one core, one disk, one interface and three processes. */
const before: Record<string, string> = {
  'proc/stat': 'cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 100 0 100 800 0 0 0 0 0 0\n',
  'proc/loadavg': '0.50 0.10 0.05 1/100 42\n',
  'proc/pressure/cpu': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 total=5\n',
  'proc/meminfo': 'MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 250 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n',
  'proc/net/dev': 'h\nh\n lo: 9 0 0 0 0 0 0 0 9 0 0 0\n eth0: 1000 0 0 0 0 0 0 0 500 0 0 0\n',
  'proc/diskstats': ' 8 0 sda 1 0 2 0 1 0 4 0 0 0 0\n 8 1 sda1 1 0 2 0 1 0 4 0 0 0 0\n',
  'sys/block/sda/device/model': 'x',
  'sys/class/net/eth0/operstate': 'up\n',
  'proc/self/mountinfo': '20 1 8:1 / / rw - ext4 /dev/sda1 rw\n',
  'proc/1/stat': stat(1, 'init', 10, 100),
  'proc/20/stat': stat(20, 'make (all)', 100, 10),
  'proc/30/stat': stat(30, 'cache', 0, 9000),
  'sys/class/hwmon/hwmon0/name': 'coretemp\n',
  'sys/class/hwmon/hwmon0/temp1_input': '51000\n',
  'sys/class/hwmon/hwmon0/temp1_label': 'Package id 0\n',
  'sys/class/power_supply/BAT0/uevent':
    'POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Discharging\nPOWER_SUPPLY_CAPACITY=80\nPOWER_SUPPLY_ENERGY_NOW=40000000\nPOWER_SUPPLY_ENERGY_FULL=50000000\nPOWER_SUPPLY_POWER_NOW=7500000\n',
};

/** 15 s later: a third of the time busy, most of it by `make`; the cable is out, and something is mounted. */
const after: Record<string, string> = {
  'proc/stat': 'cpu  550 0 150 1800 0 0 0 0 0 0\ncpu0 550 0 150 1800 0 0 0 0 0 0\n',
  'proc/pressure/cpu': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n',
  'proc/net/dev': 'h\nh\n lo: 99 0 0 0 0 0 0 0 99 0 0 0\n eth0: 16000 0 0 0 0 0 0 0 2000 0 0 0\n',
  'proc/diskstats': ' 8 0 sda 1 0 32 0 1 0 64 0 0 0 0\n 8 1 sda1 1 0 32 0 1 0 64 0 0 0 0\n',
  'sys/class/net/eth0/operstate': 'down\n',
  'proc/self/mountinfo': '20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 8:17 / /mnt/stick rw - vfat /dev/sdb1 rw\n',
  'proc/20/stat': stat(20, 'make (all)', 550, 10),
};

function write(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    fs.writeFileSync(path.join(directory, name), text);
  }
}

test('the series, sets and processes of a Linux machine, without reading a single module', async () => {
  write(before);
  const clock = fakeClock();
  let spaces = 0;
  const volumes = {
    space() {
      spaces += 1;
      return { kind: 'value', value: { total: 1000, free: 500, available: 400 } };
    },
  } as never;
  const host = fakeHost({ root: directory, clock, mountTable: '/proc/self/mountinfo', volumes });
  const store = {
    get(name: string): never {
      throw new Error(`the module ${name} was read`);
    },
  };
  const said: string[] = [];
  const log = { ...fakeContext().log, warn: (text: string) => void said.push(text) };
  const samplers = await loadSamplers({ modules, store, host, log, settings: () => defaultSettings });
  const buffer = createBuffer();
  expect(await samplers.sample(buffer)).toBe(true);
  write(after);
  clock.advance(15_000);
  await samplers.sample(buffer);
  // Only when the mounts have changed, and every five minutes.
  expect(spaces).toBe(2);
  for (let count = 0; count < 19; count++) await samplers.sample(buffer);
  expect(spaces).toBe(2);
  await samplers.sample(buffer);
  expect(spaces).toBe(3);
  samplers.close();
  expect(said).toEqual([]);
  const { series, processes, events } = buffer.peek(15_000);
  const last = Object.fromEntries(Object.entries(series).map(([name, values]) => [name, values[1]]));
  expect(last).toMatchObject({
    cpu: 100 / 3,
    'cpu/0': 100 / 3,
    load: 0.5,
    'cpu.temperature': 51,
    'temperature/coretemp_package_id_0': 51,
    'pressure.cpu': 10,
    memory: 75,
    'network.received': 1000,
    'network.received/eth0': 1000,
    'network.sent': 100,
    'disk.read': 1024,
    'disk.written/sda': 2048,
    'disk.free//': 400,
    battery: 80,
    'battery.power': 7.5,
  });
  expect(Object.keys(last)).not.toContain('swap');
  // The answer of this one may need its disk.
  expect(Object.keys(last)).not.toContain('disk.free//mnt/stick');
  expect(Object.keys(last)).not.toContain('disk.read/sda1');
  expect(processes[1]?.map(({ name }) => name)).toEqual(['make (all)', 'cache', 'init']);
  expect(processes[1]?.[0]).toMatchObject({ pid: 20, cpu: 30 });
  expect(events.map(({ kind, text }) => `${kind}: ${text}`).sort()).toEqual([
    'link: The network interface eth0 went down',
    'mount: /mnt/stick (/dev/sdb1) was mounted',
  ]);
});

test('a module that does not answer does not delay the others, and its value is in the sample it is known in', async () => {
  const clock = fakeClock();
  const answers: ((payload: number) => void)[] = [];
  const module = (name: string) => ({
    name,
    history: async () => ({
      series: { [name]: { unit: 'percent', description: name } },
      read: (payload: number, { value }: Moment) => value(name, payload),
    }),
  });
  const samplers = await loadSamplers({
    modules: [module('slow'), module('fast')] as never,
    store: {
      get: (name: string) =>
        (name === 'fast'
          ? { payload: 1 }
          : new Promise((resolve) => answers.push((payload) => resolve({ payload })))) as never,
    },
    host: fakeHost({ clock }),
    log: fakeContext().log,
    settings: () => defaultSettings,
  });
  const buffer = createBuffer();
  const sample = async () => {
    const done = samplers.sample(buffer);
    clock.advance(15_000);
    await done;
  };
  await sample();
  await sample();
  // Asked once, because it has not answered.
  expect(answers).toHaveLength(1);
  answers[0]?.(5);
  await new Promise((resolve) => setImmediate(resolve));
  await sample();
  expect(buffer.peek(15_000).series).toEqual({ fast: [1, 1, 1], slow: [null, 5, null] });
});

test('while the machine is idle and its memory use is constant, processes are read every five minutes', async () => {
  write(before);
  const clock = fakeClock();
  const host = fakeHost({ root: directory, clock, mountTable: '/proc/self/mountinfo' });
  const looks: string[] = [];
  const entries = (name: string) => {
    looks.push(name);
    return host.files.entries(name);
  };
  const files = { ...host.files, entries };
  const watched = fakeHost({ root: directory, clock, mountTable: '/proc/self/mountinfo', files });
  const store = { get: (): never => notRead() };
  const samplers = await loadSamplers({
    modules,
    store,
    host: watched,
    log: fakeContext().log,
    settings: () => defaultSettings,
  });
  const buffer = createBuffer();
  const count = () => looks.filter((name) => name === '/proc').length;
  for (let sample = 0; sample < 30; sample += 1) {
    // Memory was allocated with almost no CPU time.
    if (sample === 4) write({ 'proc/meminfo': 'MemTotal: 1000000 kB\nMemAvailable: 300000 kB\n' });
    const idle = 800 + sample * 1500;
    write({ 'proc/stat': `cpu  100 0 100 ${idle} 0 0 0 0 0 0\ncpu0 100 0 100 ${idle} 0 0 0 0 0 0\n` });
    await samplers.sample(buffer);
    clock.advance(15_000);
    // At the first sample, when nothing is known yet; when the memory has changed; and five minutes later.
    expect(count()).toBe(sample < 4 ? 1 : sample < 24 ? 2 : 3);
  }
  samplers.close();
  // The largest are still listed.
  expect(buffer.peek(15_000).processes.every((all) => all.some(({ name }) => name === 'cache'))).toBe(true);
});

function notRead(): never {
  throw new Error('a module was read');
}
