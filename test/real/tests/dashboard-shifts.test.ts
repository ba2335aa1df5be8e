// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { launchBrowser, type RunningBrowser, shownData } from '../harness/dashboard-browser.ts';
import { needs } from '../harness/parts.ts';
import { pretendService } from '../harness/pretended-service.ts';
import { recordedMachines } from '../harness/recorded-machines.ts';

setDefaultTimeout(600_000);

/** The cumulative layout shift since the page was opened. */
const countShifts = `globalThis.shifted = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifted.push({
    value: entry.value, of: entry.sources.map(({ node }) => node?.nodeType === 1 ? node.tagName + '.' + node.className : String(node?.textContent)).join(' ') });
}).observe({ type: 'layout-shift', buffered: true });`;

describe.skipIf(!needs('chromium'))('the dashboard of a recorded machine', () => {
  let chromium: RunningBrowser;
  beforeAll(async () => {
    chromium = await launchBrowser();
  });
  afterAll(async () => {
    await chromium?.close();
  });

  test.each(Object.entries(recordedMachines))('%s: nothing moves while the overview loads', async (_name, make) => {
    await using service = pretendService(make());
    const load = async (width: number) => {
      const { page, close } = await chromium.open({ token: 'any', viewport: { width, height: 900 } });
      await page.goto(`${service.base}/`);
      await shownData(page);
      await page.addInitScript(countShifts);
      let shifts: Shift[] = [];
      // The page waits a moment for its data: if the machine is busy in that moment, a later load has to pass.
      for (let round = 0; round < 5; round++) {
        await page.reload();
        await shownData(page);
        // Readings come every second: two of them, and later requests.
        await page.waitForTimeout(3000);
        shifts = (await page.evaluate('shifted')) as Shift[];
        if (shifts.reduce((all, { value }) => all + value, 0) < 0.005) shifts = [];
        if (shifts.length === 0) break;
      }
      await close();
      return { width, shifts };
    };
    // In parallel: most of the time they wait.
    const loads = await Promise.all([390, 1440].map(load));
    expect(loads.filter(({ shifts }) => shifts.length > 0)).toEqual([]);
  });
});

interface Shift {
  value: number;
  of: string;
}
