import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import {
  createDrmClients,
  type DrmClient,
  loadBetween,
  parseClient,
  parseClientMemory,
  usesBetween,
} from './drm-clients.ts';

const fdinfo = (client: number, render: number, video = 0) =>
  `pos:\t0\nflags:\t02\ndrm-driver:\ti915\ndrm-client-id:\t${client}\ndrm-engine-render:\t${render} ns\n` +
  `drm-engine-video:\t${video} ns\ndrm-engine-capacity-video:\t2\n`;

const client = (engines: DrmClient['engines']): DrmClient => ({ gpu: 'gpu', pid: 1, engines, memory: null });

test('engines count nanoseconds, or cycles out of a total', () => {
  const text = `${fdinfo(7, 500, 30)}drm-cycles-rcs:\t20\ndrm-total-cycles-rcs:\t80\ndrm-total-vram0:\t4 KiB\n`;
  expect(parseClient(text)).toEqual({
    id: '7',
    engines: new Map([
      ['render', { busy: 500, total: null, capacity: 1 }],
      ['video', { busy: 30, total: null, capacity: 2 }],
      ['rcs', { busy: 20, total: 80, capacity: 1 }],
    ]),
  });
});

test('cycles without a total and files of other devices are ignored', () => {
  expect(parseClient('drm-client-id:\t1\ndrm-cycles-fragment:\t99\n')?.engines.size).toBe(0);
  expect(parseClient('pos:\t0\nflags:\t02\n')).toBeNull();
  expect(parseClient('')).toBeNull();
});

test('the load is that of the busiest kind of engine, over all programs', () => {
  const sample = (a: string, b: string) =>
    new Map([a, b].map((text, index) => [String(index), client(parseClient(text)?.engines ?? new Map())]));
  const before = sample(fdinfo(1, 0, 0), fdinfo(2, 5e9, 0));
  const after = sample(fdinfo(1, 2e8, 8e8), fdinfo(2, 5.1e9, 8e8));
  expect(loadBetween(before, after, 1, 'gpu')).toBeCloseTo(80);
  expect(loadBetween(before, after, 2, 'gpu')).toBeCloseTo(40);
  expect(loadBetween(before, after, 1, 'another')).toBeNull();
});

test('a share of cycles needs no clock, and is at most 100 %', () => {
  const cycles = (busy: number, total: number) =>
    new Map([['1', client(new Map([['rcs', { busy, total, capacity: 1 }]]))]]);
  expect(loadBetween(cycles(100, 1000), cycles(350, 2000), 77, 'gpu')).toBeCloseTo(25);
  expect(loadBetween(cycles(100, 1000), cycles(3500, 2000), 1, 'gpu')).toBe(100);
  expect(loadBetween(cycles(100, 1000), cycles(100, 1000), 1, 'gpu')).toBe(0);
});

test('a new program counts from now on, and a restarted one never below zero', () => {
  const one = (busy: number) => new Map([['1', client(parseClient(fdinfo(1, busy))?.engines ?? new Map())]]);
  expect(loadBetween(new Map(), one(5e9), 1, 'gpu')).toBe(0);
  expect(loadBetween(one(5e9), one(0), 1, 'gpu')).toBe(0);
});

test('programs are found by their open files, each client once, and forgotten when they end', async () => {
  const files = machineFiles({
    '/proc/10/fd/3': '-> /dev/dri/renderD128',
    '/proc/10/fd/4': '-> /dev/dri/renderD128',
    '/proc/10/fd/5': '-> /dev/dri/renderD129',
    '/proc/10/fd/6': '-> socket:[1]',
    '/proc/10/fdinfo/3': fdinfo(1, 100),
    '/proc/10/fdinfo/4': fdinfo(1, 100),
    '/proc/10/fdinfo/5': fdinfo(1, 100),
    '/proc/20/fd/9': '-> /dev/dri/card0',
    '/proc/20/fdinfo/9': fdinfo(2, 200),
    '/proc/uptime': '1 1\n',
  });
  const clients = createDrmClients(files, fakeClock(), (node) => (node === 'renderD129' ? null : 'gpu'));
  expect(clients.sample().size).toBe(0);
  expect(await clients.search(1)).toBe(true);
  expect([...clients.sample().keys()].sort()).toEqual(['gpu 1', 'gpu 2']);
  // The number was reused for another file.
  files.write('/proc/20/fdinfo/9', 'pos:\t0\nflags:\t02\n');
  expect([...clients.sample().keys()]).toEqual(['gpu 1']);
  clients.close();
  expect(clients.sample().size).toBe(0);
});

test('a long list of processes is searched in pieces', async () => {
  const contents = Object.fromEntries(
    Array.from({ length: 5 }, (_, pid) => [
      [`/proc/${pid + 1}/fd/3`, '-> /dev/dri/card0'],
      [`/proc/${pid + 1}/fdinfo/3`, fdinfo(pid, 0)],
    ]).flat(),
  );
  const clock = fakeClock();
  const files = machineFiles(contents);
  const entries = (directory: string) => {
    clock.advance(2);
    return files.entries(directory);
  };
  const slow = { ...files, entries };
  const clients = createDrmClients(slow, clock, () => 'gpu');
  expect(await clients.search(3)).toBe(false);
  expect(clients.sample().size).toBe(1);
  while (!(await clients.search(3)));
  expect(clients.sample().size).toBe(5);
});

test.each<[string, string, number | null]>([
  ['amdgpu before it reported resident memory', 'drm-memory-vram:\t2048 KiB\ndrm-memory-gtt: \t512 KiB\n', 2 * 2 ** 20],
  [
    'amdgpu since then',
    'drm-memory-vram:\t9 KiB\ndrm-total-vram:\t4096 KiB\ndrm-resident-vram:\t3072 KiB\ndrm-resident-gtt:\t1 MiB\n',
    3 * 2 ** 20,
  ],
  [
    'i915 on a card',
    'drm-total-local0:\t8 MiB\ndrm-resident-local0:\t5 MiB\ndrm-resident-system0:\t1 GiB\n',
    5 * 2 ** 20,
  ],
  ['xe', 'drm-resident-vram0:\t1 MiB\ndrm-resident-vram1:\t1 MiB\ndrm-total-cycles-rcs:\t77\n', 2 * 2 ** 20],
  ['i915 in a processor', 'drm-total-system0:\t4 MiB\ndrm-resident-system0:\t4000\n', 4000],
  ['v3d, which has none', 'drm-client-id:\t1\ndrm-engine-render:\t1 ns\n', null],
  ['nonsense', 'drm-resident-vram:\tmany KiB\n', null],
])('memory of a client, as reported by %s', (_driver, text, bytes) => {
  expect(parseClientMemory(text)).toBe(bytes);
});

test('a process is the sum of its clients, each with the load since the last sample', () => {
  const of = (pid: number, busy: number, memory: number | null, gpu = 'gpu'): DrmClient => ({
    gpu,
    pid,
    memory,
    engines: new Map([['render', { busy, total: null, capacity: 1 }]]),
  });
  const before = new Map([
    ['a', of(10, 0, 5)],
    ['b', of(10, 1e9, 5)],
    ['c', of(20, 0, null)],
  ]);
  const after = new Map([
    ['a', of(10, 1e8, 6)],
    ['b', of(10, 1.2e9, 7)],
    ['c', of(20, 5e8, null)],
    ['d', of(30, 5e8, 1, 'another')],
  ]);
  const uses = usesBetween(before, after, 1, 'gpu');
  expect(uses.map(({ pid, memory }) => [pid, memory])).toEqual([
    [10, 13],
    [20, null],
  ]);
  expect(uses.map(({ load }) => Math.round(load ?? -1))).toEqual([30, 50]);
});
