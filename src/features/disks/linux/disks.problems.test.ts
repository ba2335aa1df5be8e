import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { partMade, setPart } from '../../../core/part.ts';
import type { Moment } from '../../../core/readings/history.ts';
import type { DriveReading } from '../smart/drive-reading.ts';
import { createTroubleLook } from './disks.problems.ts';
import { parseDiskstats } from './diskstats.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveHealth, DriveStates } from './drive-health.ts';

const diskstats = ' 8 0 sda 1 0 32 0 1 0 64 0 0 0 0\n 9 0 md0 1 0 32 0 1 0 64 0 0 0 0\n';
const failing: DriveReading = {
  passed: false,
  percentageUsed: null,
  powerOnHours: null,
  celsius: null,
  reallocated: 1,
  pending: 2,
  mediaErrors: 3,
  warnings: [],
  attributes: [],
  readAt: 5,
};

/** A recorder that looks every 15 s. */
function recorder() {
  const files = machineFiles({
    'sys/block/sda/size': '100\n',
    'sys/block/md0/md/array_state': 'clean\n',
    'sys/block/md0/md/level': 'raid1\n',
    'sys/block/md0/md/raid_disks': '2\n',
    'sys/block/md0/md/degraded': '0\n',
  });
  let known: DriveStates = new Map();
  const asked: string[][] = [];
  const health: DriveHealth = {
    read(drives: readonly AskableDrive[]) {
      asked.push(drives.map(({ name }) => name));
      return known;
    },
    known: () => known,
    watch: () => () => {},
  };
  const host = fakeHost({ files });
  const look = createTroubleLook(host);
  const told: (readonly string[])[] = [];
  const moment = { members: (_set: string, names: readonly string[]) => void told.push(names) } as unknown as Moment;
  return {
    files,
    asked,
    told,
    host,
    /** From now on drives can be asked. */
    load: () => setPart(host, driveHealth, health),
    know(states: DriveStates) {
      known = states;
    },
    async looks(count: number) {
      for (let index = 0; index < count; index += 1) look(parseDiskstats(diskstats), moment);
      await new Promise((resolve) => setImmediate(resolve));
      return told.at(-1);
    },
  };
}

test('an array that is incomplete is told within five minutes, also one that was so before', async () => {
  const { looks, files, told, load } = recorder();
  load();
  expect(await looks(1)).toEqual([]);
  files.write('sys/block/md0/md/degraded', '1\n');
  expect(await looks(20)).toEqual(['RAID array md0 is degraded']);
  files.write('sys/block/md0/md/degraded', '0\n');
  expect(await looks(20)).toEqual([]);
  // The first time to have something to compare with, then once for each turn.
  expect(told.length).toBe(4);
});

test('drives are asked after ten minutes, then every hour, and nothing that could ask them is loaded before', async () => {
  const { looks, asked, host, load } = recorder();
  await looks(40);
  expect(partMade(host, driveHealth)).toBeNull();
  load();
  await looks(1);
  expect(asked).toEqual([['sda']]);
  await looks(239);
  expect(asked.length).toBe(1);
  await looks(1);
  expect(asked.length).toBe(2);
});

test('what somebody else has heard of a drive is told at the next look', async () => {
  const { looks, know, load } = recorder();
  load();
  await looks(3);
  know(new Map([['sda', { kind: 'read', reading: failing }]]));
  expect(await looks(1)).toEqual(['Drive sda is failing']);
  know(new Map([['sda', { kind: 'denied' }]]));
  expect(await looks(1)).toEqual([]);
});
