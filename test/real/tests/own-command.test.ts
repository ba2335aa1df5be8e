// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { type RunningHostler, root, runHostler, serviceEnvironment, startHostler } from '../harness/service.ts';

setDefaultTimeout(180_000);

/** The command that scripts/launch.mjs sets in a clone. */
const fromClone = 'npm run -s hostler --';

describe('a service that was started from a clone', () => {
  let hostler: RunningHostler;
  beforeAll(async () => {
    hostler = await startHostler({ env: { HOSTLER_COMMAND: fromClone } });
  });
  afterAll(async () => {
    await hostler?.stop('SIGKILL');
  });

  test('names its commands as they are typed there: start line, 401, API page, documents', async () => {
    expect(hostler.output()).toContain(`"${fromClone} token" prints it`);
    const refused = (await (await hostler.get('/api/data/cpu', {})).json()) as { error: string };
    expect(refused.error).toContain(`"${fromClone} token" prints it`);
    expect(await (await hostler.get('/api/docs', {})).text()).toContain(`<code>${fromClone} token</code>`);
    for (const document of ['/api/openapi.json', '/api/asyncapi.json', '/api/docs']) {
      const text = await (await hostler.get(document, {})).text();
      expect(text).toContain(`${fromClone} token`);
      expect(text).not.toMatch(/(?:&quot;|\\")hostler [a-z]/);
    }
  });

  test('names the command for signing in and the port with TLS, and nothing else', async () => {
    const answer = await hostler.get('/api/login', {});
    expect(await answer.json()).toEqual({ command: fromClone, secure: null });
    expect((await hostler.get('/api/login?token=x', {})).status).toBe(400);
  });

  test('names the command to a WebSocket without a token', async () => {
    const socket = new WebSocket(`${hostler.base.replace('http', 'ws')}/api/websocket`);
    const answer = await new Promise<string>((resolve) => {
      socket.addEventListener('open', () => socket.send('{"id":"1","event":"GET_DATA","data":{"modules":["cpu"]}}'));
      socket.addEventListener('message', ({ data }) => resolve(String(data)));
    });
    socket.close();
    expect(JSON.parse(answer).message).toContain(`"${fromClone} token" prints it`);
  });

  describe.skipIf(!needs('chromium'))('in a browser', () => {
    let chromium: RunningBrowser;
    beforeAll(async () => {
      chromium = await launchBrowser();
    });
    afterAll(async () => {
      await chromium?.close();
    });

    test('names its commands on the sign-in page', async () => {
      const { page, complaints, close } = await chromium.open();
      await page.goto(`${hostler.base}/`);
      await page.getByText(`${fromClone} open`, { exact: true }).waitFor();
      await page.getByText(`${fromClone} token`, { exact: true }).waitFor();
      expect(await page.getByRole('main').innerText()).not.toMatch(/(?<!-s )hostler [a-z]/);
      expect(complaints).toEqual([]);
      await close();
    });

    test('names its commands in the other views', async () => {
      const { page, close } = await chromium.open({ token: hostler.token });
      await page.goto(`${hostler.base}/interfaces`);
      await page.getByText(`$(${fromClone} token)`).waitFor();
      await page.goto(`${hostler.base}/connections`);
      await page.getByText(`${fromClone} mcp config`).first().waitFor();
      await close();
    });
  });
});

test('doctor and help name commands the same way', async () => {
  const env = { HOSTLER_COMMAND: fromClone };
  expect((await runHostler(['doctor'], { env })).stdout).toContain(`start it with "${fromClone} serve"`);
  const help = (await runHostler(['token', 'create', '--help'], { env })).stdout.replace(/\s+/g, ' ');
  expect(help).toContain(`see "${fromClone} token scopes"`);
  expect((await runHostler(['token', '--help'], { env })).stdout).toContain(`Usage: ${fromClone} token`);
  expect((await runHostler(['nosuch'], { env })).stderr).toContain(`"${fromClone} --help" lists the commands`);
  expect((await runHostler(['doctor'])).stdout).toContain('start it with "hostler serve"');
});

describe.skipIf(!needs('node'))('how it was started', () => {
  const script = path.join(root, 'scripts', 'hostler.mjs');
  const doctorOf = (program: string) => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    const env = serviceEnvironment(directory, {});
    const { stdout } = spawnSync(findProgram('node') ?? '', [program, 'doctor'], { env, encoding: 'utf8' });
    fs.rmSync(directory, { recursive: true });
    return stdout;
  };

  test('the script of a clone, run by hand, suggests only npm commands', () => {
    expect(doctorOf(script)).toContain(`"${fromClone} serve"`);
  });

  test('a clone that was linked as a command is called by that name', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-link-'));
    const link = path.join(folder, 'hostler');
    fs.symlinkSync(script, link);
    expect(doctorOf(link)).toContain('"hostler serve"');
    fs.rmSync(folder, { recursive: true });
  });
});

test('the first line has an address that works from other machines, where there is one', async () => {
  await using hostler = await startHostler({ env: { SERVICE_HOST: '*' } });
  const [, address] = /and on all other addresses of this machine, such as (http:\S+)\n/.exec(hostler.output()) ?? [];
  const others = Object.values(os.networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family, address: own }) => !internal && family === 'IPv4' && !own.startsWith('169.254.'));
  if (others.length === 0) return expect(address).toBeUndefined();
  expect(others.map(({ address: own }) => `http://${own}:${hostler.port}`)).toContain(address ?? '');
  expect((await fetch(`${address}/api/health`)).status).toBe(200);
});
