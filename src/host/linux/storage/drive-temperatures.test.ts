import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { findDriveTemperatures } from './drive-temperatures.ts';

test('only the sensors of drives are listed, by disk', () => {
  const files = machineFiles({
    'sys/class/hwmon/hwmon0/name': 'coretemp\n',
    'sys/class/hwmon/hwmon0/device/block/sdz/x': '',
    'sys/class/hwmon/hwmon1/name': 'drivetemp\n',
    'sys/class/hwmon/hwmon1/device/block/sda/x': '',
    'sys/class/hwmon/hwmon2/name': 'nvme\n',
    'sys/class/hwmon/hwmon2/device/nvme0n1/x': '',
    'sys/class/hwmon/hwmon2/device/nvme0n2/x': '',
    'sys/class/hwmon/hwmon2/device/ng0n1/x': '',
    'sys/class/hwmon/hwmon3/name': 'nvme\n',
    'sys/class/hwmon/hwmon3/device/nvme/nvme1/nvme1n1/x': '',
    'sys/class/hwmon/hwmon4/name': 'nvme\n',
    'sys/class/hwmon/hwmon4/device/nvme2c3n1/x': '',
  });
  expect([...findDriveTemperatures(files)]).toEqual([
    ['sda', '/sys/class/hwmon/hwmon1/temp1_input'],
    ['nvme0n1', '/sys/class/hwmon/hwmon2/temp1_input'],
    ['nvme0n2', '/sys/class/hwmon/hwmon2/temp1_input'],
    ['nvme1n1', '/sys/class/hwmon/hwmon3/temp1_input'],
    ['nvme2n1', '/sys/class/hwmon/hwmon4/temp1_input'],
  ]);
});

test('a machine without sensors has none', () => {
  expect(findDriveTemperatures(machineFiles({})).size).toBe(0);
});
