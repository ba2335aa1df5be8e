import { describe, expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createLockout } from './lockout.ts';

describe('wrong tokens', () => {
  test('ten a minute are checked, then all are refused unchecked for a minute', () => {
    const clock = fakeClock();
    const lockout = createLockout(clock);
    for (let count = 0; count < 10; count += 1) expect(lockout.wrong('192.0.2.1')).toBeNull();
    expect(lockout.wrong('192.0.2.1')).toEqual({ retryAfterSeconds: 60, justShut: true });
    clock.advance(30_000);
    expect(lockout.wrong('192.0.2.1')).toEqual({ retryAfterSeconds: 30, justShut: false });
    expect(lockout.wrong('192.0.2.2')).toBeNull();
    clock.advance(30_000);
    expect(lockout.wrong('192.0.2.1')).toBeNull();
  });

  test('addresses of one IPv6 network count as one', () => {
    const lockout = createLockout(fakeClock());
    for (let count = 0; count < 10; count += 1) lockout.wrong(`2001:db8:1:2::${count}`);
    expect(lockout.wrong('2001:db8:1:2:ffff::1')).not.toBeNull();
    expect(lockout.wrong('2001:db8:1:3::1')).toBeNull();
  });

  test('above the limit the oldest addresses are forgotten', () => {
    const lockout = createLockout(fakeClock());
    for (let count = 0; count < 11; count += 1) lockout.wrong('192.0.2.1');
    for (let count = 0; count < 5000; count += 1) lockout.wrong(`198.51.${count >> 8}.${count & 255}`);
    expect(lockout.wrong('192.0.2.1')).toBeNull();
  });
});
