import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { goWithin, launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { prepareDashboard } from '../harness/dashboard-home.ts';
import { heading, settled } from '../harness/dashboard-views.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, startHostler, until } from '../harness/service.ts';
import { startWebhookReceiver } from '../harness/webhook-receivers.ts';

setDefaultTimeout(600_000);

/** A machine without a desktop, a GPU, sensors or an engine. */
describe.skipIf(!needs('chromium'))('finding the way in the dashboard', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;

  beforeAll(async () => {
    chromium = await launchBrowser();
    hostler = await startHostler({ prepare: prepareDashboard });
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  const signedIn = async (options = {}) => await chromium.open({ token: hostler.token, ...options });
  const url = (route: string) => `${hostler.base}${route}`;
  const folded = (page: Page) => page.locator('nav details.absent');

  test('unsaved settings stay while the tab is open, the page says so, and saving or discarding ends that', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/settings'));
    const file = path.join(hostler.directory, 'config', 'settings.json');
    await page.getByLabel('Log level').selectOption('DEBUG');
    await page.getByText('Changes are kept in this tab').waitFor();
    const unsaved = page.locator('nav[aria-label=Views] a', { hasText: 'Unsaved' });
    await unsaved.waitFor();
    await page.getByRole('link', { name: 'Disks' }).click();
    await settled(page, 'Disks');
    // The browser asks before the page is left, and the answer is to stay.
    page.once('dialog', (dialog) => void dialog.dismiss());
    await page.evaluate('void setTimeout(() => location.reload())');
    await page.waitForEvent('dialog');
    await unsaved.click();
    await settled(page, 'Settings');
    expect(await page.getByLabel('Log level').inputValue()).toBe('DEBUG');
    expect(fs.readFileSync(file, 'utf8')).not.toContain('DEBUG');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings were saved.').waitFor();
    await unsaved.waitFor({ state: 'detached' });
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ logLevel: 'DEBUG' });
    await page.getByLabel('Log level').selectOption('INFO');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(await page.getByLabel('Log level').inputValue()).toBe('DEBUG');
    await unsaved.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('the search finds what users call things, and threads of the kernel last', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/'));
    await folded(page).waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search views' });
    const first = page.getByRole('option').first();
    for (const [typed, title] of [
      ['memory', 'Memory'],
      ['processor', 'Processor'],
      ['cpu', 'Processor'],
      ['https', 'Encrypted access (TLS)'],
      ['disk full', 'Disks'],
    ] as const) {
      await search.fill(typed);
      await first.filter({ hasText: title }).waitFor();
    }
    await search.fill('memory');
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    expect(complaints).toEqual([]);
    await close();
  });

  test('at 1440×900 every view that the machine has is visible, and the rest is one entry', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/'));
    await folded(page).waitFor();
    for (const title of ['Access', 'Connections', 'Settings', 'API', 'Processes', 'Disks', 'Commands']) {
      const box = await page.getByRole('link', { name: title, exact: true }).boundingBox();
      expect([title, box !== null && box.y + box.height <= 900]).toEqual([title, true]);
    }
    expect(await page.getByRole('link', { name: 'Graphics', exact: true }).isVisible()).toBe(false);
    await folded(page).locator('summary').click();
    await page.getByRole('link', { name: 'Graphics', exact: true }).click();
    await settled(page, 'Graphics');
    // The entry of the current view is never folded away, and the list is the same after a reload.
    await page.reload();
    await heading(page, 'Graphics');
    await folded(page).getByRole('link', { name: 'Graphics', exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('on a small screen the names in lists, the title and the ranges have room', async () => {
    const { page, complaints, close } = await signedIn();
    await page.setViewportSize({ width: 768, height: 1024 });
    for (const [address, title] of [
      ['/files', 'Files'],
      ['/processes', 'Processes'],
      ['/processes?pid=1', 'Processes'],
      ['/disks', 'Disks'],
    ] as const) {
      await page.goto(url(address));
      await settled(page, title);
      const cut = (selector: string) =>
        page.evaluate(
          `[...document.querySelectorAll('${selector}')].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)`,
        );
      expect([title, await cut('.top-bar .at, .top-bar .segments, .absent summary')]).toEqual([title, []]);
      if (title === 'Disks') continue;
      const name = await page.locator('main table th').first().boundingBox();
      expect([title, Math.round(name?.width ?? 0) >= 120]).toEqual([title, true]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('a phone has five places, all of which this machine can fill', async () => {
    const { page, close } = await signedIn({ viewport: { width: 390, height: 844 } });
    await page.goto(url('/'));
    const bar = page.getByRole('navigation', { name: 'Main views' });
    await until(async () => ((await bar.innerText()).includes('Disks') ? true : null));
    expect((await bar.innerText()).split('\n').filter(Boolean)).toEqual([
      'Overview',
      'Processes',
      'Disks',
      'Network',
      'More',
    ]);
    await close();
  });

  test('the settings have an index and a search, lists have a row for each entry, and durations have units', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/settings'));
    await settled(page, 'Settings');
    const index = page.getByRole('navigation', { name: 'Groups of settings' });
    for (const link of await index.getByRole('link').all()) {
      await link.click();
      await index.locator('a[aria-current=page]', { hasText: await link.innerText() }).waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/\{\w+,/);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2500);
    }
    await index.getByRole('link', { name: 'Allowed actions' }).click();
    const row = page.locator('.entry', { hasText: 'Two steps' });
    const name = page.locator('[id="setting-commands.allowlist.0.name"]');
    expect(await name.isVisible()).toBe(false);
    await row.locator('summary').click();
    expect(await name.inputValue()).toBe('Two steps');
    await index.getByLabel('Search settings').fill('idle');
    const idle = page.getByLabel('Idle after');
    expect(await idle.inputValue()).toBe('5 min');
    await idle.fill('10 minutes or so');
    await page.getByText('Enter a time from 1 s to 1 d').waitFor();
    await idle.fill('600');
    await idle.blur();
    expect(await idle.inputValue()).toBe('10 min');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    // An address shows a setting without the focus: a page of another origin could open it and ask for a key.
    await page.goto(url('/settings?setting=pairing.enabled'));
    await page.locator('.sought').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('');
    // A setting that the search found is on its page.
    await goWithin(page, '/settings?setting=security.allowedOrigins');
    await index.locator('a[aria-current=page]', { hasText: 'Network and access' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a device that asks for access chooses among three levels, with the details folded', async () => {
    const { page, complaints, close } = await chromium.open({ viewport: { width: 390, height: 844 } });
    await page.goto(url('/'));
    await page.getByRole('button', { name: 'Ask for access' }).click();
    const levels = page.getByRole('radio');
    await levels.first().waitFor();
    expect(await levels.count()).toBe(3);
    expect(await page.getByRole('radio', { name: /^View/ }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: /^media/ }).isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1200);
    await page.getByRole('radio', { name: /^Control/ }).check();
    await page.getByText('Choose one by one').click();
    expect(await page.getByRole('checkbox', { name: /^power/ }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^power/ }).uncheck();
    await page.getByText('Own choice: read, media, notify, chat, control').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('access on a phone has a row for each entry, and sessions of one browser are one', async () => {
    const viewport = { width: 390, height: 844 };
    const other = await signedIn({ viewport });
    await other.page.goto(url('/disks'));
    await other.close();
    const { page, complaints, close } = await signedIn({ viewport });
    await page.goto(url('/access'));
    const browsers = page.getByRole('region', { name: 'Browsers' });
    await browsers.getByRole('button', { name: /^\d+ sessions$/ }).waitFor();
    expect(await browsers.locator('tbody tr:visible').count()).toBe(1);
    const cell = browsers.locator('td[data-label="Signed in with"]').first();
    const [row, box] = [await browsers.locator('tbody tr').first().boundingBox(), await cell.boundingBox()];
    expect(Math.round(box?.width ?? 0)).toBe(Math.round(row?.width ?? -1));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(complaints).toEqual([]);
    await close();
  });

  test('the timeline names the command and its client, and an empty view says what to do', async () => {
    fs.writeFileSync(path.join(hostler.directory, 'go'), '');
    const ran = await fetch(url('/api/command/execute'), {
      method: 'POST',
      headers: { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ commandID: 'two' }),
    });
    expect(ran.status).toBe(200);
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/timeline'));
    await page.getByText('Two steps, by main', { exact: true }).waitFor();
    for (const [address, fact, advice] of [
      ['/chat', 'The voice-chat application is not set up.', /^Run "\S+ chat setup"/],
      ['/alerts', 'No alert rules are configured yet.', /^Add a rule under Settings/],
      ['/custom', 'No sensor of your own is configured.', /^Add a command or a file/],
      ['/services', 'Neither systemd nor OpenRC runs here', null],
    ] as const) {
      await goWithin(page, address);
      const empty = page.locator('main section.empty');
      await empty.locator('svg.icon').waitFor();
      expect(await empty.locator('p').first().innerText()).toStartWith(fact);
      if (advice !== null) expect(await empty.locator('p').last().innerText()).toMatch(advice);
      expect(await empty.innerText()).not.toMatch(/\bE[A-Z]{3,}\b/);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('a service that receives alerts is added, tested and removed, and its URL is not shown again', async () => {
    await using receiver = startWebhookReceiver(() => new Response('{"id":1}'));
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/alerts'));
    const [name, secret] = [page.getByLabel('Name, for the rules'), page.getByLabel('URL of the service')];
    const add = page.getByRole('button', { name: 'Add', exact: true });
    await name.fill('phone');
    await secret.fill('gotify://example.com/sesame-token');
    await add.click();
    await page.getByText('is not encrypted, which is allowed only for servers in the local network').waitFor();
    await secret.fill(`gotify://127.0.0.1:${receiver.port}/sesame-token`);
    await add.click();
    await page.getByText(`gotify://127.0.0.1:${receiver.port}/…`).waitFor();
    expect([await name.inputValue(), await secret.inputValue()]).toEqual(['', '']);
    await page.getByRole('button', { name: 'Send a test to phone' }).click();
    await page.getByText('phone: sent').waitFor();
    expect(receiver.received.map(({ headers }) => headers['x-gotify-key'])).toEqual(['sesame-token']);
    await page.reload();
    await page.getByText(`gotify://127.0.0.1:${receiver.port}/…`).waitFor();
    expect((await page.content()) + hostler.output()).not.toContain('sesame');
    await page.getByRole('button', { name: 'Remove phone' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The target phone and its URL were removed').waitFor();
    await page.getByRole('button', { name: 'Remove phone' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });
});
