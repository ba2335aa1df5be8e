// tier: full
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { launchChromium } from '../harness/chromium.ts';
import { documentTools, node22 } from '../harness/npm-tools.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { type RunningHostler, root, serviceEnvironment, startHostler } from '../harness/service.ts';

let hostler: RunningHostler;
let scratch: string;
beforeAll(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-packages-'));
  hostler = await startHostler();
});
afterAll(async () => {
  await hostler?.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
});

function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const given = { ...process.env, ...env };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: given, encoding: 'utf8', timeout: limitMs });
  return { status, stdout, stderr };
}

/** Packs one of our packages; returns the path of the file. */
function pack(directory: string): string {
  const { status, stdout, stderr } = run('npm', ['pack', '--json', '--pack-destination', scratch, directory], root);
  if (status !== 0) throw new Error(stderr);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string; files: { path: string }[] }];
  return path.join(scratch, packed.filename);
}

/** Without a registry npm waits for a long time. */
const limitMs = 120_000;
const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];

describe.skipIf(!needs('npm', 'node'))('hostler-client, packed and installed into an empty project', () => {
  let project: string;
  beforeAll(() => {
    project = path.join(scratch, 'project');
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, 'package.json'), '{"private":true,"type":"module"}');
    expect(run('node', [path.join(root, 'scripts', 'build-client.mjs')], root).status).toBe(0);
    // Nothing else is needed, so no registry is contacted.
    const installed = run('npm', ['install', '--offline', ...quietly, pack('./dist/client')], project);
    expect(installed).toMatchObject({ status: 0 });
    fs.writeFileSync(path.join(project, 'use.mjs'), program);
  });

  test('is the only package there', () => {
    expect(fs.readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'hostler-client',
    ]);
  });

  const use = (node: string, ...args: string[]): Record<string, unknown> => {
    const { stdout, stderr } = run(node, ['use.mjs', ...args], project);
    return { stderr, ...(JSON.parse(stdout) as Record<string, unknown>) };
  };

  /** The versions on this machine: without a WebSocket, with one that cannot be given an authority, and that of Bun. */
  const runtimes: [string, () => string | null][] = [
    ['the Node that runs npm', () => findProgram('node')],
    ['Node 22', node22],
    ['Bun', () => process.execPath],
  ];
  describe.each(runtimes)('on %s', (_name, find) => {
    const node = find();
    test.skipIf(node === null)('reads, listens, acts, and reports errors', () => {
      expect(use(node ?? '', hostler.base, hostler.token)).toEqual({
        stderr: '',
        count: os.cpus().length,
        updates: 2,
        refused: 'BAD_REQUEST',
      });
      expect(use(node ?? '', hostler.base, 'wrong')).toMatchObject({ code: 'BAD_TOKEN' });
    });

    test.skipIf(node === null)('reports a missing service at once, with the address', () => {
      const { code, message, waitedMs } = use(node ?? '', 'http://127.0.0.1:9', 'any');
      expect({ code, message }).toEqual({
        code: 'UNREACHABLE',
        message: expect.stringContaining('http://127.0.0.1:9: '),
      });
      // The time limits are 10 and 15 s.
      expect(waitedMs).toBeLessThan(9000);
    });
  });

  test.skipIf(!needs('chromium'))('in Chromium, as the file the package names for browsers', async () => {
    const folder = path.join(project, 'node_modules', 'hostler-client');
    const { exports } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      exports: { '.': { browser: string } };
    };
    const code = fs.readFileSync(path.join(folder, exports['.'].browser)).toString('base64');
    const browser = await launchChromium(scratch);
    try {
      const page = await browser.newPage();
      await page.goto(`${hostler.base}/api/health`);
      const count = await page.evaluate(`(async () => {
        const { createClient } = await import('data:text/javascript;base64,${code}');
        const client = createClient({ where: { url: location.origin, token: ${JSON.stringify(hostler.token)} } });
        return (await client.read('cpu')).count;
      })()`);
      expect(count).toBe(os.cpus().length);
    } finally {
      await browser.close();
    }
  });

  const tools = documentTools();
  test
    .skipIf(tools === null)
    .each([
      ['--module nodenext --lib esnext,dom'],
      ['--module nodenext --lib esnext'],
      ['--module esnext --moduleResolution bundler --lib esnext,dom'],
    ])('its types are strict, with %s', (flags) => {
    fs.writeFileSync(path.join(project, 'use.ts'), typed);
    const args = [tools?.tsc ?? '', '--strict', '--noEmit', '--target', 'esnext', ...flags.split(' '), 'use.ts'];
    expect(run('node', args, project)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe.skipIf(!needs('npm', 'node'))('hostler, packed', () => {
  test('contains what it needs, and a global installation provides the command', () => {
    const file = pack('.');
    const { stdout: listed } = run('tar', ['-tzf', file], scratch);
    expect(listed).toContain('package/dist/web.pack\n');
    expect(listed).toContain('package/dist/client/node.js\n');
    expect(listed).not.toMatch(/\.test\.ts|\/fixtures\/|\/test\//);
    const prefix = path.join(scratch, 'global');
    const installed = run('npm', ['install', '-g', '--prefix', prefix, ...quietly, file], scratch);
    if (installed.status !== 0) {
      // Its dependencies come from a registry.
      if (process.env.CI === 'true') throw new Error(installed.stderr);
      return console.warn(`skipped: the dependencies cannot be installed: ${installed.stderr.split('\n')[0]}`);
    }
    const command = path.join(prefix, 'bin', 'hostler');
    const env = serviceEnvironment(path.join(scratch, 'machine'), {});
    expect(run(command, ['version'], scratch, env)).toEqual({ status: 0, stdout: '6.0.0\n', stderr: '' });
    // Also where an npm script starts it: that project has no "npm run hostler".
    const script = { ...env, npm_lifecycle_event: 'start' };
    expect(run(command, ['doctor'], scratch, script).stdout).toContain('start it with "hostler serve"');
    const memory = JSON.parse(run(command, ['data', 'memory', '--json'], scratch, env).stdout) as object;
    expect(memory).toMatchObject({ virtual: { total: expect.any(Number) } });
  });
});

describe.skipIf(!needs('python3'))('the example in Python', () => {
  const python = (...args: string[]) =>
    run('python3', [path.join(root, 'docs', 'examples', 'hostler.py'), ...args], scratch, {
      HOSTLER_TOKEN: hostler.token,
      http_proxy: 'http://127.0.0.1:9',
    });

  test('reads, acts, and passes on the errors of the service', () => {
    expect(python(hostler.base).stdout).toMatch(/^memory [\d.]+ %\n( +[\d.]+ % {2}.+\n){1,5}$/);
    expect(python(hostler.base, 'files.directories')).toMatchObject({ status: 0 });
    expect(python(hostler.base, 'power.nap').stderr).toContain('There is nothing at /api/power/nap');
    expect(python(hostler.base, 'media.control').stderr).toBe('media.control: action is missing\n');
    expect(python('http://127.0.0.1:9').stderr).toContain('http://127.0.0.1:9 cannot be reached');
  });
});

const program = `
import { createClient } from 'hostler-client';
const [url, token] = process.argv.slice(2);
const client = createClient({ where: { url, token } });
const began = performance.now();
try {
  const { count } = await client.read('cpu');
  let updates = 0;
  await new Promise((resolve) => {
    const stop = client.listen(['cpu'], () => { if (++updates === 2) resolve(stop()); });
  });
  const refused = await client.request('POWER_LOCK', { delay: -1 }).catch(({ code }) => code);
  console.log(JSON.stringify({ count, updates, refused }));
} catch ({ code, message }) {
  console.log(JSON.stringify({ code, message, waitedMs: performance.now() - began }));
}
client.close();
`;

const typed = `
import { createClient, type ModulePayloads } from 'hostler-client';
const client = createClient({ where: { url: 'http://127.0.0.1:9170', token: '' } });
export const usage: Promise<number | null> = client.read('cpu').then(({ usage }) => usage);
client.listen(['cpu', 'memory'], (module, data) => {
  if (module === 'cpu') data satisfies ModulePayloads['cpu'];
});
client.request('MEDIA_CONTROL', { action: 'PAUSE' });
client.request('UPDATE_SETTINGS', { logLevel: 'DEBUG' });
// @ts-expect-error: a delay is a number
client.request('POWER_LOCK', { delay: 'long' });
`;
