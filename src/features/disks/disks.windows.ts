import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import {
  DISK_PERFORMANCE,
  STORAGE_DEVICE_NUMBER,
  STORAGE_TEMPERATURE_DATA_DESCRIPTOR,
} from '../../host/windows/native/kernel32.structs.ts';
import type { Kernel32 } from '../../host/windows/native/kernel32.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Counters, Device, Disks } from './disks.schema.ts';
import { sumOfCounters } from './disks.shares.ts';
import { type Drive, readDrives } from './windows/disks.drives.ts';
import { createWindowsHealth } from './windows/disks.health.ts';
import { type DriveControl, drivesLibrary } from './windows/drives.ts';

/** https://learn.microsoft.com/windows/win32/api/winioctl/ */
const IOCTL_DISK_PERFORMANCE = 0x70020;
const IOCTL_STORAGE_GET_DEVICE_NUMBER = 0x2d1080;
const IOCTL_STORAGE_QUERY_PROPERTY = 0x2d1400;
/** StorageDeviceTemperatureProperty, PropertyStandardQuery. */
const temperatureQuery = [52, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const mostDisks = 32;

/** All drive letters by disk. Read in a thread: these calls block on a network drive whose server is gone. */
export const disksWindows: CreateSource<Disks, WindowsHost> = (host) => {
  const health = createWindowsHealth(host.clock);
  return {
    async read(reasons) {
      const { kernel32 } = await host.native();
      const control = await host.native(drivesLibrary);
      const drives = readDrives(kernel32);
      const numbers = new Map(drives.map((drive) => [drive, deviceNumber(kernel32, drive)]));
      const physical = Array.from({ length: mostDisks }, (_, number) =>
        readDisk({ kernel32, control }, number, drives, numbers),
      ).filter((device) => device !== null);
      const others = drives
        .filter((drive) => numbers.get(drive) === null || Number(numbers.get(drive)) >= mostDisks)
        .map(({ name, partition }) => ({ name, partitions: [partition], ...noDisk }));
      const names = (devices: Device[]) => devices.map(({ name }) => name);
      const healths = health.read(names(physical), names(others), control, reasons);
      const devices = [
        ...physical.map((device) => ({ ...device, health: healths.get(device.name) ?? null })),
        ...others,
      ];
      explain(devices, reasons);
      return { devices, arrays: [], io_counters: sumOf(devices) };
    },
  };
};

const noDisk = { io_counters: null, temperature: null, health: null };

function deviceNumber(kernel32: Kernel32, { isLocal, partition }: Drive): number | null {
  if (!isLocal) return null;
  const device = `\\\\.\\${partition.mount_point.slice(0, 2)}`;
  const bytes = kernel32.deviceControl(device, IOCTL_STORAGE_GET_DEVICE_NUMBER, [], STORAGE_DEVICE_NUMBER.size);
  if (bytes === null || bytes.length < STORAGE_DEVICE_NUMBER.size) return null;
  const { DeviceType, DeviceNumber } = readStruct(STORAGE_DEVICE_NUMBER, bytes);
  // FILE_DEVICE_DISK: CD drives have their own numbers.
  return DeviceType === 7 ? DeviceNumber : null;
}

function readDisk(
  { kernel32, control }: { kernel32: Kernel32; control: DriveControl },
  number: number,
  drives: Drive[],
  numbers: ReadonlyMap<Drive, number | null>,
): Device | null {
  const path = `\\\\.\\PhysicalDrive${number}`;
  const performance = kernel32.deviceControl(path, IOCTL_DISK_PERFORMANCE, [], DISK_PERFORMANCE.size);
  const partitions = drives.filter((drive) => numbers.get(drive) === number).map(({ partition }) => partition);
  if (performance === null && partitions.length === 0) return null;
  const { size } = STORAGE_TEMPERATURE_DATA_DESCRIPTOR;
  // A query could wake a sleeping drive.
  const isAsleep = control.isAsleep(path) === true;
  const temperature = isAsleep
    ? null
    : kernel32.deviceControl(path, IOCTL_STORAGE_QUERY_PROPERTY, temperatureQuery, 8 * size);
  return {
    name: `PhysicalDrive${number}`,
    partitions,
    io_counters: performance === null ? null : parseCounters(performance),
    temperature: temperature === null ? null : parseTemperature(temperature),
    health: null,
  };
}

export function parseCounters(bytes: Uint8Array): Counters | null {
  if (bytes.length < DISK_PERFORMANCE.size) return null;
  const { ReadCount, WriteCount, BytesRead, BytesWritten, ReadTime, WriteTime } = readStruct(DISK_PERFORMANCE, bytes);
  return {
    read_count: ReadCount,
    write_count: WriteCount,
    read_bytes: BytesRead,
    write_bytes: BytesWritten,
    read_time: Math.round(ReadTime / 10_000),
    write_time: Math.round(WriteTime / 10_000),
  };
}

/** °C of the first sensor; drives without one report 0 sensors or the lowest number. */
export function parseTemperature(bytes: Uint8Array): number | null {
  if (bytes.length < STORAGE_TEMPERATURE_DATA_DESCRIPTOR.size) return null;
  const values = readStruct(STORAGE_TEMPERATURE_DATA_DESCRIPTOR, bytes);
  const celsius = values['TemperatureInfo[0].Temperature'];
  return values.InfoCount === 0 || celsius < -100 ? null : celsius;
}

function sumOf(devices: Device[]): Counters | null {
  const counted = devices.flatMap(({ io_counters }) => io_counters ?? []);
  return counted.length === 0 ? null : sumOfCounters(counted);
}

function explain(devices: Device[], reasons: Reasons): void {
  const isPhysical = ({ name }: Device) => name.startsWith('PhysicalDrive');
  const uncounted = devices.filter(({ io_counters }) => io_counters === null);
  if (uncounted.some(isPhysical))
    reasons.missing(
      'devices[].io_counters',
      'The driver has no counters; "diskperf -y" in an administrator’s console enables them',
    );
  if (uncounted.some((device) => !isPhysical(device)))
    reasons.inherent('devices[].io_counters', 'Network drives, CDs and volumes over several disks are not counted');
  if (uncounted.length === devices.length) reasons.missing('io_counters', 'No disk has counters');
  const temperature = 'The driver of the disk does not report its temperature, or the disk sleeps';
  explainNulls(devices, 'devices[]', { temperature }, reasons.inherent);
  const partitions = devices.flatMap((device) => device.partitions);
  const usage = 'There is no medium in the drive, or it cannot be reached';
  explainNulls(partitions, 'devices[].partitions[]', { usage }, reasons.inherent);
}
