import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { partMade, setPart } from '../../../core/part.ts';
import type { Moment } from '../../../core/readings/history.ts';
import type { DriveReading } from '../smart/drive-reading.ts';
import { createTroubleSampler } from './disks.sampler.ts';
import { parseDiskstats } from './diskstats.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveHealth, DriveStates } from './drive-health.ts';

const diskstats = ' 8 0 sda 1 0 32 0 1 0 64 0 0 0 0\n 9 0 md0 1 0 32 0 1 0 64 0 0 0 0\n';
const failing: DriveReading = {
  passed: false,
  percentage_used: null,
  power_on_hours: null,
  temperature: null,
  reallocated: 1,
  pending: 2,
  media_errors: 3,
  critical_warnings: [],
  attributes: [],
  read_at: 5,
};

/** A recorder that samples every 15 s. */
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
  const sample = createTroubleSampler(host);
  const reported: (readonly string[])[] = [];
  const moment = {
    members: (_set: string, names: readonly string[]) => void reported.push(names),
  } as unknown as Moment;
  return {
    files,
    asked,
    reported,
    host,
    /** From now on drives can be queried. */
    load: () => setPart(host, driveHealth, health),
    know(states: DriveStates) {
      known = states;
    },
    async samples(count: number) {
      for (let index = 0; index < count; index += 1) sample(parseDiskstats(diskstats), moment);
      await new Promise((resolve) => setImmediate(resolve));
      return reported.at(-1);
    },
  };
}

test('an incomplete array is reported within five minutes, also one that was incomplete at the start', async () => {
  const { samples, files, reported, load } = recorder();
  load();
  expect(await samples(1)).toEqual([]);
  files.write('sys/block/md0/md/degraded', '1\n');
  expect(await samples(20)).toEqual(['RAID array md0 is degraded']);
  files.write('sys/block/md0/md/degraded', '0\n');
  expect(await samples(20)).toEqual([]);
  // Once as the base of the comparison, then once for each interval.
  expect(reported.length).toBe(4);
});

test('drives are queried after ten minutes, then every hour, and the code for it is not loaded before', async () => {
  const { samples, asked, host, load } = recorder();
  await samples(40);
  expect(partMade(host, driveHealth)).toBeNull();
  load();
  await samples(1);
  expect(asked).toEqual([['sda']]);
  await samples(239);
  expect(asked.length).toBe(1);
  await samples(1);
  expect(asked.length).toBe(2);
});

test('a drive state read by another client is reported at the next sample', async () => {
  const { samples, know, load } = recorder();
  load();
  await samples(3);
  know(new Map([['sda', { kind: 'read', reading: failing }]]));
  expect(await samples(1)).toEqual(['Drive sda is failing']);
  know(new Map([['sda', { kind: 'denied' }]]));
  expect(await samples(1)).toEqual([]);
});
