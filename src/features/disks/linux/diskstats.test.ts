import { expect, test } from 'bun:test';
import { parseDiskstats } from './diskstats.ts';

test.each([
  ['since 5.5', '   8       0 sda 100 5 2048 30 200 7 4096 60 0 90 90 1 2 3 4 5 6\n'],
  ['since 4.18', '   8       0 sda 100 5 2048 30 200 7 4096 60 0 90 90 1 2 3 4\n'],
  ['before', '   8       0 sda 100 5 2048 30 200 7 4096 60 0 90 90\n'],
  ['without a newline at the end', '   8       0 sda 100 5 2048 30 200 7 4096 60 0 90 90'],
])('the table of the kernel, %s', (_, text) => {
  expect(parseDiskstats(text)).toEqual([
    {
      device: '8:0',
      name: 'sda',
      counters: {
        read_count: 100,
        read_bytes: 2048 * 512,
        read_time: 30,
        write_count: 200,
        write_bytes: 4096 * 512,
        write_time: 60,
      },
    },
  ]);
});

test('names have the form of /sys, and large numbers stay exact', () => {
  const [array, disk] = parseDiskstats(
    ' 104 0 cciss/c0d0 1 0 8 0 1 0 8 0 0 0 0\n 259 0 nvme0n1 1 0 8796093022208 0 1 0 8 0 0 0 0\n',
  );
  expect(array?.name).toBe('cciss!c0d0');
  expect(disk?.counters.read_bytes).toBe(4_503_599_627_370_496);
});

test('an empty table has no devices', () => {
  expect(parseDiskstats('')).toEqual([]);
  expect(parseDiskstats('\n')).toEqual([]);
});
