import type { Page } from 'playwright-core';
import { until } from './service.ts';

/** Until the view with this title is open. */
export const heading = (page: Page, title: string) =>
  page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor({ state: 'attached' });

/** Address and title of every view, from the page itself. */
export async function viewsOf(page: Page): Promise<[string, string][]> {
  const links = page.locator('nav[aria-label=Views] a');
  await links.first().waitFor();
  // At once: they are rearranged when the machine is known. Also those that are folded away.
  const found = await page.evaluate(
    "[...document.querySelectorAll('nav[aria-label=Views] a')].map((link) => [link.getAttribute('href'), link.textContent])",
  );
  return (found as [string, string][]).map(([address, title]) => [address, title.trim()]);
}

/** The view has loaded all its data. */
export async function settled(page: Page, title: string): Promise<string> {
  await heading(page, title);
  let shown = '';
  return await until(async () => {
    shown = await page.locator('main').innerText();
    return /Loading…|Waiting for the first reading/.test(shown) ? null : shown;
  }).catch(() => {
    throw new Error(`The view ${title} did not load: ${shown}`);
  });
}
