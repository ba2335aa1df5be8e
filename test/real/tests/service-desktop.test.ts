import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { runHostler } from '../harness/service.ts';

setDefaultTimeout(180_000);

/** systemd-boxed.test.ts has the machines with systemd; on one, this would use the systemd of the user who runs the tests. */
function isWithoutSystemd(): boolean {
  if (!fs.existsSync('/run/systemd/system')) return true;
  console.warn('skipped: systemd runs this machine');
  return false;
}

describe.skipIf(!isWithoutSystemd())('where the desktop starts the service', () => {
  let directory: string;
  let env: Record<string, string>;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHostler(args, { directory, env });
    return { code, stdout, stderr };
  };
  const entry = () => path.join(directory, 'home/.config/autostart/hostler.desktop');
  const pidIn = (text: string) => Number(/process (\d+)/.exec(text)?.[1]);
  const isRunning = (pid: number) => fs.existsSync(`/proc/${pid}`);

  beforeAll(async () => {
    env = { SERVICE_PORT: String(await freePort()) };
    directory = (await runHostler(['version'])).directory;
    fs.mkdirSync(path.join(directory, 'home'), { recursive: true });
  });
  afterAll(async () => {
    await run('service', 'remove');
    fs.rmSync(directory, { recursive: true, force: true });
  });

  let first: number;
  test('install starts it now and at every login, once', async () => {
    expect((await run('service', 'status')).stdout).toBe(
      'Hostler is not started when you log in\nHostler is not running\n',
    );
    const installed = await run('service', 'install');
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    first = pidIn(installed.stdout);
    expect(isRunning(first)).toBe(true);
    expect(fs.readFileSync(entry(), 'utf8')).toContain('Exec=');
    expect((await fetch(`http://127.0.0.1:${env.SERVICE_PORT}/api/health`)).status).toBe(200);
    expect((await run('service', 'install')).stdout).toContain(`Hostler is already running: process ${first} on `);
    expect((await run('service', 'status')).stdout).toContain(`Hostler is running: process ${first} on `);
  });

  test('restart ends the old process and waits for the new one', async () => {
    const restarted = await run('service', 'restart');
    expect(restarted).toMatchObject({ code: 0, stderr: '' });
    const second = pidIn(restarted.stdout);
    expect([second === first, isRunning(first), isRunning(second)]).toEqual([false, false, true]);
    first = second;
  });

  test('remove stops it; until then commands name what starts it, and afterwards there is nothing to undo', async () => {
    process.kill(first, 'SIGKILL');
    while (isRunning(first)) await Bun.sleep(50);
    expect((await run('status')).stderr).toContain('start it with "hostler service restart"');
    first = pidIn((await run('service', 'restart')).stdout);
    expect((await run('service', 'remove')).stdout).toBe(
      `Hostler was stopped\nHostler is no longer started when you log in: ${entry()} was removed\nSettings, tokens and history stay; "hostler service remove --purge" removes them as well\n`,
    );
    expect([isRunning(first), fs.existsSync(entry())]).toEqual([false, false]);
    expect((await run('service', 'remove')).stdout).toStartWith(
      'Hostler is not started when you log in; nothing was changed',
    );
  });

  test('a service that cannot start is not reported as running', async () => {
    const other = net.createServer().listen(Number(env.SERVICE_PORT), '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { code, stderr } = await run('service', 'restart');
    other.close();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('"hostler serve"') });
  });
});

function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  return new Promise((resolve) => {
    server.once('listening', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
