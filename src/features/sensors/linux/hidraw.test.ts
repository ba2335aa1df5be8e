import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { hidDevices, parseOutputs } from './sensors.hid.ts';

const bytes = (text: string) => Uint8Array.from(text.trim().split(/\s+/), (byte) => Number.parseInt(byte, 16));

test.each<[string, string, [number, number][]]>([
  [
    'a device without numbers, 16 bytes in and 64 out',
    '06 00 ff 09 01 a1 01 09 02 15 00 26 ff 00 75 08 95 10 81 02 09 03 95 40 91 02 c0',
    [[0, 64]],
  ],
  [
    'a device that numbers its reports, two of them output',
    '06 72 ff 09 a1 a1 01 85 75 09 20 75 08 95 3f 81 02 85 70 09 21 95 3f 91 02 85 74 96 00 01 91 02 c0',
    [
      [0x70, 63],
      [0x74, 256],
    ],
  ],
  ['bits that do not fill a byte', '75 01 95 05 91 02 75 03 95 01 91 01', [[0, 1]]],
  ['a keyboard without output reports', '05 01 09 06 a1 01 75 08 95 06 81 00 c0', []],
  ['a long item, and a truncated end', 'fe 02 10 aa bb 75 08 95 02 91 02 96 01', [[0, 2]]],
  ['nothing', '', []],
])('lengths of output reports: %s', (_case, descriptor, expected) => {
  expect([...parseOutputs(descriptor === '' ? new Uint8Array() : bytes(descriptor))]).toEqual(expected);
});

test('a device has its vendor, product and port, and whether a kernel driver measures it', () => {
  const link = '-> ../../devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/0003:1E71:2007.0005/hidraw/hidraw3';
  const device = '/sys/devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/0003:1E71:2007.0005';
  const files = machineFiles({
    [`${device}/hidraw/hidraw3/dev`]: '240:3\n',
    [`${device}/hidraw/hidraw3/device`]: '-> ../..',
    [`${device}/uevent`]: 'DRIVER=hid-generic\nHID_ID=0003:00001E71:00002007\nHID_NAME=NZXT Kraken\n',
    [`${device}/report_descriptor`]: bytes('85 70 75 08 95 3f 91 02'),
    '/sys/class/hidraw/hidraw3': link,
    '/sys/class/hidraw/hidraw4/device/nothing': '',
  });
  expect(hidDevices(files)).toEqual([
    {
      path: '/dev/hidraw3',
      identity: link.slice(3),
      place: '1-4:1.0',
      vendor: 0x1e71,
      product: 0x2007,
      measured: false,
      outputs: new Map([[0x70, 63]]),
    },
  ]);
  files.write(`${device}/hwmon/hwmon7/name`, 'x53\n');
  expect(hidDevices(files)[0]?.measured).toBe(true);
});
