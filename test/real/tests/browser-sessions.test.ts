// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, type RunningBrowser, signIn, storedByPage } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { squat } from '../harness/squatter.ts';
import { serverSettings } from '../harness/tls.ts';

setDefaultTimeout(180_000);

const bidi = 'invoice\u202egpj.exe';

describe.skipIf(!needs('chromium'))('a browser that signs in', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;

  beforeAll(async () => {
    chromium = await launchBrowser();
    hostler = await startHostler({ prepare });
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  const url = (route: string) => `${hostler.base}${route}`;
  const isIn = (page: Page) => page.getByRole('button', { name: 'Sign out' }).first().waitFor();
  const isOut = (page: Page) => page.getByLabel('Token').waitFor();
  const post = (route: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url(route), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const restart = async () => {
    const { directory, port } = hostler;
    hostler = await startHostler({ directory, args: ['--port', String(port)] });
  };
  const kill = async () => {
    process.kill(hostler.pid, 'SIGKILL');
    await until(
      async () =>
        await hostler.get('/api/health').then(
          () => null,
          () => true,
        ),
    );
  };
  const sessions = async () =>
    (await (await hostler.get('/api/sessions')).json()) as { id: string; name: string; stay: boolean }[];

  test('stores no token', async () => {
    const { page, complaints, close } = await chromium.open();
    await page.goto(url('/'));
    await signIn(page, hostler.token);
    const stored = JSON.stringify(await page.context().storageState({ indexedDB: false }));
    expect(stored).not.toContain(hostler.token);
    expect(await page.evaluate(storedByPage)).toMatch(/^browser-[0-9a-f]{12}$/);
    expect(await page.context().cookies()).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('stays signed in over a reload and a restart of the service; a session for one tab does not extend to others', async () => {
    const staying = await chromium.open();
    await staying.page.goto(url('/'));
    await signIn(staying.page, hostler.token);
    const passing = await chromium.open();
    await passing.page.goto(url('/'));
    await signIn(passing.page, hostler.token, { stay: false });
    await kill();
    await restart();
    for (const { page } of [staying, passing]) {
      await page.getByText('The connection to the service was lost.').waitFor({ state: 'detached' });
      await page.reload();
      await isIn(page);
    }
    const [another, outside] = await Promise.all(
      [staying, passing].map(async ({ page }) => {
        const tab = await page.context().newPage();
        await tab.goto(url('/'));
        return tab;
      }),
    );
    if (another !== undefined) await isIn(another);
    if (outside !== undefined) await isOut(outside);
    await staying.close();
    await passing.close();
  });

  test('keeps its key when it is rate limited; only an ended session is forgotten', async () => {
    const { page, close } = await chromium.open();
    await page.goto(url('/'));
    await signIn(page, hostler.token);
    await page.route('**/api/sessions', (route) =>
      route.fulfill({
        status: 429,
        contentType: 'application/json',
        body: '{"error":"Too many requests of this kind are running"}',
      }),
    );
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'Too many requests of this kind are running' }).waitFor();
    await page.unroute('**/api/sessions');
    await page.reload();
    await isIn(page);
    await close();
  });

  test('is listed, and is signed out from the list, by the command line, and when its token is revoked', async () => {
    const { code, stdout } = await runHostler(['token', 'create', '--name', 'visitor', '--scope', 'read', '--json'], {
      directory: hostler.directory,
    });
    expect(code).toBe(0);
    const { token } = JSON.parse(stdout) as { token: string };
    const before = new Set((await sessions()).map(({ id }) => id));
    const opened = await Promise.all([1, 2, 3].map(() => chromium.open()));
    for (const { page } of opened) {
      await page.goto(url('/power'));
      await signIn(page, token);
      // It may read only.
      await page.getByText('The token you signed in with lacks the scope').first().waitFor();
    }
    const mine = (await sessions()).filter(({ id }) => !before.has(id));
    expect(mine.map(({ name, stay }) => [name, stay])).toEqual(mine.map(() => ['Chrome on Linux', true]));
    const [first = { id: '' }, second = { id: '' }] = mine;

    const owner = await chromium.open({ token: hostler.token });
    await owner.page.goto(url('/access'));
    const browsers = owner.page.getByRole('region', { name: 'Browsers' });
    await browsers.getByText('(this one)').waitFor();
    const rows = browsers.getByRole('row').filter({ hasText: 'visitor: read' });
    // One row for the browser, and one for each session on demand, the oldest last.
    expect(await rows.count()).toBe(1);
    await rows.getByRole('button', { name: '3 sessions' }).click();
    expect(await rows.count()).toBe(4);
    await rows.last().getByRole('button', { name: 'Sign out', exact: true }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await until(async () => ((await rows.count()) === 3 ? true : null));
    const list = await runHostler(['token', 'list'], { directory: hostler.directory });
    expect(list.stdout).toContain('a browser, signed in');
    expect(list.stdout).not.toContain(first.id);
    const ended = await runHostler(['token', 'revoke', second.id], { directory: hostler.directory });
    expect(ended.stdout).toBe('Chrome on Linux was signed out.\n');
    const [one, two, three] = opened.map(({ page }) => page);
    for (const page of [one, two]) {
      if (page === undefined) continue;
      await isOut(page);
      await page.getByRole('alert').filter({ hasText: 'signed out' }).waitFor();
      await page.reload();
      await isOut(page);
    }
    if (three !== undefined) await isIn(three);
    await runHostler(['token', 'revoke', 'visitor'], { directory: hostler.directory });
    if (three !== undefined) await isOut(three);
    await Promise.all([...opened, owner].map(({ close }) => close()));
  });

  test('has exactly the scopes of its token, and is not an agent', async () => {
    // A fresh service: the browsers that were signed out may have used up the wrong secrets allowed per minute.
    await kill();
    await restart();
    const made = await post('/api/tokens', { name: 'few', scopes: ['read'] }, { 'X-API-Token': hostler.token });
    const { token } = (await made.json()) as { token: string };
    const { token: short } = (await (await post('/api/login', {}, { 'X-API-Token': token })).json()) as {
      token: string;
    };
    const headers = { 'X-API-Token': short };
    expect((await hostler.get('/api/modules', headers)).status).toBe(200);
    expect((await hostler.get('/api/sessions', headers)).status).toBe(403);
    expect((await post('/api/media/file/ticket', { base: 'home', path: 'x' }, headers)).status).toBe(403);
    expect((await post('/api/tokens', { name: 'more', scopes: ['read'] }, headers)).status).toBe(403);
    expect((await post('/api/mcp', {}, { Authorization: `Bearer ${short}` })).status).toBe(403);
    // It cannot open further sessions either.
    expect((await post('/api/login', {}, headers)).status).toBe(401);
  });

  test('shows files with tickets for one file each: no address contains a token', async () => {
    // A fresh service: earlier tests may have used up the wrong secrets allowed per minute.
    await kill();
    await restart();
    const { page, close } = await chromium.open();
    const addresses: string[] = [];
    const sent: string[] = [];
    page.on('request', (request) => {
      addresses.push(request.url());
      sent.push(request.headers()['x-api-token'] ?? '');
    });
    await page.goto(url('/'));
    await signIn(page, hostler.token);
    await page.goto(url('/files/pictures/dot.png'));
    await page.locator('main img').waitFor();
    await until(async () =>
      (await page.evaluate('document.querySelector("main img").naturalWidth')) === 1 ? true : null,
    );
    const address = addresses.findLast((each) => each.includes('/api/media/file/data')) ?? '';
    expect(address).toMatch(/\/api\/media\/file\/data\?ticket=[\w-]{43}$/);
    expect(await page.getByRole('link', { name: 'Download' }).getAttribute('href')).toMatch(/\?ticket=/);
    for (const secret of new Set([hostler.token, ...sent].filter((each) => each !== '')))
      expect(addresses.filter((each) => each.includes(secret))).toEqual([]);
    const ticket = new URL(address).searchParams.get('ticket') ?? '';
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(address, { headers: { Range: 'bytes=0-3' } })).status).toBe(206);
    expect((await hostler.get('/api/modules', { 'X-API-Token': ticket })).status).toBe(401);
    expect((await fetch(url(`/api/media/file/data?base=pictures&path=dot.png&token=${ticket}`))).status).toBe(401);
    // It ends with the session.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isOut(page);
    await until(async () => ((await fetch(address)).status === 401 ? true : null));
    await close();
  });

  test('shows hidden files on request, and makes bidirectional control characters in names visible', async () => {
    const { page, close } = await chromium.open({ token: hostler.token });
    await page.goto(url('/files/documents'));
    const names = async () => (await page.locator('tbody a').allTextContents()).sort();
    await until(async () => ((await names()).length === 1 ? true : null));
    expect(await names()).toEqual(['invoice\ufffdgpj.exe']);
    await page.getByLabel('Show hidden files (1)').check();
    expect(await names()).toEqual(['.secret', 'invoice\ufffdgpj.exe']);
    await page.getByRole('link', { name: 'invoice' }).click();
    await page.getByRole('figure').getByText('invoice\ufffdgpj.exe').waitFor();
    expect(await page.evaluate('document.body.innerText')).not.toContain('\u202e');
    expect(decodeURIComponent(page.url())).toEndWith(bidi);
    await close();
  });

  // The last one: it tries so many wrong secrets that this address gets no answer for a while.
  test('leaves nothing usable to a process that takes the port: not what is stored, sent or signed for it', async () => {
    const { page, close } = await chromium.open();
    await page.goto(url('/processes'));
    await signIn(page, hostler.token);
    const unused = (await (await post('/api/sessions/challenge', {})).json()) as { challenge: string };
    await kill();
    const squatter = await squat(hostler.port, [unused.challenge, 'A'.repeat(97), '', '0']);
    // The open page reconnects automatically, and trusts any server that answers.
    await until(() => (squatter.received.some((text) => text.includes('"signature"')) ? true : null));
    await until(() => (squatter.received.includes('websocket') ? true : null));
    const victim = await page.context().newPage();
    await victim.goto(url('/'));
    const loot = await squatter.loot;
    expect([loot.keys, loot.exported]).toEqual([1, false]);
    expect(loot.proofs).toHaveLength(4);
    await victim.close();
    await squatter.stop();
    await restart();

    const sent = squatter.received.flatMap((text) => [text, ...(text.match(/[\w.-]{20,}/g) ?? [])]);
    const texts = [...new Set([...loot.texts, ...sent])].filter((text) => /^[\x21-\x7e]+$/.test(text));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts).not.toContain(hostler.token);
    for (const text of texts) expect((await hostler.get('/api/modules', { 'X-API-Token': text })).status).not.toBe(200);
    const signed = squatter.received.filter((text) => text.includes('"signature"')).map((text) => JSON.parse(text));
    expect(signed.length).toBeGreaterThan(0);
    for (const proof of [...loot.proofs, ...signed])
      expect([400, 401, 429]).toContain((await post('/api/sessions', proof)).status);
    const fresh = (await (await post('/api/sessions/challenge', {})).json()) as { challenge: string };
    for (const proof of loot.proofs)
      expect([401, 429]).toContain((await post('/api/sessions', { ...proof, ...fresh })).status);

    // The user is still signed in, and the worker that the squatter left is removed.
    const next = await page.context().newPage();
    await next.goto(url('/'));
    await isIn(next);
    expect(await next.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')).toBe(0);
    await close();
  });
});

describe.skipIf(!needs('chromium'))('a browser without key storage, over plain HTTP from another machine', () => {
  let chromium: RunningBrowser;
  beforeAll(async () => {
    chromium = await launchBrowser(['--host-resolver-rules=MAP machine.lan 127.0.0.1', '--ignore-certificate-errors']);
  });
  afterAll(async () => await chromium?.close());

  const isOut = (page: Page) => page.getByLabel('Token').waitFor();
  const isIn = (page: Page) => page.getByRole('button', { name: 'Sign out' }).first().waitFor();

  test('is signed in for this tab, also after a reload, and the page says why not longer', async () => {
    await using hostler = await startHostler();
    const { page, close } = await chromium.open();
    const address = `http://machine.lan:${hostler.port}/`;
    await page.goto(address);
    expect(await page.evaluate('isSecureContext')).toBe(false);
    const reason = page.getByText('until this tab is closed, for 12 hours at most');
    await reason.filter({ hasText: 'settings set server.tls auto' }).waitFor();
    expect(await page.getByLabel('Stay signed in').count()).toBe(0);
    await signIn(page, hostler.token, { stay: false });
    await page.reload();
    await isIn(page);
    await page.getByRole('link', { name: 'Processes' }).first().click();
    await until(async () => ((await page.locator('tbody tr:not(.space)').count()) > 0 ? true : null));
    const stored = JSON.stringify(await page.context().storageState({ indexedDB: true }));
    expect(stored).not.toContain('hostler-tab');
    const kept = (await page.evaluate('JSON.stringify(sessionStorage)')) as string;
    expect(kept).not.toContain(hostler.token);

    const other = await page.context().newPage();
    await other.goto(address);
    await isOut(other);
    await page.close();
    const next = await other.context().newPage();
    await next.goto(address);
    await isOut(next);
    await close();
  });

  test('is signed out when its session is revoked, at once and after a reload, and when it signs out', async () => {
    await using hostler = await startHostler();
    const { page, close } = await chromium.open();
    await page.goto(`http://machine.lan:${hostler.port}/`);
    const revoked = async () => {
      const { stdout } = await runHostler(['token', 'list', '--json'], { directory: hostler.directory });
      const { id } = (JSON.parse(stdout) as { id: string; kind: string }[]).find(({ kind }) => kind === 'browser') ?? {
        id: '',
      };
      expect((await runHostler(['token', 'revoke', id], { directory: hostler.directory })).code).toBe(0);
    };
    await signIn(page, hostler.token, { stay: false });
    await revoked();
    await isOut(page);
    await page.reload();
    await isOut(page);
    // While the page was elsewhere.
    await signIn(page, hostler.token, { stay: false });
    await page.goto('about:blank');
    await revoked();
    await page.goto(`http://machine.lan:${hostler.port}/`);
    await page.getByRole('alert').filter({ hasText: 'You were signed out' }).waitFor();
    await signIn(page, hostler.token, { stay: false });
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await isOut(page);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await close();
  });

  test('its token ends with the process that issued it, so a program on the port of a stopped service gains nothing', async () => {
    const hostler = await startHostler();
    const { page, close } = await chromium.open();
    await page.goto(`http://machine.lan:${hostler.port}/`);
    await signIn(page, hostler.token, { stay: false });
    const kept = JSON.parse((await page.evaluate("sessionStorage.getItem('hostler-tab')")) as string) as {
      token: string;
    };
    expect((await hostler.get('/api/data/cpu', { 'X-API-Token': kept.token })).status).toBe(200);
    const { directory, port } = hostler;
    await hostler.stop();
    await using again = await startHostler({ directory, args: ['--port', String(port)] });
    expect((await again.get('/api/data/cpu', { 'X-API-Token': kept.token })).status).toBe(401);
    await page.reload();
    await isOut(page);
    await close();
  });

  test('that pairs is offered the encrypted address, and stays signed in there', async () => {
    await using hostler = await startHostler({ prepare: serverSettings({ tls: 'auto' }) });
    const { page, complaints, close } = await chromium.open({ viewport: { width: 360, height: 740 } });
    const pairWith = async (button: string) => {
      const { stdout } = await runHostler(['pair', '--json'], { directory: hostler.directory });
      await page.getByLabel('Code from').fill((JSON.parse(stdout) as { code: string }).code);
      await page.getByRole('button', { name: button }).click();
    };
    await page.goto(`http://machine.lan:${hostler.port}/`);
    const encrypted = `https://machine.lan:${hostler.tlsPort}/`;
    expect(await page.getByRole('link', { name: 'Use the encrypted address' }).getAttribute('href')).toBe(encrypted);
    await page.getByRole('button', { name: 'Ask for access' }).click();
    await pairWith('Use code');
    await page.getByRole('heading', { name: 'Stay signed in' }).waitFor();
    await page.getByRole('img', { name: `QR code: ${encrypted}` }).waitFor();
    const authority = page.getByRole('link', { name: 'certificate authority of the machine' });
    const downloaded = page.waitForEvent('download');
    await authority.click();
    expect((await downloaded).suggestedFilename()).toBe('hostler-authority.crt');
    await page.getByRole('link', { name: encrypted }).click();
    await page.waitForURL(encrypted);
    expect(await page.evaluate('isSecureContext')).toBe(true);
    await page.getByRole('button', { name: 'Ask for access' }).click();
    await page.getByLabel('Keep me signed in').check();
    await pairWith('Use code');
    await isIn(page);
    const next = await page.context().newPage();
    await next.goto(encrypted);
    await isIn(next);
    expect(complaints.filter((text) => !/Cross-Origin-Opener-Policy/.test(text))).toEqual([]);
    await close();
  });
});

function prepare(directory: string): void {
  const home = path.join(directory, 'home');
  for (const name of ['Pictures', 'Documents']) fs.mkdirSync(path.join(home, name), { recursive: true });
  fs.writeFileSync(path.join(home, 'Pictures', 'dot.png'), Buffer.from(onePixel, 'base64'));
  fs.writeFileSync(path.join(home, 'Documents', '.secret'), '');
  fs.writeFileSync(path.join(home, 'Documents', bidi), '');
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
