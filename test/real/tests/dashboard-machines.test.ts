// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { goWithin, launchBrowser, type RunningBrowser, shownData } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { pretendService } from '../harness/pretended-service.ts';
import { checkMachine, recordedMachines } from '../harness/recorded-machines.ts';
import { until } from '../harness/service.ts';

setDefaultTimeout(600_000);

const views = [
  '/',
  '/processes',
  '/processes?as=tree',
  '/network',
  '/disks',
  '/sensors',
  '/graphics',
  '/session',
  '/bluetooth',
  '/displays',
  '/media',
  '/updates',
  '/custom',
];

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 2560, height: 1440 },
] as const;

describe.skipIf(!needs('chromium'))('the dashboard of a recorded machine', () => {
  let chromium: RunningBrowser;
  beforeAll(async () => {
    chromium = await launchBrowser();
  });
  afterAll(async () => {
    await chromium?.close();
  });

  /** Nothing is wider than the window, as soon as the charts have been resized. */
  const fits = async (page: Page, view: string, width: number) => {
    let wide: unknown;
    await until(async () => {
      wide = await page.evaluate('document.documentElement.scrollWidth');
      return wide === width ? true : null;
    }, 10_000).catch(() => {});
    expect({ view, width, wide }).toEqual({ view, width, wide: width });
  };

  test.each(Object.entries(recordedMachines))(
    '%s: every view fits, and shows no placeholder values',
    async (_name, make) => {
      const machine = make();
      await checkMachine(machine);
      await using service = pretendService(machine);
      const { page, complaints, close } = await chromium.open({ token: 'any', viewport: sizes[0] });
      await page.goto(`${service.base}/`);
      for (const view of views) {
        await goWithin(page, view);
        for (const size of sizes) {
          await page.setViewportSize(size);
          expect(await shownData(page)).not.toMatch(/undefined|NaN|\[object|Infinity/);
          await fits(page, view, size.width);
        }
      }
      expect(complaints).toEqual([]);
      await close();
    },
  );

  const open = async (name: string, view: string) => {
    const service = pretendService(recordedMachines[name]?.() ?? {});
    const { page, close } = await chromium.open({ token: 'any' });
    await page.goto(`${service.base}${view}`);
    await shownData(page);
    return {
      page,
      async [Symbol.asyncDispose]() {
        await close();
        await service[Symbol.asyncDispose]();
      },
    };
  };

  test('two graphics cards of different vendors have a card each', async () => {
    await using machine = await open('desktop with two GPUs', '/graphics');
    const { gpus } = recordedMachines['desktop with two GPUs']?.() ?? {};
    const titles = await machine.page.locator('.cards .card .card-head h2').allInnerTexts();
    expect(titles).toHaveLength(1 + (Array.isArray(gpus) ? gpus.length : 0));
    expect(titles).toEqual(['Load', '1: AMD Radeon RX 6800/6800 XT / 6900 XT', '2: NVIDIA GeForce RTX 4090']);
    expect(await machine.page.locator('main').innerText()).toMatch(
      /Radeon[\s\S]*(GeForce|RTX|NVIDIA)|(GeForce|RTX|NVIDIA)[\s\S]*Radeon/,
    );
  });

  test('the processes on a graphics card are listed where the driver reports them, with a link to the process', async () => {
    await using machine = await open('desktop with two GPUs', '/graphics');
    const card = (name: string) => machine.page.getByRole('region', { name }).locator('table tr');
    // Load and memory of each process, or its memory only.
    const cells = async (name: string) => (await card(name).allInnerTexts()).map((row) => row.split(/\s*\t\s*/));
    expect(await cells('1: AMD Radeon RX 6800/6800 XT / 6900 XT')).toEqual([
      ['Process', 'GPU', 'Memory'],
      ['game', '0.0 %', '520 MiB'],
      ['Process 1822', '0.0 %', '160 MiB'],
    ]);
    expect((await cells('2: NVIDIA GeForce RTX 4090')).slice(0, 3)).toEqual([
      ['Process', 'GPU', 'Memory'],
      ['python3', '88.0 %', '6.84 GiB'],
      ['Xorg', '3.0 %', '400 MiB'],
    ]);
    expect(await machine.page.getByRole('link', { name: 'python3' }).getAttribute('href')).toContain('pid=5120');
  });

  test('a wireless interface shows its network and its signal', async () => {
    await using machine = await open('laptop', '/network');
    const card = machine.page.getByRole('region', { name: 'wlp0s20f3' });
    expect(await card.innerText()).toMatch(
      /<b>Attic<\/b>\s+-61 dBm\s+WPA2 · 5 GHz, channel 36 · 1201 Mbit\/s in, 867 Mbit\/s out/,
    );
    expect(await card.locator('meter').getAttribute('value')).toBe('78');
  });

  test('every player has its artwork and its button', async () => {
    await using machine = await open('desktop with two GPUs', '/media');
    const players = machine.page.locator('.players li');
    expect(await players.count()).toBe(3);
    const loaded = await machine.page.evaluate(
      "[...document.querySelectorAll('.players img')].map(({ complete, naturalWidth }) => complete && naturalWidth > 0)",
    );
    expect(loaded).toEqual([true, true]);
    await machine.page.getByRole('button', { name: 'Play or pause VLC' }).waitFor();
  });

  test('forty disks are all listed, and the overview shows the important ones', async () => {
    await using machine = await open('server with 40 disks', '/disks');
    expect(await machine.page.locator('.cards .card').count()).toBeGreaterThan(40);
    await machine.page.getByRole('link', { name: 'Overview' }).click();
    const rows = machine.page.getByRole('region', { name: 'Disk traffic' }).locator('.rows > *');
    await until(async () => ((await rows.count()) > 0 ? true : null));
    expect(await rows.count()).toBeLessThan(8);
  });

  test('128 cores are a heat map that names the core under the mouse', async () => {
    await using machine = await open('128 cores and 1,000 processes', '/');
    const map = machine.page.getByRole('img', { name: 'Heat map of 128 cores' });
    await map.waitFor();
    await until(async () => {
      await map.hover({ position: { x: 5, y: 5 } });
      return /Core \d+: \d+ %/.test(await machine.page.getByRole('region', { name: 'Processor' }).innerText()) || null;
    });
  });

  test('a thousand processes are a list or a tree, with the chosen columns, also after a reload', async () => {
    await using machine = await open('128 cores and 1,000 processes', '/processes');
    const { page } = machine;
    const rows = page.locator('.grid tbody tr:not(.space)');
    await page.getByText('1000', { exact: true }).first().waitFor();
    expect(await rows.count()).toBeLessThan(100);
    expect(await page.locator('.grid img').count()).toBe(0);
    await page.getByRole('button', { name: 'Tree' }).click();
    await page.getByRole('button', { name: /: 999 below it$/ }).click();
    await until(async () => ((await rows.count()) === 1 ? true : null));
    await page.getByRole('button', { name: /: 999 below it$/ }).click();
    await until(async () => ((await rows.count()) > 10 ? true : null));
    // A branch is found with its parents.
    await page.getByRole('searchbox').fill('onerror');
    await until(async () => ((await rows.count()) < 5 ? true : null));
    expect(await rows.first().innerText()).toContain('program-0');
    await page.getByText('Columns', { exact: true }).click();
    await page.getByLabel('User', { exact: true }).uncheck();
    await page.getByLabel('Parent PID').check();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Parent PID' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'User' }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('as')).toBe('tree');
  });

  test('a scheduled power action counts down above every view, and is cancelled there', async () => {
    await using machine = await open('laptop', '/disks');
    const { page } = machine;
    const at = new Date(Date.now() + 90_000).toISOString();
    await page.route('**/api/power/pending', (route) =>
      route.fulfill({ json: { pending: { action: 'restart', at, token: '<b>phone</b>' } } }),
    );
    await page.reload();
    const note = page.getByRole('region', { name: 'Pending order' });
    await note.getByText(/Restart in 1:[012]\d/).waitFor();
    await note.getByText('<b>phone</b>').waitFor();
    await note.getByRole('timer').waitFor();
    await page.getByRole('link', { name: 'Network' }).click();
    await note.getByRole('button', { name: 'Cancel' }).waitFor();
  });

  test('a machine without data has no cards for missing parts', async () => {
    await using machine = await open('nothing at all', '/');
    const text = await machine.page.locator('main').innerText();
    expect(text).not.toMatch(/Temperatures|Graphics|Battery/);
    expect(await machine.page.locator('.charts .card').count()).toBe(0);
    await machine.page.getByText('Not on this machine: system, processor, memory').waitFor();
    await machine.page.goto(machine.page.url().replace(/\/$/, '/graphics'));
    await machine.page.getByText('This machine has no gpus').waitFor();
  });
});
