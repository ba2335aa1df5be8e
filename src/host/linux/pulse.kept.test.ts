import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../test/fake-host.ts';
import type { ConnectLocal, LocalSocketEvents } from '../socket.ts';
import { keepPulse } from './pulse.kept.ts';
import { decodeValues, encodeU32 } from './pulse.tagstruct.ts';
import { NoPulseServer } from './pulse.ts';

const AUTH = 8;
const GET_SOURCE_INFO_LIST = 24;
const SUBSCRIBE = 35;
const SUBSCRIBE_EVENT = 66;
const REPLY = 2;

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

  test('needs no connection when nobody asks any more', async () => {
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
  const { environment } = fakeHost();
  const { files } = fakeHost({ root: '/nonexistent' });
  const host = { connectLocal, environment, clock, files, paths: { config: '/c', state: '/s', runtime: '/r' } };
  return { kept: keepPulse(host, 1000, (pulse) => pulse.sources()), clock };
}

/** A server without sources that answers every command. */
function connected() {
  const sockets = new Set<LocalSocketEvents>();
  const commands: unknown[] = [];
  let connections = 0;
  let silent = false;
  const connectLocal: ConnectLocal = async (_path, events) => {
    connections += 1;
    sockets.add(events);
    return {
      send(bytes) {
        const [command, tag] = decodeValues(bytes.subarray(20));
        commands.push(command);
        if (silent) return;
        const version = command === AUTH ? [encodeU32(35)] : [];
        queueMicrotask(() => events.data(frame(encodeU32(REPLY), encodeU32(Number(tag)), ...version)));
      },
      close: () => void sockets.delete(events),
    };
  };
  const event = frame(encodeU32(SUBSCRIBE_EVENT), encodeU32(0xffff_ffff), encodeU32(0x1), encodeU32(7));
  const server = {
    asked: (wanted: number) => commands.filter((command) => command === wanted).length,
    connections: () => connections,
    open: () => sockets.size,
    announce() {
      for (const events of sockets) events.data(event);
    },
    hangUp() {
      for (const events of sockets) events.closed(null);
      sockets.clear();
    },
    silence(is: boolean) {
      silent = is;
    },
  };
  return { ...keptBy(connectLocal), server };
}

function frame(...values: Uint8Array[]): Uint8Array {
  const content = Buffer.concat(values);
  const header = Buffer.alloc(20);
  header.writeUInt32BE(content.length, 0);
  header.writeUInt32BE(0xffff_ffff, 4);
  return Buffer.concat([header, content]);
}
