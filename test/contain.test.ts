import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from './harness/until.ts';

setDefaultTimeout(120_000);

const contain = path.resolve(import.meta.dirname, '..', 'scripts', 'contain.ts');

/** Leaves three processes behind: one in a separate session, one that ignores SIGTERM and has no environment, one that is stopped. */
const leaves = `
note() { echo $1 >> "$0"; }
setsid sleep 600 & note $!
env -i sh -c 'trap "" TERM; exec sleep 600' & note $!
sh -c 'kill -STOP $$; exec sleep 600' & note $!
echo all >> "$0"
`;

/** Runs a shell script in it; `pids` are those of the processes left behind, once all of them run. */
function start(script: string) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-contain-'));
  const notes = path.join(scratch, 'pids');
  const child = spawn(
    process.execPath,
    ['--no-env-file', '--config=/dev/null', contain, scratch, 'sh', '-c', leaves + script, notes],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const pids = async () => {
    const lines = () => (fs.existsSync(notes) ? fs.readFileSync(notes, 'utf8').trim().split('\n') : []);
    await until(() => lines().at(-1) === 'all', 'everything was started');
    return lines().slice(0, -1).map(Number);
  };
  return { child, ended, pids, output: () => output, scratch };
}

const isRunning = (pid: number) => {
  try {
    return !/^\d+ \(.*\) Z /s.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test.each([
  ['fails', 'exit 3', 3],
  ['is killed', 'kill -KILL $$', 1],
])('processes left running by a program that %s are ended and named', async (_how, script, code) => {
  const { ended, pids, output, scratch } = start(script);
  const started = await pids();
  expect(started).toHaveLength(3);
  expect(await ended).toBe(code);
  expect(started.filter(isRunning)).toEqual([]);
  for (const pid of started) expect(output()).toContain(`(${pid})`);
  fs.rmSync(scratch, { recursive: true });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends all processes', async (signal) => {
  const { child, ended, pids, scratch } = start('sleep 600');
  const started = await pids();
  child.kill(signal);
  expect(await ended).toBe(130);
  expect(started.filter(isRunning)).toEqual([]);
  fs.rmSync(scratch, { recursive: true });
});

test('when the parent process is gone, all processes end and the scratch directory is removed', async () => {
  const { child, ended, pids, scratch } = start('sleep 600');
  const started = await pids();
  child.stdin.destroy();
  expect(await ended).toBe(130);
  expect(started.filter(isRunning)).toEqual([]);
  expect(fs.existsSync(scratch)).toBe(false);
});

test('a program that leaves no processes keeps its exit code, and nothing is printed', async () => {
  const { child, ended, output, scratch } = start('kill -KILL $(grep -v all "$0"); wait; exit 0');
  expect(await ended).toBe(0);
  expect({ output: output(), exitCode: child.exitCode }).toEqual({ output: '', exitCode: 0 });
  fs.rmSync(scratch, { recursive: true });
});
