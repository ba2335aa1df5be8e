// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import type { Page } from 'playwright-core';
import { axe, barriers } from '../harness/dashboard-barriers.ts';
import { launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

interface ActionState {
  name: string;
  reason: string | null;
}

describe.skipIf(!needs('chromium'))('access in the dashboard', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  beforeAll(async () => {
    chromium = await launchBrowser();
    hostler = await startHostler();
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  const url = (route: string) => `${hostler.base}${route}`;
  const headers = () => ({ 'X-API-Token': hostler.token, 'Content-Type': 'application/json' });
  const post = async (route: string, body: unknown = {}) => {
    const response = await fetch(url(route), { method: 'POST', headers: headers(), body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as { error?: string; token?: string } };
  };
  const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });

  test('control is paused and resumed from the page: actions are refused with the reason, reading continues', async () => {
    const { page, complaints, close } = await chromium.open({ token: hostler.token });
    await page.goto(url('/access'));
    await page.getByRole('button', { name: 'Pause for 1 hour' }).click();
    const note = page.getByRole('region', { name: 'Control is paused' });
    await note.getByText(/Control is paused until \d\d:\d\d/).waitFor();
    const refused = await post('/api/power/lock');
    expect(refused.status).toBe(409);
    expect(refused.body.error).toContain('Control is paused until');
    expect((await fetch(url('/api/data/memory'), { headers: headers() })).status).toBe(200);
    // It is shown in, and ended from, every view.
    await page.getByRole('link', { name: 'Power', exact: true }).click();
    const states = (await (await fetch(url('/api/actions'), { headers: headers() })).json()) as ActionState[];
    const reasonOf = (name: string) => states.find((each) => each.name === name)?.reason ?? null;
    expect(reasonOf('settings.update')).toContain('Control is paused');
    expect(reasonOf('control.resume')).toBeNull();
    await note.getByRole('button', { name: 'Resume control' }).click();
    await note.waitFor({ state: 'detached' });
    expect((await post('/api/power/lock')).body.error ?? '').not.toContain('paused');
    expect(complaints).toEqual([]);
    await close();
  });

  test('a pause set by the command line is ended by the command line', async () => {
    const { directory } = hostler;
    expect((await runHostler(['control', 'pause'], { directory })).stdout).toContain('until it is resumed');
    expect((await post('/api/control/pause', { seconds: 0 })).status).toBe(400);
    expect((await post('/api/power/lock')).body.error).toContain('Control is paused');
    const { stdout } = await runHostler(['control', 'resume', '--json'], { directory });
    expect(JSON.parse(stdout)).toMatchObject({ data: { paused: false } });
    expect((await runHostler(['control', 'pause', '--for', 'ever'], { directory })).code).toBe(2);
  });

  test('tokens show their last use and their scopes, and all connected clients are listed', async () => {
    const made = await post('/api/tokens', { name: 'a lamp', scopes: ['read', 'media'] });
    const lamp = { 'X-API-Token': made.body.token ?? '' };
    const { page, complaints, close } = await chromium.open({ token: hostler.token, bypassCSP: true });
    await page.goto(url('/access'));
    const row = card(page, 'Tokens').getByRole('row', { name: /a lamp/ });
    expect(await row.innerText()).toMatch(/Read and control media and volume\s+never/);
    await fetch(url('/api/data/memory'), { headers: lamp });
    await page.reload();
    await until(async () => (/just now from this machine/.test(await row.innerText()) ? true : null));
    const clients = card(page, 'Connected now');
    await clients
      .getByRole('row', { name: /Chrome on Linux.*this machine.*WebSocket/ })
      .first()
      .waitFor();
    // Only the user at this machine sees the connected clients.
    expect((await fetch(url('/api/clients'), { headers: lamp })).status).toBe(403);
    await page.evaluate(axe);
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('the command line of a process is shown on demand to a token with the scope', async () => {
    const secret = `--password=hunter${Date.now()}`;
    const process = spawn('/bin/sh', ['-c', 'sleep 600; :', secret], { stdio: 'ignore' });
    try {
      const { page, complaints, close } = await chromium.open({ token: hostler.token });
      await page.goto(url(`/processes?pid=${process.pid}`));
      const details = card(page, 'Process');
      await details.getByRole('link', { name: 'sleep' }).waitFor();
      expect(await details.innerText()).not.toContain(secret);
      await details.getByRole('button', { name: 'Show command line' }).click();
      await details.getByText(secret).waitFor();
      expect(complaints).toEqual([]);
      await close();
      const made = await post('/api/tokens', { name: 'a reader', scopes: ['read'] });
      const reader = { 'X-API-Token': made.body.token ?? '' };
      const answer = await fetch(url(`/api/processes/details?id=${process.pid}`), { headers: reader });
      expect(await answer.json()).toMatchObject({ id: process.pid, command_line: null });
      expect(await (await fetch(url('/api/data/processes'), { headers: reader })).text()).not.toContain(secret);
    } finally {
      process.kill('SIGKILL');
    }
  });

  test('a process is ended from the page after a confirmation that names it, with the scope', async () => {
    const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
    try {
      const { page, complaints, close } = await chromium.open({ token: hostler.token, bypassCSP: true });
      await page.goto(url(`/processes?pid=${child.pid}`));
      const details = card(page, 'Process');
      const press = async (label: string, answer: string) => {
        await details.getByRole('button', { name: label, exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('heading', { name: `${label} sleep (${child.pid})?` }).waitFor();
        await dialog.getByRole('button', { name: answer, exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await press('Kill', 'Cancel');
      expect(child.exitCode ?? child.signalCode).toBeNull();
      await press('Stop', 'Stop');
      await page.getByText(`"sleep" (${child.pid}) is stopped`).waitFor();
      await press('Continue', 'Continue');
      await details.getByRole('button', { name: 'Stop', exact: true }).waitFor();
      await page.evaluate(axe);
      expect(await barriers(page)).toEqual([]);
      await press('End', 'End');
      await page.getByText(`"sleep" (${child.pid}) has ended`).waitFor();
      expect(await until(() => child.signalCode)).toBe('SIGTERM');
      expect(complaints).toEqual([]);
      await close();

      const made = await post('/api/tokens', { name: 'an onlooker', scopes: ['read'] });
      const onlooker = await chromium.open({ token: made.body.token ?? '' });
      await onlooker.page.goto(url(`/processes?pid=${globalThis.process.pid}`));
      const shown = card(onlooker.page, 'Process');
      await shown.getByRole('button', { name: 'Show command line' }).waitFor();
      expect(await shown.getByRole('button', { name: 'Show command line' }).isDisabled()).toBe(true);
      expect(await shown.getByRole('button', { name: 'Kill' }).count()).toBe(0);
      await onlooker.close();
    } finally {
      child.kill('SIGKILL');
    }
  });
});
