// What checking consists of. Every step and every test counts; the sum is the last line.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, root } from './installed.mjs';

const tool = (name) => path.join(root, 'node_modules', '.bin', name);

/** Runs steps in turn and counts; each gives { name, passed, failed, skipped }. */
export function runSteps(steps) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const wrong = [];
  for (const step of steps) {
    const { name, passed, failed, skipped } = step();
    if (failed > 0) wrong.push(name);
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  if (wrong.length > 0) process.stdout.write(`failed: ${wrong.join(', ')}; the lines above say why\n`);
  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
  process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);
}

/** One program whose exit code is the verdict. */
export function step(name, program, args) {
  return () => {
    process.stdout.write(`== ${name}\n`);
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: cleanEnvironment() });
    if (status !== 0) process.stdout.write(`== ${name} failed\n`);
    return { name, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  };
}

export const typesStep = () => step('types', tool('tsc'), ['--noEmit']);
export const webTypesStep = () => step('types of the dashboard', tool('tsc'), ['--noEmit', '-p', 'web']);
export const lintStep = () =>
  step('lint and formatting', tool('biome'), ['ci', '--colors=off', '--error-on-warnings', '.']);
export const buildStep = () => step('build', process.execPath, [path.join('scripts', 'build.mjs')]);
export const freshStep = () =>
  step('generated files are fresh', process.execPath, [path.join('scripts', 'generate.mjs'), '--check']);

/** Everything beside the code, and what is about the code as a whole. */
export const unitTests = () => [
  './src',
  './test/harness',
  ...readdirSync(path.join(root, 'test'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `./test/${name}`),
];

/** Test files by path. The report decides, not the exit code alone: a test that ends the process must not pass. */
export function testStep(name, paths) {
  return () => {
    process.stdout.write(`== ${name}\n`);
    const scratch = mkdtempSync(path.join(os.tmpdir(), 'hostler-tests-'));
    const report = path.join(scratch, 'junit.xml');
    const args = [
      ...bunFlags,
      'test',
      '--timeout=180000',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...paths,
    ];
    const { status } = spawnSync(bunPath(), args, { cwd: root, stdio: 'inherit', env: testEnvironment(scratch) });
    const counts = existsSync(report) ? countsOf(readFileSync(report, 'utf8')) : null;
    rmSync(scratch, { recursive: true, force: true });
    if (counts === null) {
      process.stdout.write(`== ${name} failed: there is no report, so the run ended before its tests did\n`);
      return { name, passed: 0, failed: 1, skipped: 0 };
    }
    return { name, ...counts, failed: counts.failed === 0 && status !== 0 ? 1 : counts.failed };
  };
}

/** Nothing of the user's session is visible to tests: a home of their own, no buses, no display, no sound server. */
function testEnvironment(scratch) {
  const kept = Object.entries(cleanEnvironment()).filter(
    ([name]) => !/^(XDG_|DBUS_|SERVICE_|HOSTLER_|PULSE_|DISPLAY$|WAYLAND_)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: scratch,
    XDG_CONFIG_HOME: path.join(scratch, 'config'),
    XDG_STATE_HOME: path.join(scratch, 'state'),
    XDG_DATA_HOME: path.join(scratch, 'data'),
    XDG_CACHE_HOME: path.join(scratch, 'cache'),
  };
}

function countsOf(xml) {
  const attributes = /<testsuites\b([^>]*)>/.exec(xml)?.[1];
  if (attributes === undefined) return null;
  const number = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  return { passed: number('tests') - failed - skipped, failed, skipped };
}
