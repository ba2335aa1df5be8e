import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
// @ts-expect-error: a script for Node, without types.
import { describeTier, inTier, tierOf } from '../scripts/test-tiers.mjs';

const root = path.resolve(import.meta.dirname, '..');
const inReal = (name: string) => `./test/real/tests/${name}.test.ts`;

describe('the tier of a test file', () => {
  test('is full if its first line says so, and standard otherwise', () => {
    expect(tierOf('// tier: full\nimport …')).toBe('full');
    expect(tierOf('import …\n// tier: full\n')).toBe('standard');
    expect(tierOf('// Tiers of a cake\n')).toBe('standard');
  });

  test('of a file that does not exist is an error, instead of a silent default', () => {
    for (const marker of ['// tier: ful', '// tier: slow', '//tier: full', '// Tier full'])
      expect(() => tierOf(`${marker}\n`)).toThrow('is not a tier');
  });
});

test('the standard tier leaves out Windows, guests and container engines, and says so; the full tier has every file', () => {
  const files = ['dbus', 'windows', 'drives-guest', 'containers'].map(inReal);
  expect(inTier(files, 'standard')).toEqual([inReal('dbus')]);
  expect(inTier(files, 'full')).toEqual(files);
  const lines: string[] = describeTier('standard', files);
  expect(lines[0]).toContain('1 of 4 test files');
  expect(lines[1]).toEndWith('windows, drives-guest, containers');
});

test('no file of the standard tier uses the harness of Wine, of guests, of container engines, of packages or of npm tools', () => {
  const folder = path.join(root, 'test', 'real', 'tests');
  const files = fs.readdirSync(folder).map((name) => inReal(path.basename(name, '.test.ts')));
  const heavy = /harness\/(wine|guest|engines|packages|victoria-metrics|npm-tools)[\w-]*\.ts'/;
  const wrong = inTier(files, 'standard').filter((file: string) =>
    heavy.test(fs.readFileSync(path.join(root, file), 'utf8')),
  );
  expect(wrong).toEqual([]);
});

describe('a run of steps', () => {
  const run = (options: string) => {
    const step = (name: string, code: number) =>
      `step('${name}', process.execPath, ['-e', "console.log('output of ${name}'); process.exitCode = ${code}"])`;
    const script = `import('./scripts/steps.mjs').then(({ runSteps, step }) =>
      runSteps([${step('one', 0)}, ${step('two', 1)}, ${step('three', 0)}], ${options}))`;
    return spawnSync('node', ['-e', script], { cwd: root, encoding: 'utf8' });
  };

  test('that stops at the first failure ends with the error of that step and the count', () => {
    const { stdout, status } = run('{ stopAtFirst: true }');
    expect(status).toBe(1);
    expect(stdout.trimEnd().split('\n').slice(-5)).toEqual([
      '== two',
      'output of two',
      '== two failed',
      'failed: two; see above (steps not run: 1)',
      '1 passed, 1 failed',
    ]);
  });

  test('runs every step otherwise', () => {
    const { stdout, status } = run('{}');
    expect(status).toBe(1);
    expect(stdout).toContain('output of three');
    expect(stdout.trimEnd()).toEndWith('2 passed, 1 failed');
  });
});
