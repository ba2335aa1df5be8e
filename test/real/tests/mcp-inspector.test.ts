// tier: full
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { npmTools, runNpmTool } from '../harness/npm-tools.ts';
import { commandLine, type RunningHostler, serviceEnvironment, startHostler } from '../harness/service.ts';

describe.skipIf(!npmTools())('the Inspector', () => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler();
  });
  afterAll(async () => void (await hostler.stop()));

  const overHttp = () => [
    '--transport',
    'http',
    '--server-url',
    `${hostler.base}/api/mcp`,
    '--header',
    `Authorization: Bearer ${hostler.token}`,
  ];
  const overStdio = () => {
    const [command, ...args] = commandLine(false);
    const server = { command, args: [...args, 'mcp'], env: serviceEnvironment(hostler.directory, {}) };
    const file = path.join(hostler.directory, 'mcp.json');
    fs.writeFileSync(file, JSON.stringify({ mcpServers: { hostler: server } }));
    return ['--config', file, '--server', 'hostler'];
  };

  describe.each([
    ['HTTP', overHttp],
    ['the bridge', overStdio],
  ])('over %s', (_name, way) => {
    const inspect = async (...args: string[]) => {
      const { code, stdout, output } = await runNpmTool('inspector', ['--cli', ...way(), ...args], hostler.directory);
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      return JSON.parse(stdout);
    };

    test('lists the tools and accepts their schemas', async () => {
      const { tools } = await inspect('--method', 'tools/list', '--strict');
      expect(tools.map(({ name }: { name: string }) => name)).toContain('list_processes');
    }, 60_000);

    test('calls a tool', async () => {
      const result = await inspect('--method', 'tools/call', '--tool-name', 'list_processes', '--tool-arg', 'limit=2');
      expect(result.structuredContent.processes).toHaveLength(2);
    }, 60_000);

    test('reads a resource and a prompt', async () => {
      const { contents } = await inspect('--method', 'resources/read', '--uri', 'system://modules/memory');
      expect(JSON.parse(contents[0].text).module).toBe('memory');
      const { messages } = await inspect('--method', 'prompts/get', '--prompt-name', 'health_report');
      expect(messages).toHaveLength(1);
    }, 60_000);
  });
});
