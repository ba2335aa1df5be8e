// tier: full
import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { documentTools } from '../harness/npm-tools.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { startHostler } from '../harness/service.ts';

const tools = needs('node', 'npm') ? documentTools() : null;

describe.skipIf(tools === null)('the API document of a running service', () => {
  test('passes Redocly, and openapi-typescript generates types that compile', async () => {
    await using hostler = await startHostler();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-documents-'));
    const run = (program: string, ...args: string[]) => {
      const env = { PATH: process.env.PATH ?? '', HOME: directory, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' };
      const result = spawnSync(findProgram('node') ?? '', [program, ...args], {
        cwd: directory,
        env,
        encoding: 'utf8',
      });
      return { status: result.status, output: result.stdout + result.stderr };
    };
    fs.writeFileSync(path.join(directory, 'openapi.json'), await (await hostler.get('/api/openapi.json', {})).text());

    const linted = run(tools?.redocly ?? '', 'lint', 'openapi.json', '--format=json');
    const { totals } = JSON.parse(
      linted.output.slice(linted.output.indexOf('{'), linted.output.lastIndexOf('}') + 1),
    ) as {
      totals: { errors: number; warnings: number };
    };
    expect({ totals, output: linted.output.slice(0, 2000) }).toMatchObject({ totals: { errors: 0, warnings: 0 } });

    const made = run(tools?.openapiTypescript ?? '', 'openapi.json', '-o', 'api.ts');
    expect(made).toMatchObject({ status: 0 });
    fs.writeFileSync(path.join(directory, 'package.json'), '{"type":"module"}');
    fs.writeFileSync(
      path.join(directory, 'use.ts'),
      `import type { operations, paths } from './api.ts';
const pause: NonNullable<operations['mediaControl']['requestBody']>['content']['application/json'] = { action: 'PAUSE' };
type Cpu = paths['/api/data/cpu']['get']['responses'][200]['content']['application/json'];
export const usage = ({ usage }: Cpu): number | null => usage;
// @ts-expect-error: the action is a text
export const wrong: typeof pause = { action: 1 };
`,
    );
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--allowImportingTsExtensions', 'use.ts'];
    expect(run(tools?.tsc ?? '', ...flags)).toEqual({ status: 0, output: '' });
    fs.rmSync(directory, { recursive: true });
  });
});
