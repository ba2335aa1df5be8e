import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { settled } from '../harness/dashboard-views.ts';
import { needs } from '../harness/parts.ts';
import { recordPast } from '../harness/recorded-past.ts';
import { type RunningHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

/** Bytes over the wire until the first view is complete: the goal of `bench/web.ts`. */
const mostBytes = 100_000;

describe.skipIf(!needs('chromium'))('questions on the first view', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  const peakAt = Date.now() - 20 * 60_000;

  beforeAll(async () => {
    chromium = await launchBrowser();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    await recordPast(directory, {
      fileSystems: { '/srv/films': 5e9 },
      peak: { at: peakAt, name: 'cargo' },
      lastMs: 3 * 86_400_000,
    });
    hostler = await startHostler({ directory });
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  /** Opens the first view, and answers with one click. */
  const answer = async (question: string, title: string) => {
    const opened = await chromium.open({ token: hostler.token });
    await opened.page.goto(`${hostler.base}/`);
    const questions = opened.page.getByRole('navigation', { name: 'Questions' });
    await questions.getByRole('link', { name: question }).click();
    await settled(opened.page, title);
    return opened;
  };

  test('why is it slow: what was short, compared with usual; the second click shows the peak', async () => {
    const { page, complaints, close } = await answer('Why is it slow?', 'Load');
    await page.getByRole('button', { name: '1 h', exact: true }).click();
    await card(page, 'Busiest programs').getByText('cargo').waitFor();
    const row = card(page, 'Compared with usual').getByRole('row', { name: /^Processor \d+ %/ });
    await row.getByRole('button', { name: /% at \d\d:\d\d$/ }).click();
    await page.getByRole('region', { name: 'Moment' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('what filled the disk: how much, when, and what ran then', async () => {
    const { page, complaints, close } = await answer('What filled the disk?', 'Disks');
    const found = card(page, 'What filled the disk?');
    await found
      .getByText(
        /^1[89]\.\d GiB were used up on \/srv\/films in the last 24 hours, most of it at .*\d\d:\d\d; 4\.6\d GiB are left; at this rate it is full in /,
      )
      .waitFor();
    const row = card(page, 'Free space').getByRole('row', { name: /^\/srv\/films/ });
    expect(await row.innerText()).toMatch(/−1[89]\.\d GiB/);
    await row.getByRole('button').click();
    const moment = page.getByRole('region', { name: 'Moment' });
    await moment.getByRole('heading', { name: /\b3 h ago$/ }).waitFor();
    await moment.getByText('firefox').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('what changed since yesterday: events, means, packages', async () => {
    const { page, complaints, close } = await answer('What changed since yesterday?', 'Timeline');
    const means = card(page, 'Compared with the day before');
    await means.getByRole('row', { name: /^Memory \d+ % \d+ %/ }).waitFor();
    await means.getByText(/Free space on \/srv\/films/).waitFor();
    await card(page, 'Packages').waitFor();
    await page.getByText('Hostler was started').waitFor();
    const updates = (await (await hostler.get('/api/data/updates?fields=changes')).json()) as {
      changes: { at: number }[] | null;
    };
    const lately = updates.changes?.filter(({ at }) => at > Date.now() / 1000 - 86_400).length ?? null;
    // The service lists at most 250.
    const shown = lately === 250 ? '250+' : String(lately);
    if (lately !== null) expect(await card(page, 'Packages').locator('.figure').innerText()).toBe(shown);
    expect(complaints).toEqual([]);
    await close();
  });

  test('is it safe: open ports, tokens, wrong tokens', async () => {
    const wrong = await hostler.get('/api/data/cpu', { 'X-API-Token': 'wrong' });
    expect(wrong.status).toBe(401);
    const { page, complaints, close } = await answer('Is it safe?', 'Safety');
    await card(page, 'Is it safe?').getByText('Hostler accepts connections from this machine only.').waitFor();
    await card(page, 'Is it safe?').getByText('1 token grants access to this machine.').waitFor();
    await card(page, 'Open ports')
      .getByText(new RegExp(`\\bTCP ${hostler.port}\\b`))
      .waitFor();
    const signIns = card(page, 'Sign-ins');
    await signIns.getByText('Wrong tokens or codes were received once in the last 7 days.').waitFor();
    await signIns.getByText('A wrong token or code was received from 127.0.0.1').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('the first view is small, with the answers it asks for', async () => {
    const { page, close } = await chromium.open({ token: hostler.token });
    await page.goto(`${hostler.base}/settings`);
    await page.goto('about:blank');
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.clearBrowserCache');
    let bytes = 0;
    const urls: string[] = [];
    cdp.on('Network.responseReceived', ({ response }) => void urls.push(response.url));
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await cdp.send('Network.enable');
    await page.goto(`${hostler.base}/`);
    // The last of them: the events, and the states once more.
    await until(() => (urls.filter((url) => url.includes('/api/history')).length >= 2 ? true : null));
    await until(() => (urls.filter((url) => url.includes('/api/actions')).length >= 2 ? true : null));
    expect(bytes).toBeLessThan(mostBytes);
    await close();
  });
});
