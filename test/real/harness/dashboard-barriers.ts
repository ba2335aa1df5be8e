import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { goWithin, launchBrowser } from './dashboard-browser.ts';
import { prepareDashboard } from './dashboard-home.ts';
import { settled, viewsOf } from './dashboard-views.ts';
import { root, startHostler } from './service.ts';

export interface Scheme {
  colorScheme: 'light' | 'dark';
  contrast: 'no-preference' | 'more';
}

export const usualSchemes: Scheme[] = [
  { colorScheme: 'light', contrast: 'no-preference' },
  { colorScheme: 'dark', contrast: 'no-preference' },
];
export const contrastSchemes: Scheme[] = [
  { colorScheme: 'light', contrast: 'more' },
  { colorScheme: 'dark', contrast: 'more' },
];

/** The accessibility problems of every view and of the sign-in. */
export async function barriersOfEveryView(schemes: Scheme[]): Promise<string[]> {
  const chromium = await launchBrowser();
  await using hostler = await startHostler({ prepare: prepareDashboard });
  // The checker adds styles, and would see colours during their transition.
  const { page, close } = await chromium.open({ token: hostler.token, bypassCSP: true, reducedMotion: 'reduce' });
  await page.goto(`${hostler.base}/`);
  const found: string[] = [];
  const views = await viewsOf(page);
  if (views.length < 14) throw new Error(`The page has ${views.length} views only`);
  await page.evaluate(axe);
  for (const [address, title] of [...views, ['/settings?group=alerts', 'Settings'] as const]) {
    await goWithin(page, address);
    await settled(page, title);
    found.push(...(await barriersIn(page, schemes)).map((barrier) => `${title}, ${barrier}`));
  }
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  found.push(...(await barriers(page)).map((barrier) => `Sign-in, ${barrier}`));
  await close();
  await chromium.close();
  return found;
}

/**
 * The accessibility problems of the current page: by all rules in the first colour scheme. In the others only colours differ, so only contrast is checked,
 * and of a very long page the beginning of each section: axe takes 10 s for 20,000 elements.
 */
export async function barriersIn(page: Page, schemes: Scheme[]): Promise<string[]> {
  const found: string[] = [];
  for (const [index, scheme] of schemes.entries()) {
    await page.emulateMedia(scheme);
    const contrast = scheme.contrast === 'more' ? 'more' : 'usual';
    await page.locator(`html[data-scheme=${scheme.colorScheme}][data-contrast=${contrast}]`).waitFor();
    if (index === 1) await page.evaluate(`void (${shorten})`);
    const here = await barriers(page, index === 0 ? {} : { runOnly: ['color-contrast'] });
    found.push(...here.map((barrier) => `${scheme.colorScheme}, ${contrast} contrast: ${barrier}`));
  }
  await page.evaluate(restore);
  return found;
}

/** Takes the rest of long sections out of a page of thousands of elements, most of them in closed details; no other page is that long. */
const shorten = `globalThis.leftOut = document.querySelectorAll('*').length < 5000 ? [] :
  [...document.querySelectorAll('main section')].flatMap((section) =>
    [...section.children].slice(8).map((child) => { child.remove(); return { section, child }; }))`;
const restore = 'for (const { section, child } of leftOut) section.append(child)';

/** What axe rates as serious or worse: rule, the first element, and why. */
export async function barriers(page: Page, options = {}): Promise<string[]> {
  const all = JSON.stringify({ resultTypes: ['violations'], ...options });
  const violations = (await page.evaluate(`axe.run(document, ${all}).then(({ violations }) => violations)`)) as {
    id: string;
    impact: string;
    nodes: { html: string; failureSummary: string }[];
  }[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes: [first] }) => `${id}: ${first?.html.slice(0, 200)} ${first?.failureSummary}`);
}

/** The accessibility checker, as a script. */
export const axe = fs.readFileSync(path.join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
