// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { axe, barriersIn, contrastSchemes, usualSchemes } from '../harness/dashboard-barriers.ts';
import { launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { recordPast } from '../harness/recorded-past.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

/** A process that was busy once: its name would be a script if it were not escaped. */
const culprit = '<img src=x onerror=complain(1)>';

describe.skipIf(!needs('chromium'))('the dashboard, with recorded history', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  let peakAt: number;

  beforeAll(async () => {
    chromium = await launchBrowser();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    peakAt = Date.now() - 40 * 60_000;
    await recordPast(directory, { interfaces: ['eth0'], disks: ['vda'], peak: { at: peakAt, name: culprit } });
    hostler = await startHostler({ directory });
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  const signedIn = async (options = {}) => await chromium.open({ token: hostler.token, ...options });
  const url = (route: string) => `${hostler.base}${route}`;
  const heading = (page: Page, title: string) =>
    page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor({ state: 'attached' });
  const searchField = (page: Page) => page.getByRole('combobox', { name: 'Search views' });
  const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
  const withScopes = async (...scopes: string[]) => {
    const made = await fetch(url('/api/tokens'), {
      method: 'POST',
      headers: { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: scopes.join(' '), scopes }),
    });
    return ((await made.json()) as { token: string }).token;
  };

  test('a range is in the address, survives a reload, and applies to other charts', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/'));
    for (const [title, id] of [
      ['15 min', '15m'],
      ['1 h', '1h'],
      ['24 h', '24h'],
      ['7 d', '7d'],
      ['30 d', '30d'],
    ] as const) {
      await page.getByRole('button', { name: title, exact: true }).click();
      await until(async () => (parameterOf(page, 'range') === id ? true : null));
      const card = page.getByRole('region', { name: 'Processor' });
      await card.getByRole('button', { name: /^Peak \d+ % at/ }).waitFor();
      await card.locator('.u-over').waitFor();
    }
    await page.reload();
    await page.locator('button[aria-pressed=true]', { hasText: '30 d' }).waitFor();
    await page.getByRole('link', { name: 'Network' }).click();
    await heading(page, 'Network');
    expect(parameterOf(page, 'range')).toBe('30d');
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await until(async () => (parameterOf(page, 'range') === null ? true : null));
    await page.goBack();
    await until(async () => (parameterOf(page, 'range') === '30d' ? true : null));
    expect(complaints).toEqual([]);
    await close();
  });

  test('one cursor spans all charts, and a click on a peak lists its processes and events', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/?range=1h'));
    const [cpu, memory] = ['Processor', 'Memory'].map((name) => page.getByRole('region', { name, exact: true }));
    if (cpu === undefined || memory === undefined) throw new Error('no charts');
    await cpu.getByRole('button', { name: /^Peak (9\d|100) % at/ }).waitFor();
    await memory.locator('.u-over').waitFor();
    const box = await until(async () => await cpu.locator('.u-over').boundingBox());
    const share = 1 - (Date.now() - peakAt) / 3_600_000;
    // The mouse is over one chart; the other shows its value of the same time.
    await until(async () => {
      await page.mouse.move(box.x + box.width * share, box.y + box.height / 2 + Math.random());
      return /\d\d:\d\d:\d\d/.test(await memory.locator('.under-chart').innerText()) ? true : null;
    });
    await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
    const moment = page.getByRole('region', { name: 'Moment' });
    await moment.getByText(culprit, { exact: true }).waitFor();
    await moment.getByText('An agent ran the command Build the site').waitFor();
    expect(Math.abs(Number(parameterOf(page, 'at')) * 1000 - peakAt)).toBeLessThan(120_000);
    // Its address can be shared.
    await page.reload();
    await moment.getByText(culprit, { exact: true }).waitFor();
    expect(await page.locator('.moment img').count()).toBe(0);
    await moment.getByRole('button', { name: 'Close' }).click();
    await moment.waitFor({ state: 'detached' });
    expect(parameterOf(page, 'at')).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  test('by keyboard alone: the search finds a view, an action, a process and a setting, and a peak is inspected', async () => {
    const { page, complaints, close } = await signedIn({ reducedMotion: 'reduce' });
    await page.goto(url('/'));
    const search = async (text: string, found: RegExp) => {
      await page.keyboard.press('Control+k');
      await searchField(page).waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { selected: true }).filter({ hasText: found }).waitFor();
      await page.keyboard.press('Enter');
      await searchField(page).waitFor({ state: 'detached' });
    };
    await search('storage', /Disks/);
    await heading(page, 'Disks');
    await search('appearance dark', /Appearance: dark/);
    await page.locator('html[data-scheme=dark]').waitFor();
    await search('appearance high', /high contrast/);
    await page.locator('html[data-contrast=more]').waitFor();
    await search('appearance system', /as the system/);
    expect(await page.evaluate('localStorage.getItem("hostler-look")')).toBeNull();
    await search(`${hostler.pid}`, new RegExp(`PID ${hostler.pid}\\b`));
    await heading(page, 'Processes');
    await page
      .getByRole('region', { name: 'Process', exact: true })
      .getByText(String(hostler.pid), { exact: true })
      .waitFor();
    await search('allowedOrigins', /Allowed origins/);
    await heading(page, 'Settings');
    await until(async () =>
      (await page.evaluate('document.activeElement.id')) === 'setting-security.allowedOrigins' ? true : null,
    );
    await search('last hour', /the last hour/);
    const peak = page.getByRole('region', { name: 'Processor' }).getByRole('button', { name: /^Peak/ });
    await peak.waitFor();
    await peak.focus();
    const at = String(await peak.getAttribute('data-at'));
    await page.keyboard.press('Enter');
    // Which peak is the highest depends on the machine.
    await page.getByRole('region', { name: 'Moment' }).getByText('Busiest processes').waitFor();
    expect(Math.abs(Number(parameterOf(page, 'at')) - Number(at))).toBeLessThan(60);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing is called like this');
    await page.getByText('Nothing is called').waitFor();
    await page.keyboard.press('Escape');
    await searchField(page).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('the search and a chosen moment are accessible in every color scheme', async () => {
    const { page, close } = await signedIn({ bypassCSP: true, reducedMotion: 'reduce' });
    await page.goto(url(`/?range=1h&at=${Math.round(peakAt / 1000)}`));
    await page.getByRole('region', { name: 'Moment' }).getByText(culprit, { exact: true }).waitFor();
    await page.evaluate(axe);
    for (const open of [false, true]) {
      if (open) await page.keyboard.press('Control+k');
      if (open) await page.getByRole('dialog').getByRole('option').first().waitFor();
      expect([open, await barriersIn(page, [...usualSchemes, ...contrastSchemes])]).toEqual([open, []]);
    }
    await close();
  });

  test('the timeline lists the events of a week by day, filtered by kind', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/timeline?range=7d'));
    await page.getByText('The machine went to sleep').first().waitFor();
    await page.getByRole('button', { name: /^Network/ }).click();
    await page.getByText('The machine went to sleep').first().waitFor({ state: 'detached' });
    expect(parameterOf(page, 'kind')).toBe('link');
    const when = page.locator('.event time').first();
    expect(await when.innerText()).toMatch(/ago|just now/);
    expect(await when.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a phone has a bottom bar, and everything else behind More', async () => {
    const { page, complaints, close } = await signedIn({ viewport: { width: 390, height: 844 } });
    await page.goto(url('/'));
    const bar = page.getByRole('navigation', { name: 'Main views' });
    await bar.getByRole('link', { name: 'Processes' }).click();
    await heading(page, 'Processes');
    const all = page.getByRole('navigation', { name: 'Views', exact: true });
    expect(await all.isVisible()).toBe(false);
    await bar.getByRole('button', { name: 'More' }).click();
    await all.getByRole('link', { name: 'Timeline', exact: true }).click();
    await heading(page, 'Timeline');
    await all.waitFor({ state: 'hidden' });
    const box = await bar.boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(844);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a token with few scopes sees only the views it may use', async () => {
    const { page, close } = await chromium.open({ token: await withScopes('read', 'files') });
    await page.goto(url('/'));
    const names = await page.locator('nav[aria-label=Views] a').allTextContents();
    expect(names).toContain('Files');
    expect(names).toContain('Timeline');
    for (const hidden of ['Power', 'Commands', 'Access', 'Settings', 'Notify and type'])
      expect(names).not.toContain(hidden);
    await page.keyboard.press('Control+k');
    await searchField(page).fill('shut down');
    await page.getByText('Nothing is called').waitFor();
    await close();
  });

  test('a dialog that the browser closes counts as no', async () => {
    const { page, complaints, close } = await signedIn();
    await withScopes('chat');
    await page.goto(url('/access'));
    await heading(page, 'Access');
    const row = page.getByRole('row', { name: /^chat/ });
    for (let round = 0; round < 2; round++) {
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').waitFor();
      await page.evaluate("document.querySelector('dialog').close()");
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await row.waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('the page has the manifest that a phone needs to install it, and its files exist', async () => {
    const { page, close } = await signedIn();
    await page.goto(url('/'));
    const manifest = await hostler.get(await page.locator('link[rel=manifest]').getAttribute('href').then(String));
    expect(manifest.headers.get('Content-Type')).toContain('manifest+json');
    const { icons, start_url } = (await manifest.json()) as { icons: { src: string }[]; start_url: string };
    expect(start_url).toBe('/');
    for (const { src } of icons)
      expect([src, (await hostler.get(src)).headers.get('Content-Type')]).toEqual([src, 'image/png']);
    await close();
  });
});

describe.skipIf(!needs('chromium'))('several machines', () => {
  test('another Hostler that allows this page shows its main values, and its token is not stored', async () => {
    const chromium = await launchBrowser();
    await using other = await startHostler();
    await using hostler = await startHostler({
      prepare: (directory) =>
        settings(directory, { dashboard: { machines: [{ name: 'the other one', url: `${other.base}/` }] } }),
    });
    const { page, close } = await chromium.open({ token: hostler.token });
    await page.goto(`${hostler.base}/connections`);
    const card = page.getByRole('region', { name: 'the other one' });
    // It does not allow this page yet: the page says how to.
    await card.getByLabel('Token of the other one').fill(other.token);
    await card.getByRole('button', { name: 'Sign in' }).click();
    await card.getByText('does not allow this page').waitFor();
    const { code, stderr } = await runHostler(
      ['settings', 'set', 'security.allowedOrigins', JSON.stringify([hostler.base])],
      { directory: other.directory },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // The other service reloads its file.
    await until(async () => {
      const button = card.getByRole('button', { name: 'Sign in' });
      // It goes away when it worked.
      if (await button.isVisible()) await button.click({ timeout: 2000 }).catch(() => {});
      return (await card.getByText(/ of .*GiB/).isVisible()) ? true : null;
    });
    const stored = JSON.stringify(await page.context().storageState({ indexedDB: false }));
    expect(stored).not.toContain(other.token);
    // From now on the key of this browser is sufficient.
    await page.reload();
    await card.getByText(/ of .*GiB/).waitFor();
    await page.getByRole('button', { name: 'Other machines' }).click();
    await page.getByRole('link', { name: 'the other one' }).waitFor();
    const sessionsThere = async () => {
      const answer = await fetch(`${other.base}/api/sessions`, { headers: { 'X-API-Token': other.token } });
      return ((await answer.json()) as unknown[]).length;
    };
    const before = await sessionsThere();
    expect(before).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await until(async () => ((await sessionsThere()) === before - 1 ? true : null));
    await close();
    await chromium.close();
  });
});

function settings(directory: string, content: object): void {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(content));
}
