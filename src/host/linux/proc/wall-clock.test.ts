import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { until } from '../../../../test/harness/until.ts';
import { followWallClock } from './wall-clock.ts';

test('without a change of the clock there is no callback, and no descriptor stays open', async () => {
  const timers = () =>
    fs.readdirSync('/proc/self/fd').filter((name) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${name}`).includes('timerfd');
      } catch {
        return false;
      }
    }).length;
  const before = timers();
  const received: string[] = [];
  const stop = await followWallClock(
    () => received.push('moved'),
    () => received.push('lost'),
  );
  expect(timers()).toBeGreaterThan(before);
  await new Promise((resolve) => setTimeout(resolve, 100));
  stop();
  await until(() => timers() === before, 'the timer is closed');
  expect(received).not.toContain('lost');
});
