import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createSharedTimers } from '../../lib/shared-timers.ts';
import { manySockets } from './connection-limits.ts';
import { idleEveryMs, requestEveryMs, watchConnections } from './connection-watch.ts';

function createTest({ files = 10, sockets = 5 } = {}) {
  const clock = fakeClock();
  const timers = createSharedTimers(clock);
  const open = { files, sockets, isFull: false };
  const calls = { descriptors: 0, sockets: 0, limiter: 0, stopped: 0 };
  const watch = watchConnections({
    own: {
      countDescriptors() {
        calls.descriptors++;
        return open.files + open.sockets;
      },
      countSockets() {
        calls.sockets++;
        return open.isFull ? null : open.sockets;
      },
    },
    clock,
    timers,
    limiter: {
      opened: () => void calls.limiter++,
      stop: () => void calls.stopped++,
    },
  });
  return { clock, timers, open, calls, watch };
}

describe('the connection limiter', () => {
  test('starts for silent connections at the next tick, and the tick ends', () => {
    const { clock, open, calls } = createTest();
    clock.advance(2 * idleEveryMs);
    expect(calls.limiter).toBe(0);
    open.sockets = manySockets;
    clock.advance(idleEveryMs);
    expect(calls.limiter).toBe(1);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('starts at once for connections that send requests', () => {
    const { clock, open, calls, watch } = createTest();
    watch.requested();
    open.sockets = manySockets;
    clock.advance(requestEveryMs);
    watch.requested();
    expect(calls.limiter).toBe(1);
  });

  test('starts when no descriptor is free', () => {
    const { open, calls, watch } = createTest();
    open.files = 1000;
    open.isFull = true;
    watch.requested();
    expect(calls.limiter).toBe(1);
  });

  test('does not start for open files, and does not inspect each of them again', () => {
    const { clock, calls } = createTest({ files: 1000 });
    clock.advance(10 * idleEveryMs);
    expect(calls).toMatchObject({ limiter: 0, sockets: 1 });
  });

  test('starts with the TLS port, and includes one that is opened again', () => {
    const { calls, watch } = createTest();
    watch.opened();
    expect(calls.limiter).toBe(1);
    watch.opened();
    expect(calls.limiter).toBe(2);
  });
});

describe('the cost of the connection watch', () => {
  test('thousands of requests at once count descriptors once', () => {
    const { calls, watch } = createTest();
    for (let request = 0; request < 5000; request++) watch.requested();
    expect(calls).toMatchObject({ descriptors: 1, sockets: 0 });
  });

  test('the tick shares the wake-up of the recorder', () => {
    const { clock, timers } = createTest();
    let wakeUps = 0;
    timers.next(15_000, () => {});
    const end = clock.monotonic() + 15_000;
    while (clock.monotonic() < end && clock.advanceToNext()) wakeUps++;
    expect(wakeUps).toBe(1);
  });

  test('after stop no timer runs and nothing is counted', () => {
    const { clock, calls, watch } = createTest();
    watch.stop();
    watch.requested();
    watch.opened();
    expect(clock.advanceToNext()).toBe(false);
    expect(calls).toMatchObject({ descriptors: 0, limiter: 0, stopped: 1 });
  });
});
