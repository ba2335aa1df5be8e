import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { readBlockDevices } from './block-devices.ts';
import { type DiskStat, parseDiskstats } from './diskstats.ts';

const statsOf = (...names: string[]): DiskStat[] =>
  parseDiskstats(names.map((name, minor) => `8 ${minor} ${name} 0 0 0 0 0 0 0 0 0 0 0`).join('\n'));

test.each([
  ['sda1', 'sda'],
  ['sdp1', 'sdp'],
  ['nvme0n1p2', 'nvme0n1'],
  ['mmcblk0p1', 'mmcblk0'],
  ['md127p1', 'md127'],
  ['cciss!c0d0p3', 'cciss!c0d0'],
  ['sda', 'sda'],
  ['nvme0n1', 'nvme0n1'],
  ['loop10', 'loop10'],
  ['mmcblk0boot0', 'mmcblk0boot0'],
  ['dm-12', 'dm-12'],
])('the block device %s is on the disk %s', (name, disk) => {
  const stats = statsOf(
    'sda',
    'sdp',
    'nvme0n1',
    'mmcblk0',
    'md127',
    'cciss!c0d0',
    'loop1',
    'loop10',
    'mmcblk0boot0',
    'dm-1',
    'dm-12',
    name,
  );
  expect(readBlockDevices(machineFiles({}), stats).diskOf(name).name).toBe(disk);
});

test('a volume belongs to its disk if there is only one', () => {
  const files = machineFiles({
    'sys/block/dm-0/slaves/sda2/x': '',
    'sys/block/dm-1/slaves/dm-0/x': '',
    'sys/block/dm-2/slaves/dm-0/x': '',
    'sys/block/dm-2/slaves/sdb1/x': '',
    'sys/block/md0/slaves/sda1/x': '',
    'sys/block/md0/slaves/sdb1/x': '',
    'sys/block/dm-3/slaves/md0/x': '',
    'sys/block/dm-4/slaves/dm-4/x': '',
    'sys/block/dm-2/dm/name': 'vg-wide\n',
  });
  const { diskOf } = readBlockDevices(
    files,
    statsOf('sda', 'sda1', 'sda2', 'sdb', 'sdb1', 'dm-0', 'dm-1', 'dm-2', 'dm-3', 'dm-4', 'md0'),
  );
  expect(['dm-0', 'dm-1', 'dm-2', 'md0', 'dm-3', 'dm-4'].map((name) => diskOf(name).label)).toEqual([
    'sda',
    'sda',
    'vg-wide',
    'md0',
    'md0',
    'dm-4',
  ]);
});

test('a device is found by its numbers, its path, its volume or a link', () => {
  const files = machineFiles({ 'sys/block/dm-0/dm/name': 'vg-root\n', 'dev/disk/by-uuid/1234': '-> ../../sda1' });
  const { find } = readBlockDevices(files, statsOf('sda', 'sda1', 'dm-0'));
  expect(find('8:1', 'whatever')).toBe('sda1');
  expect(find('0:40', '/dev/sda1')).toBe('sda1');
  expect(find('0:40', '/dev/mapper/vg-root')).toBe('dm-0');
  expect(find('0:40', '/dev/disk/by-uuid/1234')).toBe('sda1');
  expect(find('0:40', '/dev/sda1:/dev/sdb1')).toBe('sda1');
  expect(find('0:40', 'nas:/sda1')).toBeNull();
  expect(find('0:40', '/dev/nothing')).toBeNull();
});

test('disks are real, listed and removable as expected', () => {
  const files = machineFiles({
    'sys/devices/pci0/usb2/2-1/block/sdb/size': '100\n',
    'sys/devices/pci0/usb2/2-1/block/sdb/removable': '0\n',
    'sys/block/sdb': '-> ../devices/pci0/usb2/2-1/block/sdb',
    'sys/block/sda/size': '100\n',
    'sys/block/sdc/size': '0\n',
    'sys/block/sdc/removable': '1\n',
    'sys/block/sr0/size': '2097151\n',
    'sys/block/sr0/removable': '1\n',
  });
  const names = [
    'sda',
    'sdb',
    'sdc',
    'sr0',
    'loop0',
    'ram0',
    'zram0',
    'dm-0',
    'md0',
    'zd0',
    'nvme0c0n1',
    'nbd0',
    'mtdblock0',
  ];
  const { disks } = readBlockDevices(files, statsOf(...names));
  const those = (has: (disk: (typeof disks)[number]) => boolean) => disks.filter(has).map(({ name }) => name);
  expect(those(({ real }) => real)).toEqual(['sda', 'sdb', 'sdc', 'sr0', 'nbd0', 'mtdblock0']);
  expect(those(({ listed }) => listed)).toEqual(['sda', 'sdb', 'nbd0']);
  expect(those(({ removable }) => removable)).toEqual(['sdb', 'sdc', 'sr0']);
});
