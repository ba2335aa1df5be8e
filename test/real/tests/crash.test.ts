import { expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openNotifySocket } from '../../harness/notify-socket.ts';
import { type RunningHostler, root, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(180_000);

const preload = path.join(root, 'test', 'real', 'doubles', 'crash-on-signal.js');

const hasEnded = (pid: number) => {
  // A zombie is still in the table.
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') ?? true;
  } catch {
    return true;
  }
};

/** Where its files stay after it has ended. */
const someplace = () => fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-crash-'));

async function crash(hostler: RunningHostler, signal: NodeJS.Signals): Promise<string> {
  const { directory } = hostler;
  process.kill(hostler.pid, signal);
  await until(() => (hasEnded(hostler.pid) ? true : null));
  const kept = `${directory}-kept`;
  fs.rmSync(kept, { recursive: true, force: true });
  fs.cpSync(path.join(directory, 'state'), path.join(kept, 'state'), {
    recursive: true,
    filter: (file) => !file.endsWith('.sock'),
  });
  expect(await hostler.stop()).toBe(70);
  return kept;
}

test('an uncaught exception exits with a code of its own, and leaves a report without secrets that commands and the next start name', async () => {
  await using hostler = await startHostler({ preload, directory: someplace() });
  const { token } = hostler;
  const home = path.join(hostler.directory, 'home');
  const kept = await crash(hostler, 'SIGUSR2');
  const file = path.join(kept, 'state', 'crashes', 'crash-1.txt');
  const report = fs.readFileSync(file, 'utf8');
  expect(report).toContain('TypeError: boom in ~/x with [secret]');
  expect(report).toContain('crash-on-signal.js:');
  expect(report).toContain('Kind: uncaughtException');
  expect(report).not.toContain(token);
  expect(report).not.toContain(home);
  expect(report).not.toContain(os.tmpdir());
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(hostler.output()).toContain('A report of this crash, without secrets, is in');

  const doctor = JSON.parse((await runHostler(['doctor', '--json'], { directory: kept })).stdout) as {
    crashes: { file: string; version: string }[];
  };
  expect(doctor.crashes.map((one) => one.file)).toEqual([file]);
  expect((await runHostler(['doctor'], { directory: kept })).stdout).toMatch(/✗ crash +\S+ at .*crash-1\.txt/);
  const status = await runHostler(['status'], { directory: kept });
  expect(status.stdout).toContain('1 in the past week');
  expect(status.code).toBe(1);
  await using next = await startHostler({ directory: kept });
  expect(next.output()).toContain('Hostler crashed once in the past day; the newest report is');
  expect((await runHostler(['status'], { directory: kept })).stdout).toContain('crash-1.txt');
  expect(await next.stop()).toBe(0);
});

test('an unhandled rejection does the same; five in a minute are reported where systemd would restart the service', async () => {
  using socket = openNotifySocket();
  let directory = someplace();
  for (let count = 1; count <= 5; count++) {
    await using hostler = await startHostler({ preload, directory, env: { NOTIFY_SOCKET: socket.name } });
    directory = await crash(hostler, 'SIGWINCH');
    const report = path.join(directory, 'state', 'crashes', `crash-${count}.txt`);
    expect(fs.readFileSync(report, 'utf8')).toContain('Kind: unhandledRejection\n\nError: unhandled on purpose');
    const times = /Hostler crashed (\d+) times within a minute. systemd starts it no more than five times/;
    const list = JSON.parse(fs.readFileSync(path.join(directory, 'state', 'crashes', 'list.json'), 'utf8')) as {
      at: number;
    }[];
    const newest = list.at(-1)?.at ?? 0;
    // On a slow machine five may take longer than a minute.
    const lately = list.filter(({ at }) => newest - at <= 60_000).length;
    const said = times.exec(hostler.output())?.[1];
    expect(said === undefined ? null : Number(said)).toBe(lately >= 5 ? lately : null);
  }
  fs.rmSync(directory, { recursive: true, force: true });
});
