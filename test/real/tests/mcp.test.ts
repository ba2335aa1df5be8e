import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { denseText } from '../../../src/transports/mcp/calls.text.ts';
import { modes } from '../../harness/agents.ts';
import { callUntilAnswered, connectTo, type Way } from '../harness/mcp-clients.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

/** Every call with arguments that make sense on any machine. Calls that need a desktop or hardware may report that it is missing. */
const calls: Record<string, Record<string, unknown>> = {
  get_overview: {},
  get_module: { module: 'memory', fields: ['virtual.percent'] },
  list_processes: { limit: 5, detail: 'full' },
  list_connections: { limit: 5 },
  wait_for: { module: 'cpu', field: 'usage', op: 'ge', value: 0 },
  what_happened: { minutes: 5 },
  lock_session: {},
  cancel_power: {},
  power_action: { action: 'restart', delay_seconds: 3600 },
  control_media: { action: 'pause' },
  control_chat: { action: 'mute' },
  send_notification: { title: 'Test', message: 'Hello' },
  run_command: { command_id: 'hello' },
  busiest_processes: {},
  get_process: { pid: process.pid },
  control_process: { pid: process.pid, start_time: 0, name: 'missing', action: 'continue' },
};
const reading = [
  'get_overview',
  'get_module',
  'list_processes',
  'list_connections',
  'wait_for',
  'what_happened',
  'busiest_processes',
  'get_process',
];

/** Tools that ask the user. */
const asking = ['power_action', 'run_command', 'control_process'];

/** The user denies every prompt on the command line until this call is answered. */
async function denyDuring({ directory }: RunningHostler, call: Promise<unknown>): Promise<void> {
  let isAnswered = false;
  const answered = () => {
    isAnswered = true;
  };
  void call.then(answered, answered);
  while (!isAnswered) {
    const { stdout } = await runHostler(['approve', '--json'], { directory });
    for (const { id } of JSON.parse(stdout) as { id: string }[])
      await runHostler(['approve', id, '--deny'], { directory });
  }
}

const withCommand = (directory: string) => {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  const allowlist = [{ id: 'hello', name: 'Hello', command: '/bin/echo', workingDir: '', arguments: ['hi'] }];
  fs.writeFileSync(
    path.join(directory, 'config', 'settings.json'),
    JSON.stringify({ commands: { allowlist }, mcp: { commands: ['hello'] } }),
  );
};

describe.each([false, true])('the official client; compiled: %p', (compiled) => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler({ compiled, prepare: withCommand });
  });
  afterAll(async () => {
    expect(await hostler.stop()).toBe(0);
  });

  const ways: Way[] = modes.flatMap((mode) => [
    { mode, over: 'http' as const, compiled },
    { mode, over: 'stdio' as const, compiled },
  ]);

  test.each(ways)(
    'lists and calls every tool, reads and subscribes to every resource: %j',
    async (way) => {
      const client = await connectTo(hostler, way);
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(reading));
      // The bridge has neither power nor commands unless they are granted.
      expect([names.includes('power_action'), names.includes('run_command')]).toEqual([
        way.over === 'http',
        way.over === 'http',
      ]);
      for (const { name, annotations, outputSchema } of tools) {
        expect(Object.keys(annotations ?? {}).sort()).toEqual([
          'destructiveHint',
          'idempotentHint',
          'openWorldHint',
          'readOnlyHint',
        ]);
        expect(outputSchema?.type).toBe('object');
        expect(calls).toHaveProperty(name);
        // The limit is ten a second, and the client counts as one over all transports.
        await Bun.sleep(110);
        const given = calls[name] ?? {};
        const call = asking.includes(name)
          ? callUntilAnswered(client, name, given)
          : client.callTool({ name, arguments: given });
        if (asking.includes(name)) await denyDuring(hostler, call);
        const result = await call;
        const text = JSON.stringify(result.content);
        if (reading.includes(name))
          expect({ name, isError: result.isError, text }).toMatchObject({ isError: undefined });
        if (result.isError === true) expect(text).not.toContain('internal error');
        else expect(JSON.parse(text).at(0)?.text).toBe(denseText(result.structuredContent as Record<string, unknown>));
      }
      const { resources } = await client.listResources();
      expect(resources.length).toBeGreaterThan(10);
      const updated = new Set<string>();
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.add(params.uri));
      const uris = resources.map(({ uri }) => uri);
      if (way.mode === 'legacy') for (const uri of uris) await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: uris });
      for (const uri of uris) {
        await Bun.sleep(110);
        const outcome = await client.readResource({ uri }).catch((error: Error) => error.message);
        // A module that does not exist here gives the reason.
        if (typeof outcome === 'string') expect(outcome).toContain('is not available here');
        else expect(JSON.parse(JSON.stringify(outcome.contents[0])).text).toStartWith('{');
      }
      await until(() => (updated.has('system://modules/cpu') && updated.has('system://overview') ? true : null));
      await client.close();
    },
    120_000,
  );

  test('each call leaves an audit line that only the owner can read, and calls with consent are marked', () => {
    const files = ['agents.log', 'agents-acting.log', 'agents-reading.log'];
    const texts = files.map((name) => fs.readFileSync(path.join(hostler.directory, 'state', name), 'utf8'));
    const parsed = texts.map((text) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    const [consent = []] = parsed;
    expect(parsed.flat().length).toBeGreaterThan(30);
    expect(consent.length).toBeGreaterThan(0);
    for (const line of consent) {
      expect(asking).toContain(line.tool);
      expect(line).toMatchObject({ decision: expect.stringContaining('forbidden'), agreed: 'nobody' });
    }
    expect(parsed.flat().find(({ tool }) => tool === 'power_action')).toMatchObject({
      client: 'tester 1',
      token: 'main',
      arguments: { action: 'restart' },
      // It waits if the user was asked about the other one just before.
      decision: expect.stringMatching(/^(forbidden|rate_limited)/),
    });
    for (const name of files) expect(fs.statSync(path.join(hostler.directory, 'state', name)).mode & 0o777).toBe(0o600);
    expect(texts.join()).not.toContain('Hello');
  });
});

describe('the bridge', () => {
  test('replies that the service is not running, and finds it when it starts', async () => {
    await using hostler = await startHostler();
    const client = await connectTo(hostler, { mode: 'legacy', over: 'stdio' });
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    // The same directories, another process and another port: as after a restart.
    const kept = fs.mkdtempSync(path.join(hostler.directory, '..', 'hostler-kept-'));
    fs.cpSync(hostler.directory, kept, { recursive: true, filter: (file) => !file.endsWith('.sock') });
    const { directory } = hostler;
    await hostler.stop();
    await expect(client.listTools()).rejects.toThrow('Hostler is not running');
    fs.renameSync(kept, directory);
    await using again = await startHostler({ directory });
    await until(() =>
      client.listTools().then(
        ({ tools }) => (tools.length > 4 ? true : null),
        () => null,
      ),
    );
    await client.close();
    expect(await again.stop()).toBe(0);
  }, 60_000);

  test('has a token that is valid only for it, and ends when the token is revoked', async () => {
    await using hostler = await startHostler();
    const client = await connectTo(hostler, { mode: 'auto', over: 'stdio' });
    await client.listTools();
    const secret = fs.readFileSync(path.join(hostler.directory, 'state', 'mcp-token'), 'utf8').trim();
    for (const route of ['/api/data/cpu', '/api/modules', '/api/tokens']) {
      const answer = await hostler.get(route, { 'X-API-Token': secret });
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('for agents')]);
    }
    const { stdout } = await runHostler(['token', 'list', '--json'], { directory: hostler.directory });
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        name: 'mcp-bridge',
        kind: 'agent',
        scopes: ['read', 'media', 'notify', 'chat', 'control'],
      }),
    );
    await runHostler(['token', 'revoke', 'mcp-bridge'], { directory: hostler.directory });
    await until(() =>
      client.listTools().then(
        () => null,
        (error: Error) => (error.message.includes('revoked') ? true : null),
      ),
    );
    await client.close();
    await runHostler(['mcp', 'config', 'claude-desktop', '--scope', 'read,power'], { directory: hostler.directory });
    const granted = await connectTo(hostler, { mode: 'auto', over: 'stdio' });
    expect((await granted.listTools()).tools.map(({ name }) => name)).toContain('power_action');
    await granted.close();
    await hostler.stop();
  }, 60_000);
});

describe('the printed client configuration works', () => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler();
  });
  afterAll(async () => void (await hostler.stop()));

  test.each(['vscode', 'cursor', 'codex', 'gemini'])(
    '%s',
    async (client) => {
      const { code, stdout, stderr } = await runHostler(['mcp', 'config', client], { directory: hostler.directory });
      expect(code).toBe(0);
      expect(stdout).toContain(`http://127.0.0.1:${hostler.port}/api/mcp`);
      const token = /Bearer ([\w-]{43})/.exec(stdout)?.[1] ?? '';
      expect(stderr).not.toContain(token);
      expect(stderr).toContain('chmod 600');
      const connected = await connectTo(hostler, { mode: 'auto', over: 'http', token });
      const names = (await connected.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('get_overview');
      expect(names).not.toContain('power_action');
      await connected.close();
      const again = await runHostler(['mcp', 'config', client], { directory: hostler.directory });
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--renew')]);
      const renewed = await runHostler(['mcp', 'config', client, '--renew'], { directory: hostler.directory });
      expect(renewed.code).toBe(0);
      expect(renewed.stdout).not.toContain(token);
    },
    60_000,
  );

  test.each(modes)(
    'scopes are added to the token of a connected agent, in mode %j, and what is still missing is said',
    async (mode) => {
      const run = (...args: string[]) => runHostler(args, { directory: hostler.directory });
      const name = `agent-${mode}`;
      const { stdout } = await run('mcp', 'config', 'gemini', '--renew');
      const token = /Bearer ([\w-]{43})/.exec(stdout)?.[1] ?? '';
      const agent = await connectTo(hostler, { mode, over: 'http', token });
      const call = async () => await agent.callTool({ name: 'run_command', arguments: { command_id: name } });
      const grant = /hostler (token change mcp-gemini --add-scope command)/.exec(
        JSON.stringify((await call()).content),
      );
      const changed = await run(...(grant?.[1] ?? '').split(' '));
      expect([changed.code, changed.stdout]).toEqual([0, expect.stringContaining('may now do this: read, media')]);
      expect(changed.stderr).toContain('run_command needs ids of commands.allowlist in the setting mcp.commands');
      // The service detects the change within a moment.
      await until(async () => JSON.stringify((await call()).content).includes('mcp.commands') || null);
      expect(await run('mcp', 'config', 'gemini', '--add-scope', 'power')).toMatchObject({ code: 0, stderr: '' });
      await until(async () => (await agent.listTools()).tools.some((tool) => tool.name === 'power_action') || null);
      await agent.close();
      const { stdout: log } = await run('mcp', 'log');
      expect(log).toContain(`{"command_id":"${name}"}`);
      expect((await run('mcp', 'config', 'windsurf', '--add-scope', 'power')).stdout).toContain('control, power.');
      expect((await run('mcp', 'config', 'gemini', '--add-scope', 'power', '--renew')).code).toBe(2);
    },
    60_000,
  );

  test('claude-desktop gets a command with absolute paths', async () => {
    const { stdout } = await runHostler(['mcp', 'config', 'claude-desktop'], { directory: hostler.directory });
    const { command, args } = JSON.parse(stdout).mcpServers.hostler;
    expect(args.at(-1)).toBe('mcp');
    expect(path.isAbsolute(command) || path.isAbsolute(args[0])).toBe(true);
  });

  test('claude-code gets a command line without a secret, which any shell parses as intended', async () => {
    const directory = path.join(hostler.directory, "it's a place");
    const { code, stdout, stderr } = await runHostler(['mcp', 'config', 'claude-code', '--scope', 'read'], {
      directory,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('no secret')]);
    const secrets = ['token', 'mcp-token'].map((name) => path.join(directory, 'state', name)).filter(fs.existsSync);
    expect(secrets.length).toBeGreaterThan(0);
    for (const file of secrets) expect(stdout).not.toContain(fs.readFileSync(file, 'utf8').trim());
    const words = execFileSync('sh', ['-c', stdout.replace(/^claude/, "printf '%s\\n'")], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(words.slice(0, 5)).toEqual(['mcp', 'add', '--scope', 'user', 'hostler']);
    expect(words).toContain(`SERVICE_STATE_DIR=${path.join(directory, 'state')}`);
    expect(words.at(-1)).toBe('mcp');
    expect(path.isAbsolute(words.at(-2) ?? '')).toBe(true);
  });

  test('an unknown client is refused', async () => {
    const { code, stderr } = await runHostler(['mcp', 'config', 'notepad'], { directory: hostler.directory });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/available: .*claude-desktop.*vscode/)]);
  });
});
