// tier: full
import { describe, expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { goWithin, launchBrowser } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

/** A replacement for /etc, owned by the user who runs the tests. */
function etc(): { HOSTLER_ETC: string; file: string; write(content: object): void } {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-etc-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const file = path.join(root, 'hostler', 'settings.json');
  return {
    HOSTLER_ETC: root,
    file,
    write(content) {
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
      fs.writeFileSync(file, JSON.stringify(content), { mode: 0o644 });
    },
  };
}

const isRoot = process.getuid?.() === 0;

describe('settings of the administrator', () => {
  test('that an ordinary user could have written are reported, and no command falls back to other settings', async () => {
    const { HOSTLER_ETC, file, write } = etc();
    write({ locked: { logLevel: 'ERROR' } });
    if (isRoot) fs.chmodSync(file, 0o666);
    const { stdout } = await runHostler(['doctor'], { env: { HOSTLER_ETC } });
    expect(stdout).toMatch(/✗ settings +.*(does not belong to root|others than root may write to it)/);
    expect(await runHostler(['settings', 'get', 'logLevel'], { env: { HOSTLER_ETC } })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('it is unknown which settings are locked'),
    });
    expect(await runHostler(['serve'], { env: { HOSTLER_ETC, SERVICE_PORT: '29171' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Hostler does not start'),
    });
  });

  test.skipIf(!isRoot)('keep their locks although a default contradicts one, which doctor reports', async () => {
    const { HOSTLER_ETC, file, write } = etc();
    const env = { HOSTLER_ETC };
    const rule = { id: 'hot', when: { series: 'cpu', above: 90 }, notify: ['ops'] };
    const webhooks = [{ id: 'ops', url: 'https://hooks.example/alerts' }];
    write({ alerts: { rules: [rule], webhooks }, locked: { alerts: { webhooks: [] }, mcp: { mode: 'read_only' } } });
    expect((await runHostler(['settings', 'get', 'mcp.mode'], { env })).stdout).toBe('read_only\n');
    const { stdout } = await runHostler(['doctor'], { env });
    expect(stdout).toMatch(/✓ locked settings +alerts\.webhooks, mcp\.mode; by /);
    expect(stdout).toContain(`✗ settings             ${file}: the default alerts.rules.0.notify.0`);
    expect(stdout).toContain('is not used because it contradicts locked.alerts.webhooks');
  });

  test.skipIf(!isRoot)('apply to a running service from their creation until their removal', async () => {
    const { HOSTLER_ETC, file, write } = etc();
    await using hostler = await startHostler({ env: { HOSTLER_ETC } });
    const client = await connectSocket(hostler);
    const ask = (event: string, data = {}) => client.ask(event, { ...data }, { token: hostler.token });
    const mode = async () => {
      const { data } = (await ask('GET_SETTINGS')) as { data: { mcp: { mode: string } } };
      return data.mcp.mode;
    };
    expect(await mode()).toBe('standard');
    expect((await ask('GET_SETTINGS_LOCKS')).data).toEqual({ file: null, keys: [] });
    write({ locked: { mcp: { mode: 'read_only' } } });
    await until(async () => ((await mode()) === 'read_only' ? true : null));
    expect((await ask('GET_SETTINGS_LOCKS')).data).toEqual({ file, keys: ['mcp.mode'] });
    const refused = await ask('UPDATE_SETTINGS', { mcp: { mode: 'full' } });
    expect(refused.type).toBe('ERROR');
    expect(refused.message).toContain(`mcp.mode is locked by ${file}`);
    // A file that others may write to unlocks nothing.
    fs.chmodSync(file, 0o666);
    await until(() => (hostler.output().includes('others than root may write to it') ? true : null));
    expect(await mode()).toBe('read_only');
    fs.rmSync(path.dirname(file), { recursive: true });
    await until(async () => ((await mode()) === 'standard' ? true : null));
    write({ locked: { mcp: { mode: 'full' } } });
    await until(async () => ((await mode()) === 'full' ? true : null));
    client.end();
  });

  test.skipIf(!isRoot)('are shown by the command line, which cannot change locked ones', async () => {
    const { HOSTLER_ETC, file, write } = etc();
    const env = { HOSTLER_ETC };
    write({ history: { interval: 30 }, locked: { mcp: { mode: 'read_only' }, nothing: 1 } });
    const { directory } = await runHostler(['settings', 'set', 'history.interval', '60'], { env });
    onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
    const run = (...args: string[]) => runHostler(args, { env, directory });
    expect(await run('settings', 'get', 'mcp.mode')).toMatchObject({
      stdout: 'read_only\n',
      stderr: expect.stringContaining(`Locked by ${file}: mcp.mode\n`),
    });
    expect((await run('settings', 'get', 'history.interval')).stdout).toBe('60\n');
    expect(await run('settings', 'set', 'mcp.mode', 'full')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`mcp.mode is locked by ${file}, which only the administrator`),
    });
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(/✓ locked settings +mcp\.mode; by /);
    expect(stdout).toMatch(/✗ settings +\S+settings\.json: there is no setting nothing, so it cannot be locked/);
    expect(JSON.parse((await run('doctor', '--json')).stdout)).toMatchObject({ locks: { file, keys: ['mcp.mode'] } });
  });

  test.skipIf(!isRoot)('override the command line where they are locked', async () => {
    const { HOSTLER_ETC, write } = etc();
    write({ locked: { server: { host: '127.0.0.1' } } });
    await using hostler = await startHostler({ env: { HOSTLER_ETC }, args: ['--host', '::'] });
    expect(hostler.output()).toContain('server.host is locked by');
    expect(hostler.output()).toContain('listening on http://127.0.0.1:');
  });

  test.skipIf(!isRoot || !needs('chromium'))('cannot be edited in the dashboard, which says why', async () => {
    const { HOSTLER_ETC, file, write } = etc();
    write({ locked: { mcp: { mode: 'read_only' }, commands: { allowlist: [] } } });
    await using hostler = await startHostler({ env: { HOSTLER_ETC } });
    const chromium = await launchBrowser();
    try {
      const { page, complaints } = await chromium.open({ token: hostler.token });
      await page.goto(`${hostler.base}/settings?group=actions`);
      const locked = page.getByText(`Locked by the administrator of this machine, in ${file}.`);
      await locked.first().waitFor();
      expect(await locked.count()).toBe(1);
      await goWithin(page, '/settings?group=agents');
      await locked.first().waitFor();
      expect(await page.locator('#setting-mcp\\.mode').isDisabled()).toBe(true);
      expect(await page.locator('#setting-mcp\\.allowRemote').isDisabled()).toBe(false);
      // The rest can be saved, although the page sends the whole section.
      await page.locator('#setting-mcp\\.allowRemote').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings were saved.').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await chromium.close();
    }
  });
});
