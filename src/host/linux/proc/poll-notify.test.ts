import { expect, onTestFinished, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../../../test/harness/until.ts';
import { createClock } from '../../clock.ts';
import { followUrgent } from './poll-notify.ts';

const clock = createClock();

/** A group of processes that says whether it has any, as /proc/mdstat says things: until it is read. */
function makeGroup(): string | null {
  const root = fs
    .readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '))
    ?.split(' ')[4];
  if (root === undefined) return null;
  try {
    return fs.mkdtempSync(path.join(root, 'hostler-test-'));
  } catch {
    return null;
  }
}

const tried = makeGroup();
if (tried !== null) fs.rmdirSync(tried);
else console.warn('skipped: no control group of version 2 can be made here');

test.skipIf(tried === null)(
  'a file that tells until it is read is heard once for each change, and not without one',
  async () => {
    const place = makeGroup() ?? '';
    const children = new Set<ChildProcess>();
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL');
      await until(() => isEmpty(place), 'that nobody is left');
      fs.rmdirSync(place);
    });
    let heard = 0;
    const stop = await followUrgent(path.join(place, 'cgroup.events'), 'tells-until-read', clock, () => {
      heard += 1;
    });
    onTestFinished(stop);
    const quiet = async () => {
      // A change is told at once, and once more after it is listened to again; a file that was not read would be told every 0.2 s.
      await until(async () => {
        const before = heard;
        await Bun.sleep(1000);
        return heard === before;
      }, 'that it is quiet');
      return heard;
    };
    expect(await quiet()).toBe(0);
    const child = spawn('/bin/sleep', ['1000']);
    children.add(child);
    const before = heard;
    fs.writeFileSync(path.join(place, 'cgroup.procs'), String(child.pid));
    await until(() => heard > before, 'that somebody came');
    const between = await quiet();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => heard > between, 'that nobody is left');
    await quiet();
    stop();
  },
);

const isEmpty = (place: string) => fs.readFileSync(path.join(place, 'cgroup.procs'), 'utf8') === '';

test('a file that announces nothing is refused, and no descriptor stays open', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-urgent-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'plain');
  fs.writeFileSync(file, 'x');
  const isOpen = () => fs.readdirSync('/proc/self/fd').some((fd) => linkOf(`/proc/self/fd/${fd}`) === file);
  await expect(followUrgent(file, 'tells-until-read', clock, () => {})).rejects.toThrow(
    'does not announce its changes',
  );
  await expect(followUrgent(path.join(directory, 'none'), 'tells-once', clock, () => {})).rejects.toThrow('ENOENT');
  expect(isOpen()).toBe(false);
});

function linkOf(place: string): string {
  try {
    return fs.readlinkSync(place);
  } catch {
    return '';
  }
}
