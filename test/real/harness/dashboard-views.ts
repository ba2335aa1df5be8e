import type { Page } from 'playwright-core';
import { until } from './service.ts';

/** Until the view with this title is open. */
export const heading = (page: Page, title: string) =>
  page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor({ state: 'attached' });

/** Address and title of every view, from the page itself. */
export async function viewsOf(page: Page): Promise<[string, string][]> {
  const links = page.locator('nav[aria-label=Views] a');
  await links.first().waitFor();
  return await Promise.all(
    (await links.all()).map(async (link): Promise<[string, string]> => {
      const title = (await link.innerText()).replace(/\s*\(not available\)/, '');
      return [(await link.getAttribute('href')) ?? '', title.trim()];
    }),
  );
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
