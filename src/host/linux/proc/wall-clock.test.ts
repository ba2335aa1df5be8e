import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { until } from '../../../../test/harness/until.ts';
import { followWallClock } from './wall-clock.ts';

test('as long as nobody sets the clock nothing is heard, and nothing is left open behind', async () => {
  const timers = () =>
    fs.readdirSync('/proc/self/fd').filter((name) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${name}`).includes('timerfd');
      } catch {
        return false;
      }
    }).length;
  const before = timers();
  const heard: string[] = [];
  const stop = await followWallClock(
    () => heard.push('moved'),
    () => heard.push('lost'),
  );
  expect(timers()).toBeGreaterThan(before);
  await new Promise((resolve) => setTimeout(resolve, 100));
  stop();
  await until(() => timers() === before, 'the timer is given back');
  expect(heard).not.toContain('lost');
});
