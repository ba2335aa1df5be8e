import { describe, expect, test } from 'bun:test';
import { comparedSeries, timeBefore } from '../web/state/compared-series.ts';
import { growthOf } from '../web/views/disks/space-growth.ts';
import { findingsOf } from '../web/views/load/load-findings.ts';
import { openPorts, unusedTokens } from '../web/views/safety/safety-checks.ts';

const noon = Date.UTC(2026, 10, 18, 12);
const series = (name: string, mean: (number | null)[]) => ({
  name,
  unit: 'bytes',
  description: '',
  mean,
  least: mean,
  most: mean,
  peak: null,
});

describe('what filled the disk', () => {
  const growth = (...mean: (number | null)[]) =>
    growthOf({ from: noon, step: 300, series: [series('disk.free//', mean), series('cpu', [1])] });

  test('what was used up, most of it when, and when it is full at this rate', () => {
    expect(growth(null, 100e9, 99e9, 60e9, null, 50e9)).toEqual([
      {
        mountPoint: '/',
        free: 50e9,
        used: 50e9,
        steepest: { at: noon + 3.5 * 300_000, used: 39e9 },
        fullIn: 1200,
      },
    ]);
  });

  test('freed space, and changes below the precision of the record', () => {
    expect(growth(50e9, 100e9)).toEqual([{ mountPoint: '/', free: 100e9, used: -50e9, steepest: null, fullIn: null }]);
    expect(growth(100e9, 99.8e9)).toMatchObject([{ used: 0, steepest: null, fullIn: null }]);
    expect(growth(null)).toEqual([]);
  });

  test('those that fill up fastest come first', () => {
    const all = [series('disk.free//a', [10, 9]), series('disk.free//b', [10, 2]), series('disk.free//c', [2, 10])];
    expect(growthOf({ from: noon, step: 300, series: all }).map(({ mountPoint }) => mountPoint)).toEqual([
      '/b',
      '/a',
      '/c',
    ]);
  });
});

test('means are compared with the time before, where something was recorded then', () => {
  const now = { series: [series('cpu', [10, null, 30]), series('swap', [null])] };
  expect(comparedSeries(now, { series: [series('cpu', [2, 4])] })).toEqual([
    { name: 'cpu', mean: 20, peak: null, before: 3 },
  ]);
  expect(comparedSeries(now, null)).toMatchObject([{ name: 'cpu', before: null }]);
});

test('the time before ends with the last whole hour, so that it contains nothing of the compared time', () => {
  const [minuteMs, hourMs] = [60_000, 3_600_000];
  expect(timeBefore(noon + 20 * minuteMs, noon + 80 * minuteMs)).toEqual({ from: noon - 24 * hourMs, to: noon });
  expect(timeBefore(noon, noon + 168 * hourMs)).toEqual({ from: noon - 168 * hourMs, to: noon });
});

describe('why it is slow', () => {
  const found = (means: Record<string, number>, ...programs: { name: string; count: number; cpu: number }[]) =>
    findingsOf(
      Object.entries(means).map(([name, mean]) => ({ name, mean, peak: { at: noon, value: mean }, before: 5 })),
      programs,
    );
  test.each([
    [{ cpu: 20, memory: 40, 'pressure.io': 2 }, []],
    [{ cpu: 97 }, ['The processor was 97 % busy, usually 5 %. cargo used the most: 180 % of a core.']],
    [
      { cpu: 50, 'pressure.cpu': 40 },
      ['Programs waited for a processor 40 % of the time. cargo used the most: 180 % of a core.'],
    ],
    [{ memory: 95 }, ['Memory was 95 % full, usually 5 %.']],
    [{ memory: 95, 'pressure.memory': 12 }, ['Memory was short: programs waited for it 12 % of the time.']],
    [{ swap: 60 }, ['Swap was 60 % full, usually 5 %.']],
    [
      { 'pressure.io': 30, 'disk.read': 1e6, 'disk.written': 2e6 },
      ['Programs waited for disks 30 % of the time, usually 5 %; 1.00 MB/s were read and 2.00 MB/s written.'],
    ],
    [{ 'cpu.temperature': 99 }, ['The processor reached 99.0 °C, where it may slow itself down.']],
  ])('%j', (means, sentences) => {
    expect(found(means as Record<string, number>, { name: 'cargo', count: 1, cpu: 180 })).toEqual(sentences);
  });

  test('the number of processes is said where a program has several', () => {
    expect(found({ cpu: 97 }, { name: 'tsc', count: 2, cpu: 60 }, { name: 'chrome', count: 1, cpu: 40 })).toEqual([
      'The processor was 97 % busy, usually 5 %. tsc (2 processes) used the most: 60 % of a core.',
    ]);
  });

  test('a program that used little is not blamed', () => {
    expect(found({ cpu: 97 }, { name: 'idle', count: 1, cpu: 3 })).toEqual([
      'The processor was 97 % busy, usually 5 %.',
    ]);
  });
});

describe('is it safe', () => {
  const socket = (laddr: string, rest: object = {}) => ({
    fd: 1,
    family: 2,
    type: 1,
    laddr,
    raddr: null,
    status: 'LISTEN',
    pid: 7,
    ...rest,
  });

  test('ports by program, those that the network reaches first', () => {
    const connections = [
      socket('127.0.0.1:631', { pid: 9 }),
      socket('[::1]:631', { pid: 9 }),
      socket('0.0.0.0:22'),
      socket('[::]:22', { family: 10 }),
      socket('127.0.0.1:22'),
      socket('192.0.2.1:22', { status: 'ESTABLISHED', raddr: '192.0.2.9:5000' }),
      socket('0.0.0.0:5353', { pid: null, type: 2, status: 'NONE' }),
      socket('192.0.2.1:40000', { pid: null, type: 2, status: 'NONE', raddr: '192.0.2.9:53' }),
      socket('127.0.0.1:8080', { pid: 8 }),
    ];
    const names = new Map([
      [7, 'sshd'],
      [9, 'cupsd'],
    ]);
    expect(openPorts(connections, names)).toEqual([
      { program: 'sshd', pid: 7, everywhere: ['TCP 22'], local: [] },
      { program: null, pid: null, everywhere: ['UDP 5353'], local: [] },
      { program: 'cupsd', pid: 9, everywhere: [], local: ['TCP 631'] },
      { program: 'process 8', pid: 8, everywhere: [], local: ['TCP 8080'] },
    ]);
  });

  test('tokens without a use for 90 days, but not the first one', () => {
    const token = (name: string, created: string | null, last_used: string | null) => ({
      name,
      scopes: [],
      created,
      last_used,
    });
    const list = [
      token('main', null, null),
      token('old', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
      token('never used', '2026-01-01T00:00:00Z', null),
      token('new', '2026-11-01T00:00:00Z', null),
      token('used', '2026-01-01T00:00:00Z', '2026-11-17T00:00:00Z'),
    ];
    expect(unusedTokens(list, noon)).toEqual(['old', 'never used']);
  });
});
