import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import type { Moment } from '../../../core/readings/history.ts';
import { disksHistoryLinux } from './disks.sampler.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-disks-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

test('file systems that users mounted do not take the places of those of the machine', () => {
  const mounts = [
    '20 1 7:0 / / rw - ext4 /dev/loop0 rw',
    ...Array.from(
      { length: 50 },
      (_, at) => `${100 + at} 20 7:${at + 1} / /media/eve/${at} rw - ext4 /dev/loop${at + 1} rw`,
    ),
    ...Array.from(
      { length: 5 },
      (_, at) => `${200 + at} 20 8:${at + 1} / /run/media/eve/${at} rw - vfat /dev/sdb${at + 1} rw`,
    ),
    '300 20 259:1 / /srv/data rw - ext4 /dev/nvme0n1p1 rw',
  ];
  fs.mkdirSync(path.join(directory, 'proc/self'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'proc/self/mountinfo'), `${mounts.join('\n')}\n`);
  fs.writeFileSync(path.join(directory, 'proc/diskstats'), '');
  const volumes = { space: () => ({ kind: 'value', value: { total: 1000, free: 500, available: 400 } }) } as never;
  const sampler = disksHistoryLinux(fakeHost({ root: directory, mountTable: '/proc/self/mountinfo', volumes }));
  const recorded: unknown[] = [];
  sampler.sample({
    value: (series: string, _value: unknown, name: string) => void (series === 'disk.free' && recorded.push(name)),
    members: () => {},
  } as unknown as Moment);
  expect(recorded.slice(0, 3)).toEqual(['/', '/srv/data', '/media/eve/0']);
  expect(recorded).toHaveLength(40);
  sampler.close?.();
});
