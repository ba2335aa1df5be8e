// tier: full
import { describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mcpRemote } from '../harness/npm-tools.ts';
import { consentTo } from '../harness/oauth-consent.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';

const remote = mcpRemote();

describe.skipIf(remote === null)('mcp-remote', () => {
  test('gets a token by OAuth, which it keeps for its next start', async () => {
    await using hostler = await startHostler();
    const { directory } = hostler;
    const start = () => {
      const client = new Client({ name: 'tester', version: '1' });
      const transport = new StdioClientTransport({
        command: 'node',
        args: [remote ?? '', `${hostler.base}/api/mcp`],
        env: { PATH: process.env.PATH ?? '', HOME: directory, MCP_REMOTE_CONFIG_DIR: directory },
        stderr: 'pipe',
      });
      let said = '';
      transport.stderr?.on('data', (chunk) => {
        said += chunk;
      });
      return { client, connected: client.connect(transport, { timeout: 60_000 }), said: () => said };
    };
    const first = start();
    first.connected.catch(() => {});
    const url = await until(() => URL.parse(/^https?:\S+\/oauth\/authorize\?\S+$/m.exec(first.said())?.[0] ?? ''));
    expect((await fetch(await consentTo(hostler, url, 'allow'))).status).toBe(200);
    await first.connected;
    expect((await first.client.callTool({ name: 'get_overview' })).isError).toBeFalsy();
    await first.client.close();
    const second = start();
    await second.connected;
    expect((await second.client.listTools()).tools.length).toBeGreaterThan(5);
    await second.client.close();
    const { stdout } = await runHostler(['token', 'list'], { directory });
    expect(stdout).toContain('an agent, by OAuth');
  }, 120_000);
});
