import { describe, expect, test } from 'bun:test';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { fakePulse, pulseHost } from '../../../../test/doubles/fake-pulse.ts';
import { NoPulseServer } from '../../../host/linux/sound/pulse.ts';
import { keepPulse } from './pulse-cache.ts';

const GET_SOURCE_INFO_LIST = 24;
const SUBSCRIBE = 35;

describe('what is kept of a sound server', () => {
  test('is asked once, and again only when the server announces a change, or after a while', async () => {
    const { kept, server, clock } = connected();
    for (let round = 0; round < 4; round += 1) await kept.read();
    expect(server.asked(GET_SOURCE_INFO_LIST)).toBe(1);
    expect(server.asked(SUBSCRIBE)).toBe(1);
    server.announce();
    await kept.read();
    await kept.read();
    expect(server.asked(GET_SOURCE_INFO_LIST)).toBe(2);
    clock.advance(5000);
    await kept.read();
    expect(server.asked(GET_SOURCE_INFO_LIST)).toBe(3);
    expect(server.connections()).toBe(1);
    kept.close();
    expect(server.open()).toBe(0);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('needs no connection when it is no longer needed', async () => {
    const { kept, server, clock } = connected();
    await kept.read();
    clock.advance(15_000);
    await kept.read();
    clock.advance(15_000);
    expect(server.open()).toBe(1);
    clock.advance(5000);
    expect(server.open()).toBe(0);
    expect(clock.advanceToNext()).toBe(false);
    await kept.read();
    expect(server.connections()).toBe(2);
  });

  test('is asked over a new connection when the server was restarted', async () => {
    const { kept, server } = connected();
    await kept.read();
    server.hangUp();
    await kept.read();
    expect([server.connections(), server.asked(GET_SOURCE_INFO_LIST)]).toEqual([2, 2]);
  });

  test('is given up when the server does not answer, and tried again later', async () => {
    const { kept, server, clock } = connected();
    await kept.read();
    server.announce();
    server.silence(true);
    const reading = kept.read();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    clock.advance(1000);
    expect(await reading.catch((error: Error) => error.message)).toContain('did not answer within 1 s');
    expect(server.open()).toBe(0);
    server.silence(false);
    await expect(kept.read()).rejects.toThrow('did not answer');
    clock.advance(5000);
    await kept.read();
    expect(server.open()).toBe(1);
  });

  test('is not looked for every time where there is no server', async () => {
    let tries = 0;
    const { kept, clock } = keptBy(async (path) => {
      tries += 1;
      throw Object.assign(new Error(`connect ENOENT ${path}`), { code: 'ENOENT' });
    });
    for (let round = 0; round < 3; round += 1) await expect(kept.read()).rejects.toBeInstanceOf(NoPulseServer);
    // Two places each time.
    expect(tries).toBe(2);
    clock.advance(5000);
    await expect(kept.read()).rejects.toBeInstanceOf(NoPulseServer);
    expect(tries).toBe(4);
  });
});

function keptBy(connectLocal: ConnectLocal) {
  const clock = fakeClock();
  return { kept: keepPulse(pulseHost(connectLocal, clock), 1000, (pulse) => pulse.sources()), clock };
}

function connected() {
  const server = fakePulse();
  return { ...keptBy(server.connectLocal), server };
}
