import { beforeEach, describe, expect, test } from 'bun:test';
import { addressMessage, fakeNetlink, linkMessage } from '@hostler/netlink/testing/fake-netlink.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { followLinks } from './link-changes.ts';

let clock = fakeClock();
let kernel = fakeNetlink(() => []);
let calls = 0;
const load = async () => kernel;
const settled = () => new Promise((resolve) => setImmediate(resolve));
const follow = async () => {
  const follower = followLinks(load, clock, () => {
    calls += 1;
  });
  await settled();
  calls = 0;
  return follower;
};

beforeEach(() => {
  clock = fakeClock();
  kernel = fakeNetlink(() => []);
  calls = 0;
});

const up = linkMessage({ name: 'eth0', flags: 0x43 });
const down = linkMessage({ name: 'eth0', flags: 0x3 });

test('the start of the subscription counts as a change', async () => {
  const { stop } = followLinks(load, clock, () => {
    calls += kernel.following();
  });
  expect(calls).toBe(0);
  await settled();
  expect(calls).toBe(1);
  stop();
});

test('a change is reported once, soon after its messages', async () => {
  const { stop } = await follow();
  kernel.announce(down);
  kernel.announce(linkMessage({ name: 'eth0', flags: 0x2 }));
  kernel.announce(addressMessage({ type: 21, address: [192, 0, 2, 2] }));
  expect(calls).toBe(0);
  clock.advance(20);
  expect(calls).toBe(1);
  stop();
});

test('many changes are reported a few times a second, including the last one', async () => {
  const { stop } = await follow();
  for (let ms = 0; ms < 1000; ms += 5) {
    kernel.announce(ms % 10 === 0 ? up : down);
    clock.advance(5);
  }
  expect(calls).toBeGreaterThan(3);
  expect(calls).toBeLessThanOrEqual(11);
  const before = calls;
  clock.advance(150);
  expect(calls).toBe(before + 1);
  clock.advance(10_000);
  expect(calls).toBe(before + 1);
  stop();
});

describe('a change that is not reported', () => {
  test.each([
    [
      'an address whose lifetime a router extends',
      [1, 2].map((lifetime) => addressMessage({ address: [10, 0, 0, 1], lifetime })),
    ],
    [
      'an unchanged link',
      [linkMessage({ name: 'wlan0' }), linkMessage({ name: 'wlan0', counters: Array(24).fill(7) })],
    ],
  ])('is %s', async (_what, [first, second]) => {
    const { stop } = await follow();
    if (first !== undefined) kernel.announce(first);
    clock.advance(1000);
    expect(calls).toBe(1);
    if (second !== undefined) kernel.announce(second);
    clock.advance(1000);
    expect(calls).toBe(1);
    stop();
  });

  test('is one of a port of a bridge, or a message of another kind', async () => {
    const { stop } = await follow();
    kernel.announce(linkMessage({ family: 7, name: 'veth0' }));
    kernel.announce({ ...up, type: 24 });
    clock.advance(1000);
    expect(calls).toBe(0);
    stop();
  });
});

test('an address that is removed and added again is reported each time', async () => {
  const { stop } = await follow();
  const address = { address: [10, 0, 0, 1] };
  for (const type of [20, 21, 20, 21]) {
    kernel.announce(addressMessage({ ...address, type }));
    clock.advance(1000);
  }
  expect(calls).toBe(4);
  stop();
});

test('after the stop there are no callbacks and no timers', async () => {
  const { stop } = await follow();
  kernel.announce(up);
  stop();
  expect(kernel.following()).toBe(0);
  expect(clock.advanceToNext()).toBe(false);
  expect(calls).toBe(0);
});

test('a stop before the subscription has started is effective', async () => {
  followLinks(load, clock, () => {}).stop();
  await settled();
  expect(kernel.following()).toBe(0);
});

test('after the kernel closes the socket it is opened again, which counts as a change', async () => {
  const { stop } = await follow();
  kernel.hangUp();
  expect([kernel.following(), calls]).toEqual([0, 0]);
  clock.advance(1000);
  await settled();
  expect([kernel.following(), calls]).toEqual([1, 1]);
  kernel.announce(up);
  clock.advance(1000);
  expect(calls).toBe(2);
  stop();
});

test('without netlink there is no subscription', async () => {
  const follower = followLinks(
    () => Promise.reject(new Error('refused')),
    clock,
    () => {},
  );
  await settled();
  expect(clock.advanceToNext()).toBe(false);
  expect([follower.wasQuiet(), follower.wasQuiet()]).toEqual([false, false]);
  follower.stop();
});

test('a query reports whether there were changes since the last query', async () => {
  const follower = followLinks(load, clock, () => {});
  const asked = [follower.wasQuiet(), follower.wasQuiet()];
  await settled();
  // Changes before the subscription are unknown.
  asked.push(follower.wasQuiet(), follower.wasQuiet());
  kernel.announce(up);
  asked.push(follower.wasQuiet(), follower.wasQuiet());
  // No change, and another change before the last one was reported.
  kernel.announce(up);
  asked.push(follower.wasQuiet());
  kernel.announce(down);
  asked.push(follower.wasQuiet());
  expect(asked).toEqual([false, false, false, true, false, true, true, false]);
  kernel.hangUp();
  expect([follower.wasQuiet(), follower.wasQuiet()]).toEqual([false, false]);
  clock.advance(1000);
  await settled();
  expect([follower.wasQuiet(), follower.wasQuiet()]).toEqual([false, true]);
  follower.stop();
  expect(follower.wasQuiet()).toBe(false);
});
