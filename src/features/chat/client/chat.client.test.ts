// Not on Windows: its peer listens at a socket in the file system.
import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { chatMachine } from '../../../../test/doubles/peers/chat-host.ts';
import { startVoiceChat, testClient } from '../../../../test/doubles/peers/voice-chat.ts';
import {
  client,
  clock,
  hour,
  machine,
  now,
  peer,
  present,
  ready,
  sent,
  setUp,
  standing,
  tokensOf,
  useChatClient,
} from '../../../../test/harness/chat-client.ts';
import { until } from '../../../../test/harness/until.ts';
import { partOf } from '../../../core/part.ts';
import { chatConnection } from './chat.open.ts';

useChatClient();

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
