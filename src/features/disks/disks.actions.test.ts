import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { perform } from '../../../test/harness/perform.ts';
import { createReading } from '../../core/reading.ts';
import type { Volumes } from '../../host/volumes.ts';
import { ServiceError } from '../../lib/errors.ts';
import { diskMounts } from './disks.actions.ts';

const table = [
  '20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw',
  '21 20 8:1 /srv/www /var/www rw - ext4 /dev/sda1 rw',
  '22 20 8:1 /srv/ftp /var/ftp rw - ext4 /dev/sda1 rw',
  '23 20 7:0 / /snap/core/1 ro - squashfs /dev/loop0 ro',
  '24 20 0:40 / /mnt/nas rw - nfs4 nas:/volume1 rw',
  '25 20 0:40 /deeper /mnt/again rw - nfs4 nas:/volume1 rw',
  '26 20 0:5 / /proc rw - proc proc rw',
];
const space = { total: 1000, free: 400, available: 300 };
const usage = { total: 1000, used: 600, free: 300, percent: 66.7 };

const volumes: Volumes = {
  space: () => ({ kind: 'value', value: space }),
  spaceLater: async () => ({ kind: 'silent', ms: 1000 }),
  onLate: () => () => {},
  follow: async () => () => {},
};

const partition = (device: string, mount_point: string, filesystem_type: string, category: string) => ({
  device,
  mount_point,
  filesystem_type,
  options: 'rw',
  category,
  usage: null,
  max_file_size: 0,
  max_path_length: 4096,
});

const read = (payload: unknown) => {
  const host = fakeHost({
    files: machineFiles({ 'proc/self/mountinfo': `${table.join('\n')}\n` }),
    mountTable: '/proc/self/mountinfo',
    volumes,
  });
  return fakeActionContext(host, { read: async () => createReading(payload, [], host.clock) }).context;
};

test('all mounts are listed with five keys each, also those that the module leaves out', async () => {
  const devices = [
    {
      name: 'sda',
      partitions: [partition('/dev/sda1', '/', 'ext4', 'primary'), partition('/dev/sda1', '/var/www', 'ext4', 'bind')],
    },
    { name: 'nas', partitions: [partition('nas:/volume1', '/mnt/nas', 'nfs4', 'primary')] },
  ];
  expect(await perform(diskMounts, {}, read({ devices, io_counters: null }))).toEqual({
    primary: [
      { device: '/dev/sda1', mount_point: '/', filesystem_type: 'ext4', category: 'primary', usage: null },
      { device: 'nas:/volume1', mount_point: '/mnt/nas', filesystem_type: 'nfs4', category: 'primary', usage: null },
    ],
    secondary: {
      bind: [
        { device: 'nas:/volume1', mount_point: '/mnt/again', filesystem_type: 'nfs4', category: 'bind', usage: null },
        { device: '/dev/sda1', mount_point: '/var/ftp', filesystem_type: 'ext4', category: 'bind', usage },
        { device: '/dev/sda1', mount_point: '/var/www', filesystem_type: 'ext4', category: 'bind', usage },
      ],
      squashfs: [
        { device: '/dev/loop0', mount_point: '/snap/core/1', filesystem_type: 'squashfs', category: 'squashfs', usage },
      ],
    },
  });
});

test('without the module the action fails with its reason', async () => {
  const { context } = fakeActionContext(fakeHost(), {
    read: async () => {
      throw new ServiceError('not_found', 'disks is not available here');
    },
  });
  await expect(perform(diskMounts, {}, context)).rejects.toThrow('disks is not available here');
});
