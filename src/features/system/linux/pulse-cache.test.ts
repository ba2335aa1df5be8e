import { describe, expect, test } from 'bun:test';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { fakePulse, pulseHost } from '../../../../test/doubles/fake-pulse.ts';
import { NoPulseServer } from '../../../host/linux/sound/pulse.ts';
import { createPulseCache } from './pulse-cache.ts';

const GET_SOURCE_INFO_LIST = 24;
const SUBSCRIBE = 35;

describe('the cache of a sound server', () => {
  test('is read once, and again only when the server announces a change, or after a while', async () => {
    const { cache, server, clock } = connected();
    for (let round = 0; round < 4; round += 1) await cache.read();
    expect(server.asked(GET_SOURCE_INFO_LIST)).toBe(1);
    expect(server.asked(SUBSCRIBE)).toBe(1);
    server.announce();
    await cache.read();
    await cache.read();
    expect(server.asked(GET_SOURCE_INFO_LIST)).toBe(2);
    clock.advance(5000);
    await cache.read();
    expect(server.asked(GET_SOURCE_INFO_LIST)).toBe(3);
    expect(server.connections()).toBe(1);
    cache.close();
    expect(server.open()).toBe(0);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('closes its connection when it is no longer used', async () => {
    const { cache, server, clock } = connected();
    await cache.read();
    clock.advance(15_000);
    await cache.read();
    clock.advance(15_000);
    expect(server.open()).toBe(1);
    clock.advance(5000);
    expect(server.open()).toBe(0);
    expect(clock.advanceToNext()).toBe(false);
    await cache.read();
    expect(server.connections()).toBe(2);
  });

  test('reconnects when the server was restarted', async () => {
    const { cache, server } = connected();
    await cache.read();
    server.hangUp();
    await cache.read();
    expect([server.connections(), server.asked(GET_SOURCE_INFO_LIST)]).toEqual([2, 2]);
  });

  test('fails when the server does not answer, and is tried again later', async () => {
    const { cache, server, clock } = connected();
    await cache.read();
    server.announce();
    server.silence(true);
    const reading = cache.read();
    for (let tick = 0; tick < 10; tick += 1) await Promise.resolve();
    clock.advance(1000);
    expect(await reading.catch((error: Error) => error.message)).toContain('did not answer within 1 s');
    expect(server.open()).toBe(0);
    server.silence(false);
    await expect(cache.read()).rejects.toThrow('did not answer');
    clock.advance(5000);
    await cache.read();
    expect(server.open()).toBe(1);
  });

  test('does not search a missing server every time', async () => {
    let tries = 0;
    const { cache, clock } = cacheOver(async (path) => {
      tries += 1;
      throw Object.assign(new Error(`connect ENOENT ${path}`), { code: 'ENOENT' });
    });
    for (let round = 0; round < 3; round += 1) await expect(cache.read()).rejects.toBeInstanceOf(NoPulseServer);
    // Two paths each time.
    expect(tries).toBe(2);
    clock.advance(5000);
    await expect(cache.read()).rejects.toBeInstanceOf(NoPulseServer);
    expect(tries).toBe(4);
  });
});

function cacheOver(connectLocal: ConnectLocal) {
  const clock = fakeClock();
  return { cache: createPulseCache(pulseHost(connectLocal, clock), 1000, (pulse) => pulse.sources()), clock };
}

function connected() {
  const server = fakePulse();
  return { ...cacheOver(server.connectLocal), server };
}
