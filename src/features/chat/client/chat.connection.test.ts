// Not on Windows: its peer listens at a socket in the file system.
import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { testChannel } from '../../../../test/doubles/peers/voice-chat.application.ts';
import { startVoiceChat } from '../../../../test/doubles/peers/voice-chat.ts';
import {
  client,
  clock,
  hour,
  isReady,
  machine,
  now,
  peer,
  ready,
  sent,
  setUp,
  standing,
  startPeer,
  tokensOf,
  useChatClient,
} from '../../../../test/harness/chat-client.ts';
import { until } from '../../../../test/harness/until.ts';

useChatClient();

describe('a voice-chat application', () => {
  test('that is not running yet is found as soon as it starts', async () => {
    await peer.quit();
    const stop = client.follow(() => {});
    setUp();
    await until(async () => (await standing()).includes('is not running'), 'the search');
    expect((await now()).obstacle?.mendable).toBe(false);
    await peer.launch();
    // Much less than the 5 s of a regular retry.
    await until(async () => {
      clock.advance(1);
      return await isReady();
    }, 'it was found');
    stop();
  });

  test('in a directory that does not exist yet is found when it is created', async () => {
    await peer.stop();
    const stop = client.follow(() => {});
    setUp();
    await until(async () => (await standing()).includes('is not running'), 'the search');
    const below = 'app/com.discordapp.Discord';
    await startPeer({ directory: machine.directory, below });
    await until(async () => {
      clock.advance(1);
      return await isReady();
    }, 'it was found');
    stop();
  });

  test('that ends leaves only nulls, and is found again', async () => {
    let updates = 0;
    const stop = client.follow(() => {
      updates += 1;
    });
    setUp();
    await ready();
    clock.advance(100);
    const before = updates;
    await peer.quit();
    await until(() => {
      clock.advance(10);
      return updates > before;
    }, 'the update');
    expect(await now()).toMatchObject({ connected: false, facts: null });
    await peer.launch();
    await until(async () => {
      clock.advance(1000);
      return await isReady();
    }, 'the next connection');
    stop();
  });

  test('is found beside a stale socket, and one with another protocol', async () => {
    const stop = client.follow(() => {});
    await peer.stop();
    const strange = await startVoiceChat({ directory: machine.directory, number: 1 });
    strange.faults.handshake = 'junk';
    fs.writeFileSync(path.join(machine.directory, 'discord-ipc-0'), '');
    await startPeer({ directory: machine.directory, number: 2 });
    setUp();
    await ready();
    await strange.stop();
    stop();
  });
});

describe('the connection to the voice-chat application', () => {
  test('ends a minute after a single read, and no timer remains', async () => {
    setUp();
    await ready();
    clock.advance(59_000);
    expect(peer.connected()).toBe(1);
    clock.advance(1000);
    await until(() => peer.connected() === 0, 'the connection to end');
    expect(clock.advanceToNext()).toBe(false);
    await ready();
  });

  test('stays while it has a subscriber', async () => {
    setUp();
    const stop = client.follow(() => {});
    await ready();
    clock.advance(600_000);
    expect(peer.connections()).toBe(1);
    stop();
    clock.advance(60_000);
    await until(() => peer.connected() === 0, 'the connection to end');
  });

  test('that changed settings stays, because the application would revert them', async () => {
    setUp();
    await ready();
    await client.command({ cmd: 'SET_VOICE_SETTINGS', args: { mute: true } }, () => {});
    clock.advance(600_000);
    expect(peer.connected()).toBe(1);
    await peer.quit();
    await until(async () => peer.connected() === 0, 'the application ended');
    clock.advance(600_000);
    expect(clock.advanceToNext()).toBe(false);
  });

  const steps = ['AUTHORIZE', 'AUTHENTICATE', 'SUBSCRIBE', 'GET_VOICE_SETTINGS', 'GET_SELECTED_VOICE_CHANNEL'];
  const faults = ['silence', 'junk', 'close', 'huge', 'no-json', 'no-object'] as const;
  test.each(steps.flatMap((cmd) => faults.map((what) => [cmd, what] as const)))(
    'with %s answered by %s fails, and the next one works',
    async (cmd, what) => {
      const stop = client.follow(() => {});
      peer.faults.at = { cmd, what };
      setUp();
      await until(() => sent(cmd) > 0, 'the request');
      // All time limits are over by then, the retry pause included.
      await until(async () => {
        clock.advance(1000);
        return (await now()).obstacle !== null || peer.connections() > 1;
      }, 'it was noticed');
      expect((await now()).facts).toBeNull();
      peer.faults.at = null;
      await until(async () => {
        clock.advance(10_000);
        return await isReady();
      }, 'it works again');
      stop();
    },
  );

  test.each(['silence', 'junk', 'close', 'refuse', 'huge'] as const)(
    'with a handshake answered by %s fails, and the next one works',
    async (what) => {
      const stop = client.follow(() => {});
      peer.faults.handshake = what;
      setUp();
      await until(async () => {
        clock.advance(1000);
        return (await now()).obstacle !== null;
      }, 'it was noticed');
      expect(await now()).toMatchObject({ connected: false, facts: null });
      peer.faults.handshake = null;
      await until(async () => {
        clock.advance(10_000);
        return await isReady();
      }, 'it works again');
      stop();
    },
  );

  test.each([1, 2, 3, 7, 8, 9, 100])('in pieces of %p bytes works', async (size) => {
    peer.faults.pieces = size;
    setUp();
    await ready();
  });

  test('that ends after any number of bytes fails, and the next one works', async () => {
    machine.put('chat-token.json', tokensOf(hour));
    peer.application.channels.set('100', testChannel('100'));
    peer.application.select('100');
    setUp();
    const stop = client.follow(() => {});
    const again = (what: string) =>
      until(async () => {
        clock.advance(5000);
        return await isReady();
      }, what);
    await again('it works');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4000 }), async (bytes) => {
        peer.faults.bytes = bytes;
        const before = peer.connections();
        peer.drop();
        // This many bytes may be enough for everything.
        await until(async () => {
          clock.advance(1000);
          return peer.connections() > before + 1 || (peer.connections() > before && (await isReady()));
        }, 'two attempts, or success');
        peer.faults.bytes = null;
        peer.drop();
        await again('it works again');
      }),
      { numRuns: 40 },
    );
    stop();
  }, 120_000);

  test('that is made again and again leaks no descriptor and no memory', async () => {
    machine.put('chat-token.json', tokensOf(hour));
    setUp();
    const stop = client.follow(() => {});
    const reconnect = async () => {
      const before = peer.connections();
      await ready();
      peer.drop();
      await until(() => {
        clock.advance(5000);
        return peer.connections() > before;
      }, 'the next connection');
    };
    const repeat = async (times: number) => {
      for (let round = 0; round < times; round += 1) await reconnect();
    };
    const held = () => {
      Bun.gc(true);
      return { descriptors: fs.readdirSync('/proc/self/fd').length, heap: process.memoryUsage().heapUsed };
    };
    await repeat(30);
    const before = held();
    const rounds = 100;
    await repeat(rounds);
    const after = held();
    expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 5);
    // The record of the peer takes 1.2 KB of each.
    expect(after.heap - before.heap).toBeLessThan(rounds * 10_000);
    expect(peer.connected()).toBeLessThanOrEqual(1);
    stop();
  }, 60_000);
});
