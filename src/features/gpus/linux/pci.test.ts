import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { parsePciName, pciName } from './gpus.devices.ts';
import { createDisplayDevices, memoryWindow, pciAddressIn } from './pci.ts';

const database = `# remark
1001  Kolter Electronic
	0010  PCI 1616 Measurement card with 32 digital I/O lines
10de  NVIDIA Corporation
# a remark between devices
	2684  AD102 [GeForce RTX 4090]
		1043 889d  Some board
	2700  AD103
10df  Emulex Corporation
	e300  Lancer-X
C 03  Display controller
	00  VGA compatible controller`;

test.each<[string, string, string | null]>([
  ['10de', '2684', 'NVIDIA Corporation AD102 [GeForce RTX 4090]'],
  ['10de', '2700', 'NVIDIA Corporation AD103'],
  ['1001', '0010', 'Kolter Electronic PCI 1616 Measurement card with 32 digital I/O lines'],
  ['10df', 'e300', 'Emulex Corporation Lancer-X'],
  ['10de', 'e300', 'NVIDIA Corporation e300'],
  ['1002', '2684', null],
])('the name of %s:%s in the database is %p', (vendor, device, name) => {
  expect(parsePciName(database, vendor, device)).toBe(name);
});

test('without a database, or with one that is too old, there is no name', () => {
  expect(pciName(machineFiles({}), '10de', '2684')).toBeNull();
  const files = machineFiles({ '/usr/share/misc/pci.ids': '# empty\n', '/usr/share/hwdata/pci.ids': database });
  expect(pciName(files, '10de', '2684')).toBe('NVIDIA Corporation AD102 [GeForce RTX 4090]');
});

const control = '0x00000000fe800000 0x00000000fe803fff 0x000000000014220c\n';
const ports = '0x000000000000e000 0x00000000000fffff 0x0000000000040101\n';
const plain = '0x0000000090000000 0x0000000093ffffff 0x0000000000040200\n';
const ahead = '0x0000004000000000 0x0000004000ffffff 0x000000000014220c\n';

test.each<[string, string | null, number | null]>([
  ['none', null, null],
  ['controls only', control, null],
  ['ports are not memory', ports, null],
  ['a window that is not prefetchable', plain + control, 64],
  ['a prefetchable one comes before a larger one that is not', plain + ahead, 16],
])('the memory window of a PCI device: %s', (_case, resource, mebibytes) => {
  expect(memoryWindow(resource)).toBe(mebibytes === null ? null : mebibytes * 1024 ** 2);
});

test('the address of a device is the last one in its path', () => {
  expect(pciAddressIn('../../devices/pci0000:00/0000:00:01.0/virtio0')).toBe('0000:00:01.0');
  expect(pciAddressIn('/devices/pci10000:e0/10000:e0:06.0/10000:e1:00.0')).toBe('10000:e1:00.0');
  expect(pciAddressIn('../../devices/platform/gpu')).toBeNull();
});

test('a device that is added later is found', () => {
  const devices = '/sys/bus/pci/devices';
  const files = machineFiles({
    [`${devices}/0000:00:02.0/class`]: '0x030000\n',
    [`${devices}/0000:00:1f.0/class`]: '0x060100\n',
  });
  const find = createDisplayDevices(files);
  expect(find()).toEqual(['0000:00:02.0']);
  files.write(`${devices}/0000:07:00.0/class`, '0x030200\n');
  expect(find()).toEqual(['0000:00:02.0', '0000:07:00.0']);
});
