import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClock } from '../../../src/host/clock.ts';
import { followUrgent } from '../../../src/host/linux/proc/urgent-changes.ts';
import { countOpenFiles } from '../../harness/open-files.ts';
import { until } from '../../harness/until.ts';

setDefaultTimeout(120_000);

/** A control group of our own. Its files announce their changes by the same code of the kernel as those of /sys, and here they can be changed at will. */
function ownGroup(): { group: string; remove(): void } | null {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-cgroup-'));
  const mounted = process.getuid?.() === 0 && spawnSync('mount', ['-t', 'cgroup2', 'none', place]).status === 0;
  const group = path.join(place, `hostler-${process.pid}`);
  const unmount = () => {
    if (mounted) spawnSync('umount', [place]);
    fs.rmdirSync(place);
  };
  try {
    if (mounted) {
      fs.mkdirSync(group);
      return {
        group,
        remove() {
          fs.rmdirSync(group);
          unmount();
        },
      };
    }
  } catch {
    // A system that keeps its control groups to itself.
  }
  unmount();
  console.warn('skipped: control groups can be made by root only, where the system lets it');
  return null;
}

const own = ownGroup();

describe.skipIf(own === null)('a file of the kernel that announces its changes', () => {
  test('is heard each time, costs nothing in between, and is closed in the end', async () => {
    if (own === null) return;
    const events = path.join(own.group, 'cgroup.events');
    let heard = 0;
    const stop = await followUrgent(events, createClock(), () => heard++, true);
    try {
      // Nothing has happened yet: what it was before is not news.
      await Bun.sleep(300);
      expect(heard).toBe(0);
      for (const _ of ['first', 'again']) {
        const before = heard;
        const child = spawn('sleep', ['600'], { stdio: 'ignore' });
        fs.writeFileSync(path.join(own.group, 'cgroup.procs'), String(child.pid));
        await until(() => heard > before && fs.readFileSync(events, 'utf8').includes('populated 1'), 'it is heard');
        const full = heard;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
        await until(() => heard > full && fs.readFileSync(events, 'utf8').includes('populated 0'), 'its end is heard');
      }
      // Whatever was to come has come.
      await Bun.sleep(500);
      const quiet = heard;
      await Bun.sleep(500);
      expect(heard).toBe(quiet);
    } finally {
      stop();
      stop();
      expect(countOpenFiles(own.group)).toBe(0);
      own.remove();
    }
  });
});

test('what is not there is refused, and leaves nothing open', async () => {
  await expect(followUrgent('/nonexistent/file', createClock(), () => {}, true)).rejects.toThrow('ENOENT');
  await expect(followUrgent(import.meta.path, createClock(), () => {}, true)).rejects.toThrow('does not announce');
  expect(countOpenFiles(import.meta.path)).toBe(0);
});
