// Not on Windows: its programs are shell scripts; run.anywhere.test.ts has the tests for every system.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../../test/harness/until.ts';
import type { RunOptions, RunResult } from './process-group.ts';
import { cleanEnvironment, createRunner } from './run.ts';

setDefaultTimeout(60_000);

const { run, endAll } = createRunner({ waits: { graceMs: 200, quietMs: 50, longestMs: 200 } });
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-run-'));
afterAll(async () => {
  await endAll();
  fs.rmSync(directory, { recursive: true, force: true });
});

/** The shell is the program under test here: nothing else can misbehave in so many ways. */
const sh = (script: string, options?: RunOptions) => run('/bin/sh', ['-c', script], options);

describe('a well-behaved program', () => {
  test('gives its output and its exit code', async () => {
    expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      timedOut: false,
    });
  });

  test('gets the input and then its end', async () => {
    const input = 'grüße '.repeat(100_000);
    expect((await run('/bin/cat', [], { input, maxOutput: 10_000_000 })).stdout).toBe(input);
    expect((await run('/bin/cat', [])).stdout).toBe('');
  });

  test('need not read its input', async () => {
    expect((await run('/bin/true', [], { input: 'x'.repeat(5_000_000) })).exitCode).toBe(0);
  });

  test('runs with a low priority on request', async () => {
    const wait =
      'tries=0; while [ "$(nice)" -lt 10 ] && [ $tries -lt 500 ]; do sleep 0.02; tries=$((tries+1)); done; nice';
    expect(Number((await sh(wait, { lowPriority: true, timeoutMs: 50_000 })).stdout)).toBeGreaterThanOrEqual(10);
    expect(Number((await sh('nice')).stdout)).toBe(os.getPriority());
  });

  test('sees a clean environment, or exactly the one it is given', async () => {
    process.env.HOSTLER_TEST_SECRET = 'secret';
    const seen = async (options: RunOptions) =>
      (await run('/usr/bin/env', [], options)).stdout.trim().split('\n').sort();
    const clean = Object.entries(cleanEnvironment()).map(([name, value]) => `${name}=${value}`);
    expect(await seen({})).toEqual(clean.sort());
    expect(await seen({ env: { ONLY: 'this' } })).toEqual(['ONLY=this']);
  });

  test('runs in the requested directory', async () => {
    expect((await run('/bin/pwd', [], { cwd: fs.realpathSync(directory) })).stdout.trim()).toBe(
      fs.realpathSync(directory),
    );
  });

  test('that ends by a signal has no exit code', async () => {
    expect(await sh('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false });
  });
});

describe('a program that cannot be started', () => {
  test('is refused with a sentence', async () => {
    await expect(run('/no/such/program', [])).rejects.toThrow('/no/such/program could not be started: ENOENT');
    await expect(run('/etc/passwd', [])).rejects.toThrow('could not be started: EACCES');
    await expect(run('/bin/true', [], { cwd: '/no/such/directory' })).rejects.toThrow('could not be started');
    await expect(run('/bin/echo', ['x'.repeat(3_000_000)])).rejects.toThrow('could not be started');
  });

  test('includes names that would be searched for or truncated', async () => {
    for (const program of ['true', './true', '../bin/true', '']) {
      await expect(run(program, [])).rejects.toThrow('is not the absolute path of a program');
    }
    await expect(run('/bin/true\0x', [])).rejects.toThrow('NUL');
    await expect(run('/bin/echo', ['a\0b'])).rejects.toThrow('NUL');
    await expect(run('/bin/echo', [], { env: { A: 'x\0B=y' } })).rejects.toThrow('NUL');
    await expect(run('/bin/echo', [], { cwd: '/\0' })).rejects.toThrow('NUL');
  });
});

describe('the output of a program', () => {
  test('of 256 MiB is read to its end, and a mebibyte of it is captured', async () => {
    const before = process.memoryUsage().rss;
    const flood = await sh('head -c 268435456 /dev/zero; echo done >&2', { timeoutMs: 50_000 });
    expect(flood).toMatchObject({ exitCode: 0, truncated: true, timedOut: false, stderr: 'done\n' });
    expect(flood.stdout.length).toBe(1024 * 1024);
    // Less than all of it: garbage and other allocations of the test process count as well.
    expect(process.memoryUsage().rss - before).toBeLessThan(224 * 1024 * 1024);
  });

  test('is cut between characters', async () => {
    const { stdout, truncated } = await run('/usr/bin/printf', ['ab🎧'], { maxOutput: 4 });
    expect({ stdout, truncated }).toEqual({ stdout: 'ab', truncated: true });
    expect((await run('/usr/bin/printf', ['ab🎧'], { maxOutput: 6 })).stdout).toBe('ab🎧');
    expect((await run('/usr/bin/printf', ['a\\377b'])).stdout).toBe('a\ufffdb');
  });

  test('is passed on while it arrives, cut between characters, up to the captured size', async () => {
    const received = { stdout: '', stderr: '' };
    const onOutput = (stream: 'stdout' | 'stderr', text: string) => {
      expect(text).not.toContain('\ufffd');
      received[stream] += text;
    };
    const result = await sh('printf "\\303"; sleep 0.2; printf "\\274ber"; echo oh >&2', { onOutput });
    expect(received).toEqual({ stdout: 'über', stderr: 'oh\n' });
    expect(result).toMatchObject(received);
    received.stdout = '';
    const flood = await sh('head -c 10000000 /dev/zero | tr "\\0" x', { onOutput, maxOutput: 100_000 });
    expect(received.stdout).toBe(flood.stdout);
    expect(received.stdout).toHaveLength(100_000);
  });

  test('that a descendant holds open does not delay the result, and the descendant keeps running', async () => {
    const [go, done] = [path.join(directory, 'go'), path.join(directory, 'done')];
    const left = `while [ ! -e ${go} ]; do sleep 0.05; done; echo late; echo late >&2; touch ${done}`;
    const { stdout, exitCode } = await sh(`(${left}) & echo early`);
    expect({ stdout, exitCode }).toEqual({ stdout: 'early\n', exitCode: 0 });
    fs.writeFileSync(go, '');
    await until(() => fs.existsSync(done), 'the one left behind to finish its work');
  });

  test('that never stops, from a descendant, does not delay the result either', async () => {
    const { exitCode, stdout } = await sh('(while :; do echo more; sleep 0.01; done) & echo $!');
    // Either of the two may write first.
    process.kill(Number(/^\d+$/m.exec(stdout)?.[0]), 'SIGKILL');
    expect(exitCode).toBe(0);
  });
});

describe('a program that does not end', () => {
  test('is ended with everything it has started when its time is up', async () => {
    const { stdout, timedOut } = await shUntilTimeout(
      'sleep 1000 & echo $!; sh -c "sleep 1000 & echo \\$!; wait" & wait',
      2,
    );
    expect(timedOut).toBeTrue();
    const pids = stdout.trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    await until(() => pids.every((pid) => !isAlive(pid)), 'both grandchildren to be gone');
  });

  test('and ignores the signal is killed, grandchildren included', async () => {
    const stubborn = 'trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & echo $!; while :; do sleep 1; done';
    const { stdout, signal, timedOut } = await shUntilTimeout(stubborn, 1);
    expect({ signal, timedOut }).toEqual({ signal: 'SIGKILL', timedOut: true });
    await until(() => !isAlive(Number(stdout)), 'the grandchild to be gone');
  });

  test('whose grandchild ignores the signal is awaited until the grandchild has ended', async () => {
    const { stdout } = await shUntilTimeout('(trap "" TERM; echo; while :; do sleep 1; done) & echo $!; wait', 2);
    await until(() => !isAlive(Number(stdout.trim())), 'the grandchild to be gone');
  });

  test('keeps its output until then', async () => {
    expect((await shUntilTimeout('echo so far; sleep 1000', 1)).stdout).toBe('so far\n');
  });

  test('is ended when the caller no longer wants it', async () => {
    const file = path.join(directory, 'pid');
    const controller = new AbortController();
    const running = sh(`echo $$ > ${file}; sleep 1000`, { signal: controller.signal });
    running.catch(() => {});
    await until(() => fs.existsSync(file) && fs.readFileSync(file, 'utf8') !== '', 'the program to run');
    controller.abort(new Error('no longer wanted'));
    await expect(running).rejects.toThrow('no longer wanted');
    expect(isAlive(Number(fs.readFileSync(file, 'utf8')))).toBeFalse();
    await expect(sh('echo x', { signal: controller.signal })).rejects.toThrow('no longer wanted');
  });

  test('is ended when the service stops, and no other is started', async () => {
    const runner = createRunner();
    const running = [1, 2, 3].map(() => runner.run('/bin/sleep', ['1000'], { timeoutMs: 1_000_000 }));
    await runner.endAll();
    for (const result of await Promise.all(running)) {
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: false });
    }
    await expect(runner.run('/bin/true', [])).rejects.toThrow('Hostler is stopping');
  });
});

/** Doubles the time limit until the program has written some lines before it. */
async function shUntilTimeout(script: string, lines: number, timeoutMs = 100): Promise<RunResult> {
  const result = await sh(script, { timeoutMs });
  const isFar = result.stdout.split('\n').length > lines;
  return isFar || timeoutMs > 30_000 ? result : shUntilTimeout(script, lines, timeoutMs * 3);
}

function isAlive(pid: number): boolean {
  try {
    // A zombie still has its number; reaping it is not our task.
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}
