import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { postJson, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(90_000);

describe.skipIf(!needs('chromium'))('the page of OAuth, in a browser', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  beforeAll(async () => {
    hostler = await startHostler();
    chromium = await launchBrowser();
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop();
  });

  test('shows who asks for what, opens no prompt before a click, and returns to the client with a code', async () => {
    const returned: string[] = [];
    await using client = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        returned.push(request.url);
        return new Response('Done');
      },
    });
    const redirect = `http://127.0.0.1:${client.port}/callback`;
    const registered = await postJson(hostler, '/oauth/register', {
      client_name: '<b>Claude</b>',
      redirect_uris: [redirect],
    });
    const { client_id } = await registered.json();
    const { page, complaints, close } = await chromium.open();
    const query = new URLSearchParams({
      response_type: 'code',
      ...{ client_id, redirect_uri: redirect, scope: 'read media', state: 'x' },
      ...{ code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' },
    });
    await page.goto(`${hostler.base}/oauth/authorize?${query}`);
    expect(await page.locator('strong').first().textContent()).toBe('b Claude b');
    expect(await page.locator('li').count()).toBe(2);
    const approve = async (...args: string[]) =>
      await runHostler(['approve', ...args], { directory: hostler.directory });
    expect((await approve()).stdout).toContain('No permission prompt is open');
    await page.getByRole('button', { name: 'Continue' }).click();
    const digits = await page.locator('.digits').textContent();
    const [prompt] = JSON.parse((await approve('--json')).stdout) as { id: string; text: string }[];
    expect(prompt?.text).toContain(`Code: ${digits}.`);
    await until(async () => ((await approve(prompt?.id ?? '')).code === 0 ? true : null));
    await until(() => returned[0] ?? null);
    expect(returned[0]).toMatch(/\/callback\?code=[\w-]{43}&state=x&iss=/);
    expect(complaints).toEqual([]);
    await close();
  });

  test('has a link back, and no redirect, when an address elsewhere was refused', async () => {
    const redirect = 'https://client.example/callback';
    const registered = await postJson(hostler, '/oauth/register', { redirect_uris: [redirect] });
    const { client_id } = await registered.json();
    const { page, complaints, close } = await chromium.open();
    const query = new URLSearchParams({
      response_type: 'code',
      ...{ client_id, redirect_uri: redirect, scope: 'read' },
      ...{ code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' },
    });
    await page.goto(`${hostler.base}/oauth/authorize?${query}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.digits').waitFor();
    const command = async (...args: string[]) =>
      await runHostler(['approve', ...args], { directory: hostler.directory });
    const [prompt] = JSON.parse((await command('--json')).stdout) as { id: string }[];
    expect((await command(prompt?.id ?? '', '--deny')).code).toBe(0);
    const link = page.getByRole('link', { name: 'Return to client.example' });
    expect(await link.getAttribute('href')).toStartWith(`${redirect}?error=access_denied&`);
    expect(page.url()).toStartWith(hostler.base);
    expect(complaints).toEqual([]);
    await close();
  });
});
