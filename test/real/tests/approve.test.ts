// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { modes } from '../../harness/agents.ts';
import { launchBrowser, type RunningBrowser, signIn } from '../harness/dashboard-browser.ts';
import { callUntilAnswered, connectTo } from '../harness/mcp-clients.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(180_000);

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-approve-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
const mark = path.join(directory, 'mark');

/** A machine without a desktop. */
const start = () =>
  startHostler({
    prepare(place) {
      const command = '/usr/bin/touch';
      const entry = { id: 'mark', name: 'mark', command, workingDir: '', arguments: [mark, `${mark} <b>`] };
      const settings = { commands: { allowlist: [entry] }, mcp: { commands: ['mark'] } };
      fs.mkdirSync(path.join(place, 'config'));
      fs.writeFileSync(path.join(place, 'config', 'settings.json'), JSON.stringify(settings));
    },
  });

const hostlerIn = async ({ directory }: RunningHostler, ...args: string[]) => await runHostler(args, { directory });

async function tokenOf(hostler: RunningHostler, name: string, scope: string): Promise<string> {
  return (await hostlerIn(hostler, 'token', 'create', '--name', name, '--scope', scope)).stdout.trim();
}

/** An agent that calls run_command; each has its own token, because one that was denied has to wait. */
async function callAs(hostler: RunningHostler, name: string, signal?: AbortSignal) {
  const token = await tokenOf(hostler, name, 'read,command');
  const client = await connectTo(hostler, { mode: 'auto', over: 'http', token });
  const called = callUntilAnswered(client, 'run_command', { command_id: 'mark' }, signal);
  return { client, token, called };
}

interface Shown {
  id: string;
  title: string;
  text: string;
}
const openPrompts = async (hostler: RunningHostler) =>
  JSON.parse((await hostlerIn(hostler, 'approve', '--json')).stdout) as Shown[];
const promptOf = (hostler: RunningHostler) => until(async () => (await openPrompts(hostler))[0] ?? null);

const answer = (hostler: RunningHostler, token: string, id: string, said = 'allow') =>
  fetch(`${hostler.base}/api/prompts/answer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Token': token },
    body: JSON.stringify({ id, answer: said }),
  });
const auditOf = async (hostler: RunningHostler) =>
  JSON.parse((await hostlerIn(hostler, 'mcp', 'log', '--json')).stdout) as Record<string, string>[];

describe.skipIf(!needs('chromium'))('the prompt of an agent, in the dashboard of another device', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  beforeAll(async () => {
    hostler = await start();
    chromium = await launchBrowser(['--host-resolver-rules=MAP machine.lan 127.0.0.1']);
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop();
  });

  const signedIn = async (token: string) => {
    const opened = await chromium.open();
    await opened.page.goto(`http://machine.lan:${hostler.port}/`);
    await signIn(opened.page, token, { stay: false });
    return { ...opened, prompt: opened.page.getByRole('alertdialog') };
  };

  test('is above every view, shows what will run, allows it after a second, and is recorded with who did', async () => {
    const { page, prompt, complaints, close } = await signedIn(hostler.token);
    const reader = await signedIn(await tokenOf(hostler, 'reader', 'read,command'));
    const { client, called } = await callAs(hostler, 'first');
    await prompt.waitFor();
    const allow = prompt.getByRole('button', { name: 'Allow' });
    expect(await prompt.getByRole('heading').textContent()).toContain('"first" asks for run_command');
    expect(await prompt.locator('pre').textContent()).toBe(
      `An agent wants to run the command "mark":\n/usr/bin/touch ${mark} "${mark} <b>"`,
    );
    // A key that was meant for the view answers nothing.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    expect(await page.title()).toStartWith('Permission needed');
    expect(fs.existsSync(mark)).toBe(false);
    expect(await reader.prompt.count()).toBe(0);
    await page.getByRole('link', { name: 'Processes' }).first().click();
    // Nor do clicks that go on since before the prompt was there.
    for (let count = 0; count < 8; count++) {
      await page.mouse.click(400, 400);
      await Bun.sleep(200);
    }
    expect(await allow.isDisabled()).toBe(true);
    // A window that lay above this one and was just closed: the second counts from then on, and only with the focus.
    await until(async () => (await allow.isEnabled()) || null);
    await page.evaluate(() => {
      document.hasFocus = () => false;
      dispatchEvent(new Event('blur'));
    });
    await Bun.sleep(1500);
    expect(await allow.isDisabled()).toBe(true);
    await page.evaluate(() => {
      document.hasFocus = () => true;
      dispatchEvent(new Event('focus'));
    });
    await allow.click();
    expect((await called).structuredContent).toMatchObject({ exit_code: 0 });
    await prompt.waitFor({ state: 'detached' });
    expect(fs.existsSync(mark)).toBe(true);
    const recorded = (await auditOf(hostler)).filter(
      ({ decision }) => !['pending', 'allowed'].includes(decision ?? ''),
    );
    expect(recorded).toMatchObject(
      ['started', 'done'].map((decision) => ({
        decision,
        agreed: 'dashboard',
        answered_by: expect.stringMatching(/^"Chrome on Linux" \(browser-[0-9a-f]{12}\) at 127\.0\.0\.1$/),
      })),
    );
    expect((await hostlerIn(hostler, 'mcp', 'log')).stdout).toMatch(
      /"Chrome on Linux" \(browser-\S+\) at 127\.0\.0\.1 +done/,
    );
    expect(complaints.filter((text) => !text.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
    await client.close();
    await Promise.all([close(), reader.close()]);
    fs.rmSync(mark);
  });

  test('is denied, or disappears when the agent withdraws it', async () => {
    const { page, prompt, close } = await signedIn(hostler.token);
    // A reload keeps the session of this tab.
    await page.goto(`http://machine.lan:${hostler.port}/?view=wall`);
    const denied = await callAs(hostler, 'second');
    await prompt.getByRole('button', { name: 'Deny' }).click();
    expect(JSON.stringify((await denied.called).content)).toContain('did not allow run_command');
    await prompt.waitFor({ state: 'detached' });
    const control = new AbortController();
    const withdrawn = await callAs(hostler, 'third', control.signal);
    await prompt.waitFor();
    await until(async () => (await page.title()).startsWith('Permission needed') || null);
    control.abort();
    await withdrawn.called;
    await prompt.waitFor({ state: 'detached' });
    expect(await page.title()).not.toContain('Permission needed');
    expect(fs.existsSync(mark)).toBe(false);
    expect((await auditOf(hostler)).filter(({ agreed }) => agreed === 'nobody')).toMatchObject([
      { answered_by: expect.stringContaining('Chrome on Linux') },
      {},
    ]);
    for (const { client } of [denied, withdrawn]) await client.close();
    await close();
  });

  test('of a device that asks for access can be denied there, and allowed on the machine only', async () => {
    const { prompt, close } = await signedIn(hostler.token);
    const device = await chromium.open();
    await device.page.goto(`http://machine.lan:${hostler.port}/`);
    await device.page.getByRole('button', { name: 'Ask for access' }).click();
    await device.page.getByRole('button', { name: 'Ask for access' }).click();
    const digits = await device.page.getByText(/^\d{3} \d{3}$/).textContent();
    // This browser is on the machine, whatever name it uses.
    expect(await prompt.locator('pre').textContent()).toContain(`Code: ${digits}.`);
    await prompt.getByRole('button', { name: 'Allow' }).click();
    await device.page.getByRole('button', { name: 'Sign out' }).first().waitFor();
    await until(() => /\(pairing, allowed by "Chrome on Linux"/.exec(hostler.output()));
    await Promise.all([close(), device.close()]);
  });
});

describe('the prompt of an agent, on the command line', () => {
  test.each(modes)(
    'a call returns within its client’s patience; made again it uses the approval once, in mode %j',
    async (mode) => {
      await using hostler = await start();
      const token = await tokenOf(hostler, 'claude', 'read,command');
      const client = await connectTo(hostler, { mode, over: 'http', token });
      // As Home Assistant, which gives a call 10 s.
      const call = () =>
        client.callTool({ name: 'run_command', arguments: { command_id: 'mark' } }, { timeout: 10_000 });
      const first = await call();
      expect([first.isError, JSON.stringify(first.content)]).toEqual([
        true,
        expect.stringMatching(/Approval is pending.*dashboard.*approve.*same arguments within 11\d s/),
      ]);
      const { id } = await promptOf(hostler);
      expect((await hostlerIn(hostler, 'approve', id)).stdout).toBe('Allowed.\n');
      expect(fs.existsSync(mark)).toBe(false);
      await until(async () => (await auditOf(hostler)).length === 2 || null);
      expect((await call()).structuredContent).toMatchObject({ exit_code: 0 });
      expect(fs.existsSync(mark)).toBe(true);
      expect((await auditOf(hostler)).map(({ decision, agreed }) => [decision, agreed])).toEqual([
        ['pending', undefined],
        ['allowed', 'command'],
        ['started', 'command'],
        ['done', 'command'],
      ]);
      fs.rmSync(mark);
      // Another prompt, whose revoked token takes it down.
      expect(JSON.stringify((await call()).content)).toContain('Approval is pending');
      expect((await promptOf(hostler)).id).not.toBe(id);
      expect((await hostlerIn(hostler, 'token', 'revoke', 'claude')).code).toBe(0);
      await until(async () => (await openPrompts(hostler)).length === 0 || null);
      expect(fs.existsSync(mark)).toBe(false);
      await client.close();
    },
  );

  test('is listed and allowed with its id; a token never answers, and the agent does not see the prompt', async () => {
    await using hostler = await start();
    expect((await hostlerIn(hostler, 'approve')).stdout).toBe('No permission prompt is open.\n');
    const { client, token, called } = await callAs(hostler, 'claude');
    const { id, title, text } = await promptOf(hostler);
    expect({ title, text }).toEqual({
      title: '"claude" asks for run_command',
      text: `An agent wants to run the command "mark":\n/usr/bin/touch ${mark} "${mark} <b>"`,
    });
    const { stdout } = await hostlerIn(hostler, 'approve');
    for (const line of [title, ...text.split('\n')]) expect(stdout).toContain(line);
    expect(stdout).toContain(`approve ${id} --deny`);

    // Its own token lacks the scope; one with every scope is no user; one for agents works at /api/mcp only.
    const config = await hostlerIn(hostler, 'mcp', 'config', 'cursor');
    const agents = /Bearer ([\w-]{43})/.exec(config.stdout)?.[1] ?? '';
    for (const [secret, reason] of [
      [token, 'lacks the scope'],
      [hostler.token, 'A token is not enough'],
      [agents, 'for agents'],
    ] as const) {
      const response = await answer(hostler, secret, id);
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining(reason)]);
    }
    const seen = await (await hostler.get('/api/data/prompts', { 'X-API-Token': token })).json();
    expect(seen).toEqual({ prompts: null });
    const asked = await client.callTool({ name: 'get_module', arguments: { name: 'prompts' } });
    expect(JSON.stringify(asked)).not.toContain(id);
    expect(fs.existsSync(mark)).toBe(false);

    expect((await hostlerIn(hostler, 'approve', '00000000')).stderr).toContain('is not open');
    expect((await hostlerIn(hostler, 'approve', '--deny')).code).toBe(2);
    // Not within the first second.
    await until(async () => ((await hostlerIn(hostler, 'approve', id)).code === 0 ? true : null));
    expect((await called).structuredContent).toMatchObject({ exit_code: 0 });
    expect(fs.existsSync(mark)).toBe(true);
    expect((await auditOf(hostler)).at(-1)).toMatchObject({ agreed: 'command', answered_by: 'the command line' });
    await client.close();
    fs.rmSync(mark);
  });

  test('is denied; a service that ends takes it down', async () => {
    await using hostler = await start();
    const denied = await callAs(hostler, 'one');
    const { id } = await promptOf(hostler);
    expect((await hostlerIn(hostler, 'approve', id, '--deny')).stdout).toBe('Denied.\n');
    expect(JSON.stringify((await denied.called).content)).toContain('did not allow run_command');
    const open = await callAs(hostler, 'two');
    expect((await promptOf(hostler)).id).not.toBe(id);
    await hostler.stop();
    expect((await open.called).isError).toBe(true);
    expect(fs.existsSync(mark)).toBe(false);
  });
});
