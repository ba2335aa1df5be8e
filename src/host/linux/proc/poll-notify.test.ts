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

/** A control group that announces whether it has processes, as /proc/mdstat announces changes: until it is read. */
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
  'a file that announces until it is read calls back once for each change, and not without one',
  async () => {
    const place = makeGroup() ?? '';
    const children = new Set<ChildProcess>();
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL');
      await until(() => isEmpty(place), 'the group is empty');
      fs.rmdirSync(place);
    });
    let calls = 0;
    const stop = await followUrgent(path.join(place, 'cgroup.events'), 'announces-until-read', clock, () => {
      calls += 1;
    });
    onTestFinished(stop);
    const quiet = async () => {
      // A change is reported at once, and again after the file is watched again; a file that was not read would be reported every 0.2 s.
      await until(async () => {
        const before = calls;
        await Bun.sleep(1000);
        return calls === before;
      }, 'no more callbacks');
      return calls;
    };
    expect(await quiet()).toBe(0);
    const child = spawn('/bin/sleep', ['1000']);
    children.add(child);
    const before = calls;
    fs.writeFileSync(path.join(place, 'cgroup.procs'), String(child.pid));
    await until(() => calls > before, 'a process was added');
    const between = await quiet();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(() => calls > between, 'the group is empty');
    await quiet();
    stop();
  },
);

const isEmpty = (place: string) => fs.readFileSync(path.join(place, 'cgroup.procs'), 'utf8') === '';

test('a file without announcements is refused, and no descriptor stays open', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-urgent-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'plain');
  fs.writeFileSync(file, 'x');
  const isOpen = () => fs.readdirSync('/proc/self/fd').some((fd) => linkOf(`/proc/self/fd/${fd}`) === file);
  await expect(followUrgent(file, 'announces-until-read', clock, () => {})).rejects.toThrow(
    'does not announce its changes',
  );
  await expect(followUrgent(path.join(directory, 'none'), 'announces-once', clock, () => {})).rejects.toThrow('ENOENT');
  expect(isOpen()).toBe(false);
});

function linkOf(place: string): string {
  try {
    return fs.readlinkSync(place);
  } catch {
    return '';
  }
}
