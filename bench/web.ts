/** The dashboard: bytes of the first view, time to the first live value, and what it costs while it is open. */
import path from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { launchBrowser, type RunningBrowser } from '../test/real/harness/dashboard-browser.ts';
import { until } from '../test/real/harness/service.ts';
import { median, printTable, spread, verdict } from './harness/figures.ts';
import { freePort, pause, startHostler, startProgram } from './harness/harness.ts';

const rounds = Number(process.argv[2] ?? 9);
const seconds = Number(process.argv[3] ?? 20);
const views = Number(process.argv[4] ?? 5);
const goals = { bytes: 100_000, firstMs: 500, busyMs: 30 };

const noteFirstValue = `new MutationObserver((_, observer) => {
  const figure = document.querySelector('section[aria-label=Processor] .figure');
  if (figure === null || !/\\d/.test(figure.textContent)) return;
  globalThis.firstValueAt = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, characterData: true });`;

/** The clock of the page runs 45 times as fast for twenty seconds, as the samples do: then its charts are full. */
const quarterOfAnHour = `{
  const real = Date.now.bind(Date), begin = real();
  Date.now = () => begin - 880_000 + Math.min(real() - begin, 20_000) * 44 + (real() - begin);
}`;

const browser = await launchBrowser();
if (rounds > 0) await firstView(browser);
await whileLive(browser);
await browser.close();
process.exit(0);

interface First {
  files: number;
  answers: number;
  ms: number;
}

/** With an empty cache each time, signed in before, against the real service. */
async function firstView({ open }: RunningBrowser): Promise<void> {
  const hostler = await startHostler('source');
  const figures: First[] = [];
  // The first round makes the service load what it needs, and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const { page, close } = await open({ token: hostler.token });
    // Typing the token takes its time, and is not what is measured.
    await page.goto(`http://127.0.0.1:${hostler.port}/settings`);
    await page.goto('about:blank');
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.clearBrowserCache');
    const sent = await bytesSent(cdp);
    await page.addInitScript(noteFirstValue);
    await page.goto(`http://127.0.0.1:${hostler.port}/`, { waitUntil: 'commit' });
    const ms = await until(async () => (await page.evaluate('globalThis.firstValueAt ?? null')) as number | null);
    await pause(500);
    if (round > 0) figures.push({ ...sent(), ms });
    await close();
  }
  await hostler.stop();
  const bytes = figures.map(({ files, answers }) => files + answers);
  const ms = figures.map((figure) => figure.ms);
  printTable(
    `First view, ${rounds} rounds with an empty cache, median (least-most)`,
    ['', 'figure', 'goal', 'reached'],
    [
      [
        'files of the page, bytes as sent',
        spread(
          figures.map(({ files }) => files),
          0,
        ),
        '',
        '',
      ],
      [
        'with the answers it asks for, bytes',
        spread(bytes, 0),
        `≤ ${goals.bytes}`,
        verdict(Math.max(...bytes) <= goals.bytes),
      ],
      [
        'navigation to the first live value, ms',
        spread(ms, 0),
        `≤ ${goals.firstMs}`,
        verdict(median(ms) <= goals.firstMs),
      ],
    ],
  );
}

/** Main-thread CPU of the page with 128 cores, 1,000 processes and charts of 900 samples, for each second it is open. */
async function whileLive({ open }: RunningBrowser): Promise<void> {
  const port = await freePort();
  const source = path.join(import.meta.dirname, 'web', 'machine.ts');
  const command: [string, ...string[]] = [process.execPath, '--no-env-file', '--config=/dev/null', source];
  const env = { PATH: process.env.PATH ?? '', PORT: String(port) };
  const machine = await startProgram('a large machine', command, { port, env, says: 'listening on' });
  const rows: string[][] = [];
  for (const view of ['', '?range=1h', 'processes', 'network', 'sensors'].slice(0, views)) {
    const { page, close } = await open({ token: 'any' });
    await page.addInitScript(quarterOfAnHour);
    await page.goto(`http://127.0.0.1:${port}/${view}`);
    await pause(25_000);
    const busy = await mainThreadMs(page, seconds);
    const { task, script, layout } = busy;
    rows.push([
      view === '' ? 'overview, live' : view.replace('?range=1h', 'overview, last hour'),
      (task / seconds).toFixed(1),
      (script / seconds).toFixed(1),
      (layout / seconds).toFixed(1),
      `≤ ${goals.busyMs}`,
      verdict(task / seconds <= goals.busyMs),
    ]);
    await close();
  }
  await machine.stop();
  printTable(
    `Main thread while live, 128 cores and 1,000 processes, ${seconds} s each, ms of CPU a second`,
    ['view', 'all', 'of it scripts', 'of it style and layout', 'goal', 'reached'],
    rows,
  );
}

/** Bytes over the wire, headers included: files of the page, and answers of the interface. */
async function bytesSent(cdp: CDPSession): Promise<() => { files: number; answers: number }> {
  const urls = new Map<string, string>();
  const sums = { files: 0, answers: 0 };
  cdp.on('Network.responseReceived', ({ requestId, response }) => void urls.set(requestId, response.url));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sums[urls.get(requestId)?.includes('/api/') ? 'answers' : 'files'] += encodedDataLength;
  });
  await cdp.send('Network.enable');
  return () => ({ ...sums });
}

/** By the clock of the thread: what others do on this machine does not count. */
async function mainThreadMs(page: Page, forSeconds: number): Promise<{ task: number; script: number; layout: number }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    const of = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
    return {
      task: of('TaskDuration'),
      script: of('ScriptDuration'),
      layout: of('LayoutDuration') + of('RecalcStyleDuration'),
    };
  };
  const before = await read();
  await pause(forSeconds * 1000);
  const after = await read();
  return {
    task: after.task - before.task,
    script: after.script - before.script,
    layout: after.layout - before.layout,
  };
}
