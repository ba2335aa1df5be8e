import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { channelsOf, chipsNamed, parseHwmonDevice, readChip } from './hwmon.ts';

test.each([
  ['../../devices/platform/coretemp.0/hwmon/hwmon4', 'coretemp.0'],
  ['../../devices/pci0000:00/0000:00:18.3/hwmon/hwmon2', '0000:00:18.3'],
  ['../../devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0/hwmon1', '0000:3b:00.0'],
  ['../../devices/pci0000:00/0000:00:1c.6/0000:02:00.0/ieee80211/phy0/hwmon5', '0000:02:00.0'],
  ['../../devices/LNXSYSTM:00/LNXSYBUS:00/PNP0A08:00/PNP0C0A:00/power_supply/BAT0/hwmon3', 'PNP0C0A:00'],
  ['../../devices/virtual/thermal/thermal_zone0/hwmon0', 'thermal_zone0'],
  ['../../devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/hwmon/hwmon6', 'ata3'],
  ['../../devices/pci0000:00/0000:00:17.0/ata3/host2/target2:1:0/2:1:0:0/hwmon/hwmon6', 'ata3 1:0:0'],
  ['../../devices/pci0000:00/0000:03:00.0/host0/target0:2:5/0:2:5:0/hwmon/hwmon6', '0000:03:00.0 2:5:0'],
  [
    '../../devices/pci0000:00/0000:03:00.0/host3/port-3:1/end_device-3:1/target3:0:1/3:0:1:0/hwmon/hwmon6',
    'end_device-3:1',
  ],
  ['../../devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/0003:1E71:2007.0005/hwmon/hwmon7', '1-4:1.0'],
  ['../../devices/pci0000:00/0000:00:1f.4/i2c-0/0-0018/hwmon/hwmon8', '0-0018'],
  ['../../../applesmc.768', 'applesmc.768'],
  ['', ''],
])('the chip at %j has the stable name %j', (link, device) => {
  expect(parseHwmonDevice(link)).toBe(device);
});

test('channels are in numeric order, with their labels', () => {
  const chip = '/sys/class/hwmon/hwmon0';
  const files = machineFiles({
    [`${chip}/name`]: 'nct6798\n',
    [`${chip}/fan10_input`]: '1\n',
    [`${chip}/fan2_input`]: '1\n',
    [`${chip}/fan2_label`]: 'CPU Fan \n',
    [`${chip}/fan3_label`]: 'no input\n',
    [`${chip}/temp1_input`]: '1\n',
  });
  const found = readChip(files, chip);
  expect(found?.name).toBe('nct6798');
  expect(found === null ? [] : channelsOf(files, found, 'fan')).toEqual([
    { name: 'fan2', label: 'CPU Fan', input: `${chip}/fan2_input` },
    { name: 'fan10', label: '', input: `${chip}/fan10_input` },
  ]);
  expect(chipsNamed(files, 'nct6798')).toEqual([chip]);
  expect(chipsNamed(files, 'nct67')).toEqual([]);
});

test('a chip without channels, or a removed one, is left out', () => {
  const files = machineFiles({ '/sys/class/hwmon/hwmon0/name': 'rpi_volt\n' });
  expect(readChip(files, '/sys/class/hwmon/hwmon0')).toBeNull();
  expect(readChip(files, '/sys/class/hwmon/hwmon1')).toBeNull();
});
