import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import type { AsyncApi } from '../../../src/transports/ws/asyncapi.ts';
import { launchChromium } from '../harness/chromium.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, startHostler } from '../harness/service.ts';

describe.skipIf(!needs('chromium'))('the page with the API documents, in a browser', () => {
  let hostler: RunningHostler;
  let browser: Browser;
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-browser-'));

  beforeAll(async () => {
    hostler = await startHostler();
    browser = await launchChromium(profile);
  });
  afterAll(async () => {
    await browser?.close();
    await hostler?.stop();
    fs.rmSync(profile, { recursive: true, force: true });
  });

  test('shows every operation and event, contacts only this service, and violates no content security policy', async () => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    const asked = new Set<string>();
    const complaints: string[] = [];
    page.on('request', (request) => asked.add(new URL(request.url()).host));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => void complaints.push(error.message));
    await page.goto(`${hostler.base}/api/docs`);
    const document = (await (await hostler.get('/api/openapi.json', {})).json()) as { paths: Record<string, object> };
    const operations = Object.values(document.paths).reduce((count, methods) => count + Object.keys(methods).length, 0);
    const { operations: exchanges } = (await (await hostler.get('/api/asyncapi.json', {})).json()) as AsyncApi;
    const events = Object.values(exchanges).filter(({ reply }) => reply !== undefined).length;
    expect(events).toBeGreaterThan(20);
    expect(await page.locator('details').count()).toBe(operations + events);
    await page.locator('summary', { hasText: '/api/data/memory' }).click();
    expect(await page.locator('details[open] td', { hasText: 'virtual.available' }).isVisible()).toBe(true);
    await page.locator('summary', { hasText: 'POWER_SLEEP→' }).click();
    const sleep = page.locator('#POWER_SLEEP[open]');
    expect(await sleep.locator('summary').innerText()).toContain('POWER_SLEEPING');
    expect(await sleep.locator('td code').allInnerTexts()).toEqual(['delay', 'at', 'force', 'action', 'at']);
    expect([...asked]).toEqual([`127.0.0.1:${hostler.port}`]);
    // The browser requests an icon, which does not exist yet.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: path.join(process.env.SCREENSHOTS, 'docs.png'), fullPage: true });
    await page.close();
  });

  test('fits a phone without scrolling sideways', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(`${hostler.base}/api/docs`);
    await page.locator('summary', { hasText: '/api/data/system' }).click();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: path.join(process.env.SCREENSHOTS, 'docs-phone.png') });
    await page.close();
  });
});
