// Not on Windows: its peer listens at a socket in the file system.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { type ChatMachine, chatMachine } from '../../../../test/doubles/peers/chat-host.ts';
import { testChannel } from '../../../../test/doubles/peers/voice-chat.application.ts';
import { startVoiceChat, testClient, type VoiceChat } from '../../../../test/doubles/peers/voice-chat.ts';
import { until } from '../../../../test/harness/until.ts';
import { partOf } from '../../../core/part.ts';
import type { ChatClient, ChatState } from './chat.client.contract.ts';
import { chatConnection } from './chat.open.ts';

let machine: ChatMachine;
let peer: VoiceChat;
let client: ChatClient;
let lines: string[];
const clock = fakeClock(Date.now());

beforeEach(async () => {
  lines = [];
  machine = chatMachine({ clock });
  peer = await startVoiceChat({ directory: machine.directory });
  const say = (line: string) => void lines.push(line);
  const connection = await partOf(machine.host, chatConnection);
  client = await connection.open({ oauthUrl: () => peer.oauth.url, log: { info: say, warn: say } });
});

afterEach(async () => {
  await machine.close();
  await peer.stop();
  // No timer remains.
  expect(clock.advanceToNext()).toBe(false);
  for (const secret of peer.oauth.secrets) expect(lines.join('\n')).not.toContain(secret);
});

const present = (state: ChatState) => {
  if (state.kind === 'absent') throw new Error(state.sentence);
  return state;
};
/** Does not wait long: the clock stands still here. */
const now = async () => present(await Promise.race([client.state(), unsettled()]));
const unsettled = () =>
  new Promise<ChatState>((resolve) => {
    setTimeout(() => resolve({ kind: 'present', connected: false, facts: null, obstacle: null }), 20);
  });
const isReady = async () => (await now()).facts !== null;
const ready = () => until(isReady, 'everything is read');
const standing = async () => (await now()).obstacle?.sentence ?? '';
const sent = (cmd: string) => peer.received.filter((request) => request.cmd === cmd).length;
const setUp = (given = testClient) => machine.put('chat.json', given);
const hour = 3600;
const tokensOf = (seconds: number) => {
  const tokens = peer.oauth.issueTokens(['rpc']);
  return { ...tokens, expires_at: Math.floor(clock.now() / 1000) + seconds };
};

describe('the chat client without a set-up', () => {
  test('nothing is connected and no timer runs', async () => {
    expect(await client.state()).toEqual({
      kind: 'absent',
      sentence: 'the voice-chat application is not set up; run "hostler chat setup" on the machine',
    });
    expect(peer.connections()).toBe(0);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('a file with other contents is reported as broken', async () => {
    machine.put('chat.json', { clientId: 7 });
    expect(await client.state()).toMatchObject({ kind: 'absent', sentence: expect.stringContaining('chat.json') });
  });

  test('a file under the older name is read too', async () => {
    machine.put('discord.json', testClient);
    await ready();
  });

  test('subscribers are notified when a set-up appears and when it is removed', async () => {
    let updates = 0;
    const stop = client.follow(() => {
      updates += 1;
    });
    setUp();
    await until(() => updates > 0, 'the set-up to be noticed');
    await ready();
    machine.remove('chat.json');
    await until(() => peer.connected() === 0, 'the connection to end');
    expect(await client.state()).toMatchObject({ kind: 'absent' });
    stop();
    clock.advance(60_000);
  });
});

describe('permission of the voice-chat application', () => {
  test('is requested once, and stored in a file that only the owner can read', async () => {
    setUp();
    await ready();
    expect(sent('AUTHORIZE')).toBe(1);
    expect(peer.received.find(({ cmd }) => cmd === 'AUTHORIZE')?.args).toEqual({
      client_id: testClient.clientId,
      scopes: ['rpc', 'rpc.voice.read', 'rpc.voice.write', 'identify'],
    });
    const file = path.join(machine.state, 'chat-token.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const before = peer.connections();
    peer.drop();
    await until(() => {
      clock.advance(1000);
      return peer.connections() > before;
    }, 'it came again');
    await ready();
    expect(sent('AUTHORIZE')).toBe(1);
  });

  test('is not requested when a token is stored', async () => {
    machine.put('chat-token.json', tokensOf(hour));
    setUp();
    await ready();
    expect(sent('AUTHORIZE')).toBe(0);
    expect(peer.oauth.forms).toEqual([]);
  });

  test('that expires within a minute is refreshed first', async () => {
    machine.put('chat-token.json', tokensOf(59));
    setUp();
    await ready();
    expect(sent('AUTHORIZE')).toBe(0);
    expect(peer.oauth.forms.map(({ grant_type }) => grant_type)).toEqual(['refresh_token']);
    expect(machine.read('chat-token.json')).toMatchObject({
      expires_at: Math.floor(clock.now() / 1000) + peer.oauth.lifetimeSeconds,
    });
  });

  test('that cannot be refreshed is requested again', async () => {
    machine.put('chat-token.json', { ...tokensOf(-10), refresh_token: 'refresh-revoked' });
    setUp();
    await ready();
    expect(sent('AUTHORIZE')).toBe(1);
  });

  test('that the application no longer accepts is requested again', async () => {
    machine.put('chat-token.json', { ...tokensOf(hour), access_token: 'access-revoked' });
    setUp();
    await ready();
    expect(sent('AUTHENTICATE')).toBe(2);
    expect(sent('AUTHORIZE')).toBe(1);
  });

  test('is requested without the voice scopes where the application refuses them', async () => {
    peer.application.consent = 'no-voice-scopes';
    setUp();
    await ready();
    expect(peer.received.filter(({ cmd }) => cmd === 'AUTHORIZE').map(({ args }) => args.scopes)).toEqual([
      ['rpc', 'rpc.voice.read', 'rpc.voice.write', 'identify'],
      ['rpc'],
    ]);
  });

  test('that is refused is requested again after 5 minutes, not earlier', async () => {
    const stop = client.follow(() => {});
    peer.application.consent = 'deny';
    setUp();
    await until(async () => (await standing()).includes('refused'), 'it was refused');
    expect(await now()).toMatchObject({ connected: true, facts: null });
    peer.application.consent = 'allow';
    clock.advance(299_000);
    await standing();
    expect(sent('AUTHORIZE')).toBe(1);
    // A restart of the application must not open another prompt.
    await peer.quit();
    await until(async () => !(await now()).connected, 'the end to be noticed');
    await peer.launch();
    await until(async () => {
      clock.advance(1);
      return (await now()).connected;
    }, 'the next connection');
    expect(await standing()).toContain('refused');
    expect(sent('AUTHORIZE')).toBe(1);
    clock.advance(5000);
    await ready();
    expect(sent('AUTHORIZE')).toBe(2);
    stop();
  });

  test('that is refused is requested at once after another set-up', async () => {
    const stop = client.follow(() => {});
    peer.application.consent = 'deny';
    setUp();
    await until(async () => (await standing()).includes('refused'), 'it was refused');
    peer.application.consent = 'allow';
    setUp();
    await ready();
    expect(sent('AUTHORIZE')).toBe(2);
    stop();
  });

  test('that is not answered within 2 minutes counts as refused', async () => {
    const stop = client.follow(() => {});
    peer.application.consent = 'silence';
    setUp();
    await until(async () => (await standing()).includes('accept it there'), 'the permission prompt');
    expect(await now()).toMatchObject({ connected: true, facts: null });
    clock.advance(120_000);
    await until(async () => (await standing()).includes('not answered'), 'the time limit');
    stop();
  });

  test('is neither requested nor refreshed by a one-shot command', async () => {
    const other = chatMachine({ clock });
    const connection = await partOf(other.host, chatConnection);
    const oneShot = await connection.open({ oauthUrl: () => peer.oauth.url, log: silent, passing: true });
    other.put('chat.json', testClient);
    const second = await startVoiceChat({ directory: other.directory });
    await until(async () => present(await oneShot.state()).obstacle !== null, 'it knows');
    expect(second.received.map(({ cmd }) => cmd)).toEqual([]);
    await other.close();
    await second.stop();
  });
});

const silent = { info: () => {}, warn: () => {} };

describe('a chat set-up that is wrong', () => {
  test('in its secret is retried after 30 s, and the secret is not logged', async () => {
    const stop = client.follow(() => {});
    setUp({ ...testClient, clientSecret: 'wrong-secret' });
    peer.oauth.secrets.add('wrong-secret');
    await until(async () => (await standing()).includes('refused it (400)'), 'it was refused');
    expect(await now()).toMatchObject({ connected: true, facts: null });
    clock.advance(29_000);
    await standing();
    expect(sent('AUTHORIZE')).toBe(1);
    clock.advance(1000);
    await until(() => sent('AUTHORIZE') === 2, 'the retry');
    stop();
  });

  test('in its client id is retried after 30 s', async () => {
    const stop = client.follow(() => {});
    setUp({ ...testClient, clientId: '999' });
    await until(async () => (await standing()).includes('Invalid Client ID'), 'it was refused');
    expect(await now()).toMatchObject({ connected: false });
    expect(peer.connections()).toBe(1);
    clock.advance(29_000);
    expect(peer.connections()).toBe(1);
    clock.advance(1000);
    await until(() => peer.connections() === 2, 'the retry');
    stop();
  });

  test.each(['broken', 'redirect'] as const)('or an endpoint that is %s leaves no token', async (fault) => {
    const stop = client.follow(() => {});
    peer.oauth.fault = fault;
    setUp();
    await until(async () => (await standing()).includes('returned no token'), 'it is said');
    expect(machine.read('chat-token.json')).toBeNull();
    expect(peer.oauth.forms).toHaveLength(1);
    for (const secret of peer.oauth.secrets) expect(await standing()).not.toContain(secret);
    stop();
  });

  test('and removed during the request to the endpoint leaves no token', async () => {
    const stop = client.follow(() => {});
    peer.oauth.fault = 'silence';
    setUp();
    await until(() => sent('AUTHORIZE') === 1, 'the permission');
    machine.remove('chat.json');
    await until(() => peer.connected() === 0, 'the connection to end');
    expect(machine.read('chat-token.json')).toBeNull();
    stop();
  });
});

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
    peer = await startVoiceChat({ directory: machine.directory, below });
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
    peer = await startVoiceChat({ directory: machine.directory, number: 2 });
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
