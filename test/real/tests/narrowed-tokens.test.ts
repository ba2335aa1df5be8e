import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { connectTo } from '../harness/mcp-clients.ts';
import { createToken, postJson, type RunningHostler, runHostler, startHostler } from '../harness/service.ts';
import { createSocketClients, isUpdate } from '../harness/socket-client.ts';

setDefaultTimeout(120_000);

let hostler: RunningHostler;

beforeAll(async () => {
  hostler = await startHostler();
});
afterAll(() => hostler?.stop());

const connect = createSocketClients(() => hostler);

/** As editors do: some write the file in place, so that it has no tokens for a moment, others replace it. */
function editTokens(edit: (token: { name: string; scopes: string[] }) => void, how: 'in place' | 'another file'): void {
  const file = path.join(hostler.directory, 'state', 'tokens.json');
  const stored = JSON.parse(fs.readFileSync(file, 'utf8')) as { tokens: { name: string; scopes: string[] }[] };
  for (const token of stored.tokens) edit(token);
  const text = `${JSON.stringify(stored, null, 2)}\n`;
  if (how === 'in place') return fs.writeFileSync(file, text);
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

const leave =
  (name: string, ...scopes: string[]) =>
  (token: { name: string; scopes: string[] }) => {
    if (token.name === name) token.scopes = scopes;
  };

const changed = { code: 1008, reason: 'the token was revoked, or may do less' };

describe('a scope that is removed from the file by hand', () => {
  test.each(['in place', 'another file'] as const)('ends a listener that needs it (%s), and no others', async (how) => {
    const name = `listener ${how}`;
    const token = await createToken(hostler, name, 'read,files');
    const [client, witness] = [await connect(), await connect()];
    for (const [one, envelope] of [
      [client, { token }],
      [witness, {}],
    ] as const)
      await one.ask('REGISTER_DATA_LISTENER', { modules: ['memory'], interval: 1000 }, envelope);
    await client.until(isUpdate('memory'), 'an update');
    editTokens(leave(name, 'files'), how);
    expect(await client.closed).toEqual(changed);
    const before = witness.messages.length;
    await until(() => witness.messages.length > before, 'updates of the other');
    expect(witness.isClosed()).toBe(false);
  });

  test('ends a listener that sees less of a module from then on', async () => {
    const token = await createToken(hostler, 'viewer', 'read,screen');
    const client = await connect();
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['session'] }, { token });
    editTokens(leave('viewer', 'read'), 'another file');
    expect(await client.closed).toEqual(changed);
  });

  test('is gone for a browser that signed in with it, and ends its listener', async () => {
    const token = await createToken(hostler, 'page', 'read,files');
    const login = await postJson(hostler, '/api/login', {}, token);
    const { token: short } = (await login.json()) as { token: string };
    const client = await connect();
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['memory'] }, { token: short });
    editTokens(leave('page', 'files'), 'another file');
    expect(await client.closed).toEqual(changed);
    const statusOf = async (route: string) => (await hostler.get(route, { 'X-API-Token': short })).status;
    expect(await statusOf('/api/data/memory')).toBe(403);
    const listing = await fetch(`${hostler.base}/api/files/directories`, {
      method: 'POST',
      headers: { 'X-API-Token': short },
    });
    expect(listing.status).toBe(200);
  });

  test('is gone for an agent in its current session', async () => {
    const token = await createToken(hostler, 'agent', 'read,notify');
    const older = await connectTo(hostler, { mode: 'legacy', over: 'http', token });
    expect((await older.callTool({ name: 'get_overview', arguments: {} })).isError).toBeFalsy();
    const modern = await connectTo(hostler, { mode: 'auto', over: 'http', token });
    const { closed } = await modern.listen({ resourceSubscriptions: ['system://modules/memory'] });
    editTokens(leave('agent', 'notify'), 'another file');
    await closed;
    await expect(older.callTool({ name: 'get_overview', arguments: {} })).rejects.toThrow('no such session');
    await modern.close();
  });

  test('closes the file addresses that it opened', async () => {
    const token = await createToken(hostler, 'player', 'read,files');
    fs.writeFileSync(path.join(hostler.directory, 'home', 'note.txt'), 'secret');
    const asked = await postJson(hostler, '/api/media/file/ticket', { base: 'home', path: 'note.txt' }, token);
    const { ticket } = (await asked.json()) as { ticket: string };
    const fetchFile = async () => (await hostler.get(`/api/media/file/data?ticket=${ticket}`, {})).status;
    expect(await fetchFile()).toBe(200);
    editTokens(leave('player', 'read'), 'another file');
    await until(async () => (await fetchFile()) === 401, 'the file is closed');
  });

  test('a scope that is added ends nothing', async () => {
    const token = await createToken(hostler, 'growing', 'read');
    const client = await connect();
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['memory'] }, { token });
    editTokens(leave('growing', 'read', 'files'), 'another file');
    await until(
      async () => (await client.ask('GET_DIRECTORIES', {}, { token })).type !== 'ERROR',
      'the token may list directories',
    );
    expect(client.isClosed()).toBe(false);
  });
});

describe('a request whose body is still on its way when its token is revoked', () => {
  const headersOf = (route: string, token: string, length: number) =>
    [
      `POST ${route} HTTP/1.1`,
      `Host: 127.0.0.1:${hostler.port}`,
      `X-API-Token: ${token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${length}`,
      'Connection: close',
      '',
      '',
    ].join('\r\n');

  /** Sends all but the last character, revokes the token, sends the rest; returns the reply. */
  const finishLate = async (route: string, name: string, scopes: string, body: object) => {
    const token = await createToken(hostler, name, scopes);
    const text = JSON.stringify(body);
    const socket = net.connect(hostler.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(headersOf(route, token, text.length) + text.slice(0, -1));
    // The token is checked before the body: once it was used, the request has begun.
    await until(async () => {
      const listed = (await (await hostler.get('/api/tokens')).json()) as { name: string; last_used: string | null }[];
      return listed.some((one) => one.name === name && one.last_used !== null);
    }, 'the request has begun');
    await runHostler(['token', 'revoke', name], hostler);
    socket.write(text.slice(-1));
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  };

  test('creates no token', async () => {
    const answer = await finishLate('/api/tokens', 'chief', 'read,admin', { name: 'heir', scopes: ['admin'] });
    expect(answer).toStartWith('HTTP/1.1 401');
    const { stdout } = await runHostler(['token', 'list'], hostler);
    expect(stdout).not.toContain('heir');
  });

  test('runs no action', async () => {
    const answer = await finishLate('/api/control/pause', 'pauser', 'read,control,admin', {});
    expect(answer).toStartWith('HTTP/1.1 401');
  });

  test('is not accepted as a message of an agent', async () => {
    const answer = await finishLate('/api/mcp', 'robot', 'read', {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    });
    expect(answer).toStartWith('HTTP/1.1 401');
  });
});
