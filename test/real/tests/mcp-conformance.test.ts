// tier: full
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type FixtureService, startFixtureService, startTokenProxy } from '../harness/mcp-conformance.ts';
import { npmTools, runNpmTool } from '../harness/npm-tools.ts';

/** The official suite against our endpoint and guards, with the tools it requires. */
describe.skipIf(!npmTools())('conformance', () => {
  let service: FixtureService;
  let proxy: ReturnType<typeof startTokenProxy>;
  let directory: string;
  beforeAll(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-conformance-'));
    service = startFixtureService();
    proxy = startTokenProxy(service);
  });
  afterAll(async () => {
    proxy.stop();
    await service.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  test.each([
    ['2026-07-28', 37],
    ['2025-11-25', 30],
  ])(
    'everything that %s requires',
    async (revision, scenarios) => {
      const url = `http://127.0.0.1:${proxy.port}/api/mcp`;
      const { code, output } = await runNpmTool(
        'conformance',
        ['server', '--url', url, '--requirements', revision],
        directory,
      );
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      const summary = output.slice(output.indexOf('=== SUMMARY ==='));
      // Optional scenarios come after the others, and again in a separate list.
      const passed = [...summary.matchAll(/^✓ ([\w-]+): \d+ passed, 0 failed$/gm)].map(([, name]) => name);
      expect(passed.length).toBeGreaterThanOrEqual(scenarios);
    },
    300_000,
  );
});
