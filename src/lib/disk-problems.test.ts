import { expect, test } from 'bun:test';
import { arraysOn, disksInTrouble } from './disk-problems.ts';

const array = (
  name: string,
  kind: 'md' | 'lvm' | 'zfs' | 'btrfs',
  state: 'ok' | 'degraded' | 'failed' | 'inactive' | null,
  ...members: string[]
) => ({ name, kind, state, members: members.map((each) => ({ state: each })) });

test('each problem of a drive or array is one sentence, and healthy ones have none', () => {
  const drives = [
    { name: 'sda', health: null },
    { name: 'sdb', health: { passed: true, critical_warnings: [] } },
    { name: 'sdc', health: { passed: null, critical_warnings: [] } },
    { name: 'sdd', health: { passed: false, critical_warnings: [] } },
    { name: 'nvme0n1', health: { passed: true, critical_warnings: ['spare'] } },
  ];
  const arrays = [
    array('md0', 'md', 'ok', 'active', 'active'),
    array('md1', 'md', 'degraded'),
    array('md2', 'md', 'ok', 'active', 'failed'),
    array('md3', 'md', 'inactive'),
    array('vg', 'lvm', null),
    array('tank', 'zfs', 'failed'),
    array('data', 'btrfs', 'degraded', 'missing'),
  ];
  expect(disksInTrouble(drives, arrays)).toEqual([
    'Drive sdd is failing',
    'Drive nvme0n1 is failing',
    'RAID array md1 is degraded',
    'RAID array md2 has a failed member',
    'RAID array md3 is not running',
    'Pool tank has failed',
    'File system data is degraded',
  ]);
});

test('a drive and its partitions are members of an array, a drive of a similar name is not', () => {
  const array = (...names: string[]) => ({ members: names.map((name) => ({ name })) });
  const [whole, parts, similar, nvme] = [array('sda'), array('sdb1', 'sda2'), array('sdaa1', 'sd'), array('nvme0n1p3')];
  expect(arraysOn('sda', [whole, parts, similar, nvme])).toEqual([whole, parts]);
  expect(arraysOn('nvme0n1', [whole, nvme])).toEqual([nvme]);
});
