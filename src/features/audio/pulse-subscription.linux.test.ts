import { describe, expect, test } from 'bun:test';
import { subscribe } from '@hostler/pulseaudio/audio.ts';
import type { PulseConnection } from '@hostler/pulseaudio/connection.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { fakePulse, pulseHost } from '../../../test/doubles/fake-pulse.ts';
import { createFollowedPulse } from './pulse-subscription.linux.ts';

const GET_SOURCE_INFO_LIST = 24;
const SUBSCRIBE = 35;

describe('a sound server that is followed', () => {
  test('is followed over one connection, which is open before the first read and until the listener leaves', async () => {
    const { pulse, server, clock, changes, read } = followed();
    await read();
    await read();
    expect([server.connections(), server.asked(SUBSCRIBE), changes()]).toEqual([1, 1, 0]);
    server.announce();
    expect(changes()).toBe(1);
    pulse.stop();
    expect(server.open()).toBe(0);
    await read();
    expect([server.connections(), server.open(), server.asked(SUBSCRIBE)]).toEqual([2, 0, 1]);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('is retried after it has ended, until a read succeeds', async () => {
    const { server, clock, changes, read } = followed();
    await read();
    server.hangUp();
    expect(changes()).toBe(1);
    clock.advance(300);
    expect(changes()).toBe(2);
    await read();
    clock.advance(10_000);
    expect(changes()).toBe(2);
    server.announce();
    expect(changes()).toBe(3);
  });

  test('is retried a few times if it does not answer or accept a connection at first', async () => {
    const { server, clock, changes, read } = followed();
    server.silence(true);
    const reading = read();
    await turn();
    clock.advance(1000);
    expect(await reading).toContain('did not answer within 1 s');
    expect(changes()).toBe(0);
    clock.advance(300);
    expect(changes()).toBe(1);
    // Another failure does not schedule more retries.
    const again = read();
    await turn();
    clock.advance(60_000);
    await again;
    clock.advance(60_000);
    expect(changes()).toBe(5);
    server.silence(false);
    expect(await read()).toBe('done');
    server.announce();
    expect(changes()).toBe(6);
  });

  test.each([
    ['accept a subscription', SUBSCRIBE],
    ['be read', GET_SOURCE_INFO_LIST],
  ])('that refuses to %s is retried, and no connection stays open', async (_what, command) => {
    const { server, clock, changes, read } = followed();
    server.refuse(command);
    expect(await read()).toContain('error 4');
    expect(server.open()).toBe(0);
    server.refuse(null);
    clock.advance(300);
    expect(changes()).toBe(1);
    expect(await read()).toBe('done');
    server.announce();
    expect(changes()).toBe(2);
  });

  test('is connected to again at intervals, before the old connection is closed', async () => {
    const { server, clock, changes, read } = followed();
    await read();
    clock.advance(24_999);
    await read();
    expect(server.connections()).toBe(1);
    clock.advance(1);
    await read();
    expect([server.connections(), server.open(), server.asked(SUBSCRIBE)]).toEqual([2, 1, 2]);
    server.announce();
    expect(changes()).toBe(1);
    clock.advance(60_000);
    expect(changes()).toBe(1);
  });

  test('is read over the old connection if it accepts no new one', async () => {
    const { server, clock, changes, read } = followed();
    await read();
    clock.advance(25_000);
    server.refuse(SUBSCRIBE);
    expect(await read()).toBe('done');
    expect([server.connections(), server.open()]).toEqual([2, 1]);
    server.announce();
    expect(changes()).toBe(1);
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

function followed() {
  const clock = fakeClock();
  const server = fakePulse();
  const pulse = createFollowedPulse(pulseHost(server.connectLocal, clock), 1000, (connection) =>
    subscribe(connection, 'all'),
  );
  let changes = 0;
  const stop = pulse.follow(() => {
    changes += 1;
  });
  const work = (connection: PulseConnection) => connection.command(GET_SOURCE_INFO_LIST);
  /** "done", or the error. */
  const read = () =>
    pulse.use(work).then(
      () => 'done',
      (error: Error) => error.message,
    );
  return { pulse: { stop }, server, clock, changes: () => changes, read };
}
