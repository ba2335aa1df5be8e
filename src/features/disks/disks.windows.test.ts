import { expect, test } from 'bun:test';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { DISK_PERFORMANCE, STORAGE_TEMPERATURE_DATA_DESCRIPTOR } from '../../host/windows/native/kernel32.structs.ts';
import { disks } from './disks.ts';
import { disksWindows, parseCounters, parseTemperature } from './disks.windows.ts';
import { shareOf } from './windows/disks.drives.ts';

testEachMachine('windows', import.meta.dirname, disks.module, disksWindows);

test('counters of a disk: times are milliseconds', () => {
  const bytes = structBytes(DISK_PERFORMANCE, {
    BytesRead: 5e9,
    BytesWritten: 1e9,
    ReadTime: 30_000,
    WriteTime: 20_000,
    ReadCount: 7,
    WriteCount: 3,
  });
  expect(parseCounters(bytes)).toEqual({
    read_count: 7,
    write_count: 3,
    read_bytes: 5e9,
    write_bytes: 1e9,
    read_time: 3,
    write_time: 2,
  });
  expect(parseCounters(bytes.subarray(0, 40))).toBeNull();
});

test.each([
  [{ InfoCount: 1, 'TemperatureInfo[0].Temperature': 41 }, 41],
  [{ InfoCount: 1, 'TemperatureInfo[0].Temperature': -5 }, -5],
  [{ InfoCount: 1, 'TemperatureInfo[0].Temperature': -32_768 }, null],
  [{ InfoCount: 0 }, null],
])('temperature of a drive that reports %p', (values, celsius) => {
  expect(parseTemperature(structBytes(STORAGE_TEMPERATURE_DATA_DESCRIPTOR, values))).toBe(celsius);
});

test.each([
  ['\\Device\\LanmanRedirector\\;Z:0000000000012345\\server\\share', '\\\\server\\share'],
  ['\\Device\\Mup\\;LanmanRedirector\\;Z:00000000000abcde\\nas.lan\\music files', '\\\\nas.lan\\music files'],
  ['\\Device\\HarddiskVolume3', null],
  [null, null],
])('the device %p is the network share %p', (device, share) => {
  expect(shareOf(device)).toBe(share);
});
