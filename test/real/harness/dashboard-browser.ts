import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { root, until } from './service.ts';

export interface RunningBrowser {
  browser: Browser;
  /** A page in a separate browser session. */
  open(options?: PageOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

export interface PageOptions extends BrowserContextOptions {
  /** Signed in with this. */
  token?: string;
}

export interface WatchedPage {
  page: Page;
  /** Errors of the page, and violations of its content security policy. */
  complaints: string[];
  /** Hosts it asked. */
  asked: Set<string>;
  close(): Promise<void>;
}

/** The Chromium of Debian with a private home, and the dashboard as it is in the tree. */
export async function launchBrowser(args: string[] = []): Promise<RunningBrowser> {
  execFileSync('node', ['-e', "import('./scripts/build-web.mjs').then((build) => build.ensureWeb())"], { cwd: root });
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-browser-'));
  const browser = await launchChromium(home, args);
  return {
    browser,
    open: (options) => openPage(browser, options),
    async close() {
      await browser.close();
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

async function openPage(browser: Browser, { token, ...options }: PageOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url())) asked.add(new URL(request.url()).host);
  });
  await page.exposeFunction('complain', (text: string) => complaints.push(text));
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => complain('policy: ' + event.effectiveDirective + ' ' + event.blockedURI))",
  );
  if (token !== undefined) signInFirst(page, token);
  return { page, complaints, asked, close: () => context.close() };
}

/** As users do: the first page requires the token. */
function signInFirst(page: Page, token: string): void {
  const open = page.goto.bind(page);
  page.goto = async (...args) => {
    page.goto = open;
    const response = await open(...args);
    await signIn(page, token);
    return response;
  };
}

export async function signIn(page: Page, token: string, { stay = true } = {}): Promise<void> {
  await page.getByLabel('Token').fill(token);
  if (stay) await page.getByLabel('Stay signed in').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The list of browsers has such buttons as well, if that view has already loaded.
  await page.getByRole('button', { name: 'Sign out' }).first().waitFor();
}

/** Opens another view of the loaded page, as its links do. */
export async function goWithin(page: Page, address: string): Promise<void> {
  const go = `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'));`;
  const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  await page.evaluate(`(() => { ${go} return ${drawn}; })()`);
}

/** The text of the view, once it has loaded its data. */
export const shownData = (page: Page): Promise<string> =>
  until(async () => {
    const text = await page.locator('main').innerText();
    return /Loading…|Waiting for the first reading/.test(text) || text.length < 10 ? null : text;
  });

/** An expression for the page: what it stores, joined, except the paths of views that this machine cannot fill. */
export const storedByPage = `Object.entries({ ...localStorage, ...sessionStorage })
  .flatMap(([key, value]) => (key === 'hostler-absent-views' ? [] : [value])).join()`;
