// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { percent, rate } from '../../../web/units.ts';
import { axe, barriersIn, usualSchemes } from '../harness/dashboard-barriers.ts';
import { goWithin, launchBrowser, type RunningBrowser } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { recordPast } from '../harness/recorded-past.ts';
import { type RunningHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

interface Answer {
  from: number;
  to: number;
  series: { name: string; mean: (number | null)[]; most: (number | null)[]; peak: { at: number; value: number } }[];
}

/** The cards of the overview with their series, in the order of their legends. */
const cards = [
  ['Processor', ['cpu'], percent],
  ['Memory', ['memory', 'swap'], percent],
  ['Network', ['network.received', 'network.sent'], rate],
  ['Disk traffic', ['disk.read', 'disk.written'], rate],
] as const;

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const momentPanel = (page: Page) => page.getByRole('region', { name: 'Moment' });
const parameterOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

describe.skipIf(!needs('chromium'))('charts of recorded history', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  const spikeAt = Date.now() - 8 * 60_000;

  beforeAll(async () => {
    chromium = await launchBrowser();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    await recordPast(directory, { spike: { at: spikeAt, series: 'disk.written', value: 695.1e6 } });
    hostler = await startHostler({ directory });
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  test('every number below a chart is the one of the API, in every range', async () => {
    const { page, complaints, close } = await chromium.open({ token: hostler.token });
    const answers = lastAnswers(page);
    await page.goto(`${hostler.base}/`);
    for (const id of ['15m', '1h', '24h', '7d', '30d']) {
      await goWithin(page, `/?range=${id}`);
      for (const [card, names, format] of cards) {
        const under = cardOf(page, card).locator('.under-chart');
        await until(async () => {
          const text = await under.innerText().catch(() => '');
          const expected = expectedOf(answers.get(id), names, format);
          return expected?.every((part) => text.includes(part)) === true ? true : null;
        }, 30_000).catch(async () => {
          const expected = expectedOf(answers.get(id), names, format);
          expect([id, card, await under.innerText()]).toEqual([id, card, expected?.join(' ') ?? '']);
        });
      }
      const peak = cardOf(page, 'Disk traffic').getByRole('button', { name: /^Peak 695 MB\/s/ });
      const at = Number(await peak.getAttribute('data-at')) * 1000;
      expect([id, Math.abs(at - spikeAt) <= 15_000]).toEqual([id, true]);
      expect(await peak.innerText()).toEndWith(new Date(at).toTimeString().slice(0, 5));
      await peak.click();
      await momentPanel(page)
        .getByText(/\b(7|8|9|10|11|12) min ago/)
        .waitFor();
      expect(Number(parameterOf(page, 'at'))).toBe(Math.round(at / 1000));
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('a click into a step of hours selects its highest moment', async () => {
    const { page, close } = await chromium.open({ token: hostler.token });
    await page.goto(`${hostler.base}/?range=7d`);
    const plot = cardOf(page, 'Disk traffic').locator('.u-over');
    await cardOf(page, 'Disk traffic')
      .getByRole('button', { name: /^Peak 695/ })
      .waitFor();
    await plot.scrollIntoViewIfNeeded();
    const { width, height } = await until(async () => await plot.boundingBox());
    await plot.click({ position: { x: width - 2, y: height / 2 } });
    await momentPanel(page).waitFor();
    const at = Number(parameterOf(page, 'at')) * 1000;
    // The hour may have begun since the spike.
    if (new Date(spikeAt).getHours() === new Date().getHours()) expect(Math.abs(at - spikeAt)).toBeLessThan(16_000);
    await close();
  });

  test('Escape closes the moment and the details of a process, after the dialog above them', async () => {
    const { page, complaints, close } = await chromium.open({ token: hostler.token });
    await page.goto(`${hostler.base}/?range=1h&at=${Math.round(spikeAt / 1000)}`);
    await momentPanel(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search views' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Search views' }).waitFor({ state: 'detached' });
    await momentPanel(page).waitFor();
    await page.keyboard.press('Escape');
    await momentPanel(page).waitFor({ state: 'detached' });
    expect([parameterOf(page, 'at'), parameterOf(page, 'range')]).toEqual([null, '1h']);
    await goWithin(page, '/processes');
    const row = page.locator('main table a').first();
    await row.click();
    const details = page.getByRole('region', { name: 'Process', exact: true });
    await details.waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    expect(parameterOf(page, 'pid')).toBeNull();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('A');
    expect(complaints).toEqual([]);
    await close();
  });
});

describe.skipIf(!needs('chromium'))('comparing, sharing, pinning', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;

  beforeAll(async () => {
    chromium = await launchBrowser();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    await recordPast(directory, { hasNights: false });
    hostler = await startHostler({ directory });
  });
  afterAll(async () => {
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  test('a range is compared with the same time of another day, which the API has as well', async () => {
    const { page, complaints, close } = await chromium.open({ token: hostler.token });
    const earlier = nextAnswer(page, (query) => query.has('from') && query.has('step'));
    await page.goto(`${hostler.base}/?range=24h`);
    await cardOf(page, 'Memory').getByRole('button', { name: /^Peak/ }).waitFor();
    await page.getByLabel('Compare with').selectOption('a day earlier');
    await until(async () => (parameterOf(page, 'compare') === 'day' ? true : null));
    const card = cardOf(page, 'Memory');
    await card.getByText('fainter: a day earlier').waitFor();
    const { from, series } = await earlier;
    expect(Math.abs(Date.now() - from - 2 * 86_400_000)).toBeLessThan(400_000);
    const { mean = [] } = series.find(({ name }) => name === 'memory') ?? {};
    // The last step of now has begun; the same one of yesterday is complete.
    const shown = /Memory (\d+) % \((\d+) %\)/.exec(await card.locator('.chart .legend').innerText());
    expect(mean.slice(-2).map((value) => percent(value))).toContain(`${shown?.[2]} %`);
    expect(complaints).toEqual([]);
    // A month has nothing before it.
    await goWithin(page, '/?range=30d&compare=day');
    await page.getByLabel('Compare with').waitFor({ state: 'detached' });
    await close();
  });

  test('a link holds view, range, end and moment, and shows the same time later', async () => {
    const { page, complaints, close } = await chromium.open({
      token: hostler.token,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const at = Math.round(Date.now() / 1000) - 600;
    await page.goto(`${hostler.base}/network?range=1h&at=${at}`);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    const link = new URL(String(await page.evaluate('navigator.clipboard.readText()')));
    expect([link.pathname, link.searchParams.get('range'), link.searchParams.get('at')]).toEqual([
      '/network',
      '1h',
      String(at),
    ]);
    expect(Math.abs(Number(link.searchParams.get('to')) - Date.now() / 1000)).toBeLessThan(120);
    const asked = nextAnswer(page, (query) => query.get('to') === String((at - 3600) * 1000));
    link.searchParams.set('to', String(at - 3600));
    await page.goto(link.href);
    const { from, to } = await asked;
    expect([Math.abs(to / 1000 - at + 3600) <= 15, Math.abs(from / 1000 - at + 7200) <= 15]).toEqual([true, true]);
    await page.getByText(/^Charts until/).waitFor();
    await momentPanel(page).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText(/^Charts until/).waitFor({ state: 'detached' });
    expect([parameterOf(page, 'to'), parameterOf(page, 'range')]).toEqual([null, '1h']);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a pinned chart is the first of the overview and on the wall, in this browser only', async () => {
    const { page, complaints, close } = await chromium.open({ token: hostler.token });
    await page.goto(`${hostler.base}/disks`);
    await page.getByRole('button', { name: 'Pin Traffic' }).click();
    await goWithin(page, '/');
    const first = page.locator('.charts > .card').first();
    await page.locator('.charts > .card[aria-label="Disk traffic"]:first-child').waitFor();
    await page.reload();
    await page.locator('.charts > .card[aria-label="Disk traffic"]:first-child').waitFor();
    await goWithin(page, '/?view=wall');
    await page.getByRole('main', { name: /^Wall view of/ }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    await until(async () => ((await page.locator('.wall .plot canvas').count()) === 1 ? true : null));
    await until(async () => (/\d %/.test(await page.locator('.wall-figures').innerText()) ? true : null));
    await page.keyboard.press('Escape');
    await first.getByRole('button', { name: 'Pin Disk traffic', pressed: true }).click();
    await page.locator('.charts > .card[aria-label="Processor"]:first-child').waitFor();
    expect(await page.evaluate('localStorage.getItem("hostler-pinned-charts")')).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  test('live values that come late continue the record without a gap', async () => {
    const { page, close } = await chromium.open({ token: hostler.token });
    await page.route('**/api/history?*', (route) => route.fulfill({ json: steadyDisk() }));
    // The first reading arrives after the record, and a rate is known from the second one on.
    await page.routeWebSocket(/\/api\/websocket/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => void setTimeout(() => socket.send(message), 5000));
    });
    await page.goto(`${hostler.base}/`);
    const card = cardOf(page, 'Disk traffic');
    await card.locator('canvas').waitFor();
    // The record has a rate of 1 MB/s; what follows is live.
    await until(async () => (/1\.00 MB\/s/.test(await card.locator('.legend').innerText()) ? null : true));
    await until(async () => ((await inkedShare(page, 'Disk traffic')) > 0.97 ? true : null), 15_000);
    await close();
  });

  test('the wall, a comparison and pins are accessible', async () => {
    const { page, close } = await chromium.open({ token: hostler.token, bypassCSP: true, reducedMotion: 'reduce' });
    await page.goto(`${hostler.base}/?range=24h&compare=day`);
    await cardOf(page, 'Memory').getByText('fainter: a day earlier').waitFor();
    await cardOf(page, 'Memory').getByRole('button', { name: 'Pin Memory' }).click();
    await page.evaluate(axe);
    expect(await barriersIn(page, usualSchemes)).toEqual([]);
    await goWithin(page, '/?view=wall');
    await page.locator('.wall .plot canvas').waitFor();
    expect(await barriersIn(page, usualSchemes)).toEqual([]);
    await close();
  });

  test('on paper there is no navigation, and a dark page is light', async () => {
    const { page, close } = await chromium.open({ token: hostler.token, colorScheme: 'dark' });
    await page.goto(`${hostler.base}/?range=1h`);
    await cardOf(page, 'Memory').getByRole('button', { name: /^Peak/ }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Sign out' }).first().isVisible()).toBe(false);
    expect(await cardOf(page, 'Memory').isVisible()).toBe(true);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".card")).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    );
    await close();
  });
});

describe.skipIf(!needs('chromium'))('charts on the first day', () => {
  test('the longest range shows a record of minutes, and when it begins', async () => {
    const chromium = await launchBrowser();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
    await recordPast(directory, { lastMs: 40 * 60_000 });
    await using hostler = await startHostler({ directory });
    const { page, close } = await chromium.open({ token: hostler.token });
    for (const id of ['30d', '7d']) {
      if (id === '30d') await page.goto(`${hostler.base}/?range=${id}`);
      else await goWithin(page, `/?range=${id}`);
      const card = cardOf(page, 'Processor');
      await card.getByText(/no data before \d\d:\d\d · mean/).waitFor();
      expect(await inkedShare(page, 'Processor')).toBeGreaterThan(0.8);
    }
    await close();
    await chromium.close();
  });
});

/** Share of the columns of a plot with a coloured pixel: grid and axes are grey. */
async function inkedShare(page: Page, card: string): Promise<number> {
  const share = await page.evaluate(`(() => {
    const canvas = document.querySelector('[aria-label="${card}"] .plot canvas');
    if (canvas === null) return 0;
    const over = canvas.parentElement.querySelector('.u-over');
    const [left, width] = [over.offsetLeft, over.offsetWidth].map((size) => Math.round(size * devicePixelRatio));
    const { data } = canvas.getContext('2d').getImageData(left, 0, width, canvas.height);
    const inked = new Set();
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue, alpha] = data.subarray(at, at + 4);
      if (alpha > 128 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) inked.add((at / 4) % width);
    }
    return inked.size / width;
  })()`);
  return Number(share);
}

/** What the page was answered last, by range. */
function lastAnswers(page: Page): Map<string, Answer> {
  const answers = new Map<string, Answer>();
  page.on('response', (response) => {
    const { pathname, searchParams } = new URL(response.url());
    const last = searchParams.get('last');
    if (pathname !== '/api/history' || last === null || searchParams.has('step')) return;
    void response.json().then((answer) => answers.set(last, answer));
  });
  return answers;
}

/** The last minutes of a disk that was always equally busy. */
function steadyDisk(): object {
  const to = Math.floor(Date.now() / 15_000) * 15_000;
  const mean = Array.from({ length: 24 }, () => 1e6);
  const series = ['disk.read', 'disk.written'].map((name) => ({
    name,
    unit: 'bytes_per_second',
    description: '',
    ...{ mean, least: mean, most: mean, peak: { at: to, value: 1e6 } },
  }));
  return { from: to - 24 * 15_000, to, step: 15, recording: true, series, processes: [], events: [], names: [] };
}

/** The next answer to a query of the charts. */
async function nextAnswer(page: Page, isWanted: (query: URLSearchParams) => boolean): Promise<Answer> {
  const response = await page.waitForResponse(
    (each) => each.url().includes('/api/history?') && isWanted(new URL(each.url()).searchParams),
    { timeout: 120_000 },
  );
  return (await response.json()) as Answer;
}

function expectedOf(
  answer: Answer | undefined,
  names: readonly string[],
  format: (value: number | null | undefined) => string,
): string[] | null {
  const shown = answer?.series.filter(({ name }) => names.includes(name)) ?? [];
  if (shown.length === 0) return null;
  const most = Math.max(...shown.flatMap((series) => series.most.map((value) => value ?? 0)));
  const last = shown[0]?.mean.findLastIndex((value) => value !== null) ?? -1;
  return [`Peak ${format(most)} at`, 'mean', ...shown.map(({ mean }) => format(mean[last]))];
}
