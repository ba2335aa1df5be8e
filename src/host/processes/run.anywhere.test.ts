import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { currentPlatform } from '../../lib/platform.ts';
import { programEnvironment } from '../windows/programs.ts';
import type { RunOptions } from './process-group.ts';
import { cleanEnvironment, createRunner, type Runner } from './run.ts';

setDefaultTimeout(60_000);

/** The same on every system, with the runtime as the program; tests for Unix only are in run.test.ts. */
const isWindows = currentPlatform === 'windows';
const environment = () => (isWindows ? programEnvironment((name) => process.env[name] ?? null) : cleanEnvironment());
const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-run-')));
let runner: Runner;
beforeAll(async () => {
  if (!isWindows) {
    runner = createRunner({ environment });
    return;
  }
  const { holdInJob } = await import('../windows/programs.ts');
  const { openKernel32 } = await import('../windows/native/kernel32.ts');
  const hold = holdInJob(openKernel32());
  runner = createRunner({ environment, holding: async () => hold });
});
afterAll(async () => {
  await runner.endAll();
  fs.rmSync(directory, { recursive: true, force: true });
});

const runtime = (script: string, args: string[] = [], options: RunOptions = {}) => {
  const file = path.join(directory, `${crypto.randomUUID()}.mjs`);
  fs.writeFileSync(file, script);
  return runner.run(process.execPath, ['--no-env-file', file, ...args], { timeoutMs: 50_000, ...options });
};

describe('a program, on every system', () => {
  test('gives its output and its exit code', async () => {
    const script = "process.stdout.write('out ü🎧\\n'); process.stderr.write('err\\n'); process.exitCode = 3;";
    const expected = { exitCode: 3, stdout: 'out ü🎧\n', stderr: expect.stringContaining('err\n'), timedOut: false };
    expect(await runtime(script)).toMatchObject(expected);
  });

  test('gets its arguments unchanged, without the quoting of a shell or a command line', async () => {
    const specials = ['%PATH%', '$HOME', '; echo x', '`id`', '--', '& echo x', '|', '^', "it's", '', '*', 'ü🎧', '-x'];
    const args = [...specials, ...(isWindows ? [] : ['ü\n🎧']), 'a b', '"', '\\', 'a\\"b', 'ends with\\'];
    const { stdout } = await runtime('process.stdout.write(JSON.stringify(process.argv.slice(2)))', args);
    expect(JSON.parse(stdout)).toEqual(args);
  });

  test('gets a clean environment, the requested directory and its input', async () => {
    process.env.SERVICE_SECRET = 'x';
    const script =
      "let text = ''; for await (const chunk of process.stdin) text += chunk; console.log(JSON.stringify([process.cwd(), Object.keys(process.env), text.length]))";
    const input = 'grüße '.repeat(10_000);
    const { stdout } = await runtime(script, [], { cwd: directory, input });
    delete process.env.SERVICE_SECRET;
    const [cwd, names, length] = JSON.parse(stdout) as [string, string[], number];
    expect([cwd, length]).toEqual([directory, input.length]);
    expect(names.filter((name) => name.startsWith('SERVICE_'))).toEqual([]);
  });

  test('can write any amount, of which the requested part is captured', async () => {
    const script = "for (let n = 0; n < 300; n += 1) process.stdout.write('x'.repeat(10_000));";
    const { stdout, truncated } = await runtime(script, [], { maxOutput: 1000 });
    expect([stdout.length, truncated]).toEqual([1000, true]);
  });

  test('that does not end is ended when its time is up', async () => {
    expect((await runtime('setInterval(() => {}, 1000);', [], { timeoutMs: 2000 })).timedOut).toBe(true);
  });

  test('that does not end is ended when the caller no longer wants it', async () => {
    const wanted = new AbortController();
    const script = "console.log('said'); setInterval(() => {}, 1000);";
    const onOutput = () => wanted.abort(new Error('no more'));
    await expect(runtime(script, [], { signal: wanted.signal, onOutput })).rejects.toThrow('no more');
  });

  test('that does not exist is refused with a sentence', async () => {
    const missing = path.join(directory, isWindows ? 'none.exe' : 'none');
    await expect(runner.run(missing, [])).rejects.toThrow('could not be started');
    await expect(runner.run('relative', [])).rejects.toThrow('absolute path');
  });
});
