import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { linesOf } from '../../../../test/harness/metric-lines.ts';
import type { Volumes } from '../../../host/volumes.ts';
import type { Partition } from '../disks.schema.ts';
import { disksMetricsLinux } from './disks.scrape.ts';

const mdstat = `Personalities : [raid1] [raid0]
md0 : active raid1 sdb1[2](F) sda1[0]
      1048512 blocks super 1.2 [2/1] [U_]
      [=>...................]  recovery =  8.5% (89600/1048512) finish=1.0min speed=1K/sec

md1 : active raid0 sdd1[1] sdc1[0] sde1[2](S)
      2096128 blocks super 1.2 512k chunks

md2 : inactive sdf1[0](S)
      500 blocks super 1.2

unused devices: <none>
`;

const mounted = (given: Partial<Partition>): Partition => ({
  device: '/dev/sda2',
  mount_point: '/',
  filesystem_type: 'ext4',
  options: 'rw',
  category: 'primary',
  usage: { total: 10, used: 5, free: 5, percent: 50 },
  max_file_size: 0,
  max_path_length: 0,
  ...given,
});

const space = { kind: 'value', value: { total: 10, free: 5, available: 5, files: 1000, freeFiles: 400 } } as const;

async function collect(partitions: Partition[], given: Partial<Volumes> = {}) {
  const files = machineFiles({
    '/proc/diskstats':
      '   8       0 sda 10 1 20 30 40 2 50 60 3 70 80 4 5 6 7 8 9\n   8       1 sda1 1 1 1 1 1 1 1 1 1 1 1\n 253       0 dm-0 1 0 8 5 0 0 0 0 0 5 5\n   7       0 loop0 1 0 8 5 0 0 0 0 0 5 5\n',
    '/proc/mdstat': mdstat,
    '/run/udev/data/b8:0': 'S:disk/by-id/x\nE:ID_MODEL=Fast_Disk\nE:ID_SERIAL_SHORT=SECRET\nE:ID_WWN=0x5000\n',
  });
  const volumes: Volumes = {
    space: () => space,
    spaceLater: async () => space,
    onLate: () => () => {},
    follow: async () => () => {},
    ...given,
  };
  const devices = [{ name: 'sda', partitions, io_counters: null, temperature: null, health: null }];
  return await disksMetricsLinux(fakeHost({ files, volumes }), { devices });
}

test('whole disks and volumes have counters, partitions and loop devices do not', async () => {
  const metrics = await collect([]);
  const of = (name: string) => linesOf(metrics, name);
  expect(of('node_disk_read_bytes_total')).toEqual([
    'node_disk_read_bytes_total{device="sda"} 10240',
    'node_disk_read_bytes_total{device="dm-0"} 4096',
  ]);
  expect(of('node_disk_io_now')).toContain('node_disk_io_now{device="sda"} 3');
  expect(of('node_disk_io_time_weighted_seconds_total')).toContain(
    'node_disk_io_time_weighted_seconds_total{device="sda"} 0.08',
  );
  // An older kernel has no discards and flushes.
  expect(of('node_disk_flush_requests_total')).toEqual(['node_disk_flush_requests_total{device="sda"} 8']);
  expect(of('node_disk_info')[0]).toBe(
    'node_disk_info{device="sda",major="8",minor="0",path="",wwn="0x5000",model="Fast_Disk",serial="",revision=""} 1',
  );
});

test('an array that lost a disk reports a missing disk and the recovery', async () => {
  const metrics = await collect([]);
  const of = (name: string) => linesOf(metrics, name);
  expect(of('node_md_disks_required')).toEqual([
    'node_md_disks_required{device="md0"} 2',
    'node_md_disks_required{device="md1"} 2',
    'node_md_disks_required{device="md2"} 0',
  ]);
  expect(of('node_md_disks')).toContain('node_md_disks{device="md0",state="active"} 1');
  expect(of('node_md_disks')).toContain('node_md_disks{device="md0",state="failed"} 1');
  expect(of('node_md_disks')).toContain('node_md_disks{device="md1",state="spare"} 1');
  expect(of('node_md_state').filter((line) => line.endsWith(' 1'))).toEqual([
    'node_md_state{device="md0",state="recovering"} 1',
    'node_md_state{device="md1",state="active"} 1',
    'node_md_state{device="md2",state="inactive"} 1',
  ]);
  expect(of('node_md_blocks_synced')[0]).toBe('node_md_blocks_synced{device="md0"} 89600');
});

test('a file system that does not answer has a device error, and is not queried again', async () => {
  const asked: string[] = [];
  const partitions = [
    mounted({}),
    mounted({ device: 'nas:/v', mount_point: '/nas', filesystem_type: 'nfs4', usage: null }),
    mounted({ device: 'nas:/w', mount_point: '/grün', filesystem_type: 'nfs4' }),
  ];
  const metrics = await collect(partitions, {
    space: (place) => {
      asked.push(place);
      return space;
    },
    spaceLater: async (_key, place) => {
      asked.push(Buffer.from(place, 'latin1').toString('utf8'));
      return space;
    },
  });
  expect(asked).toEqual(['/', '/grün']);
  expect(linesOf(metrics, 'node_filesystem_device_error').map((line) => line.slice(-1))).toEqual(['0', '1', '0']);
  expect(linesOf(metrics, 'node_filesystem_files_free')[0]).toBe(
    'node_filesystem_files_free{device="/dev/sda2",fstype="ext4",mountpoint="/"} 400',
  );
  expect(linesOf(metrics, 'node_filesystem_files')).toHaveLength(2);
});
