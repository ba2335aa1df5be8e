import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { goWithin, launchBrowser, type RunningBrowser, storedByPage } from '../harness/dashboard-browser.ts';
import { prepareDashboard, silence } from '../harness/dashboard-home.ts';
import { heading, settled, viewsOf } from '../harness/dashboard-views.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { createPrivatePlayers, type PrivatePlayers } from '../harness/players.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

const hostileName = '"><script>';

const text = async (page: Page, selector = 'main') => await page.locator(selector).innerText();

describe.skipIf(!needs('chromium'))('the dashboard', () => {
  let hostler: RunningHostler;
  let chromium: RunningBrowser;
  let hostile: ChildProcess;

  beforeAll(async () => {
    chromium = await launchBrowser();
    hostler = await startHostler({ prepare: prepareDashboard });
    const program = path.join(hostler.directory, hostileName);
    fs.copyFileSync(findProgram('sleep') ?? '', program);
    fs.chmodSync(program, 0o755);
    hostile = spawn(program, ['3600'], { stdio: 'ignore' });
  });
  afterAll(async () => {
    hostile?.kill('SIGKILL');
    await chromium?.close();
    await hostler?.stop('SIGKILL');
  });

  const signedIn = async (options = {}) => await chromium.open({ token: hostler.token, ...options });
  const url = (route: string) => `${hostler.base}${route}`;

  describe('signing in', () => {
    test('a wrong token is refused with a message, the right one opens the page, and signing out forgets it', async () => {
      const { page, close } = await chromium.open();
      await page.goto(url('/disks'));
      await page.getByLabel('Token').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: /token/i }).waitFor();
      await page.getByLabel('Token').fill(hostler.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await heading(page, 'Disks');
      expect(await page.evaluate(storedByPage)).toMatch(/^browser-[0-9a-f]{12}$/);
      expect(await page.context().cookies()).toEqual([]);
      await page.reload();
      await heading(page, 'Disks');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token').waitFor();
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      await page.reload();
      await page.getByLabel('Token').waitFor();
      await close();
    });

    test('the code that "hostler open --print" shows signs in once', async () => {
      const { code, stdout } = await runHostler(['open', '--print'], { directory: hostler.directory });
      expect(code).toBe(0);
      const oneTime = /code (\S+)/.exec(stdout)?.[1] ?? '';
      const enter = async (page: Page) => {
        await page.goto(url('/'));
        await page.getByLabel('Token').fill(oneTime);
        await page.getByRole('button', { name: 'Sign in' }).click();
      };
      const first = await chromium.open();
      await enter(first.page);
      await heading(first.page, 'Overview');
      await first.close();
      const second = await chromium.open();
      await enter(second.page);
      await second.page.getByRole('alert').filter({ hasText: /code/i }).waitFor();
      await second.close();
    });

    test('a token that is revoked while the page is open leads back to the sign-in, with the reason', async () => {
      const made = await fetch(url('/api/tokens'), {
        method: 'POST',
        headers: { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'visitor', scopes: ['read'] }),
      });
      const { id, token } = (await made.json()) as { id: string; token: string };
      const { page, close } = await chromium.open({ token });
      await page.goto(url('/power'));
      // It has the read scope only, and the page says so once for all buttons.
      await page.getByText('The token you signed in with lacks the scope').first().waitFor();
      const revoked = await fetch(url('/api/tokens'), {
        method: 'DELETE',
        headers: { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' },
        body: JSON.stringify({ id }),
      });
      expect(revoked.status).toBe(200);
      await page.getByLabel('Token').waitFor();
      await page.getByRole('alert').filter({ hasText: /token/i }).waitFor();
      await close();
    });
  });

  describe('every view', () => {
    test('has an address, shows real data, fits a phone, and violates no content security policy', async () => {
      const { page, complaints, asked, close } = await signedIn();
      await page.goto(url('/'));
      const views = await viewsOf(page);
      expect(views.length).toBeGreaterThanOrEqual(14);
      // The next test draws every view on a large screen.
      await page.setViewportSize({ width: 360, height: 740 });
      for (const [address, title] of views) {
        // The address opens the page; the view is then opened within the page that is loaded already.
        expect((await hostler.get(address)).headers.get('Content-Type')).toContain('text/html');
        await goWithin(page, address);
        const shown = await settled(page, title);
        expect(shown).not.toMatch(/\b(NaN|undefined|null|Infinity)\b|\[object/);
        expect([title, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([title, 360]);
        expect(await page.title()).toStartWith(`${title} · `);
      }
      expect(complaints).toEqual([]);
      expect([...asked]).toEqual([`127.0.0.1:${hostler.port}`]);
      await page.goto(url('/nowhere'));
      await page.getByText('There is no such page').waitFor();
      await close();
    });

    test('shows the reason where there is no value, instead of a zero', async () => {
      const empty = path.join(hostler.directory, 'empty');
      fs.mkdirSync(empty);
      await using bare = await startHostler({ env: { HOSTLER_ROOT: empty } });
      const { page, complaints, close } = await chromium.open({ token: bare.token });
      await page.goto(`${bare.base}/`);
      const reasons: Record<string, RegExp> = {
        Overview: /HOSTLER_SYS/,
        Processes: /HOSTLER_PROC/,
        Media: /There is no session bus/,
        Chat: /hostler chat setup/,
        Commands: /No command is allowed yet/,
        // For all of its buttons together.
        Power: /^(?!.*system bus.*system bus).*system bus/s,
      };
      for (const [address, title] of await viewsOf(page)) {
        await goWithin(page, address);
        await settled(page, title);
        const shown = await until(async () => {
          const all = await text(page);
          return reasons[title]?.test(all) === false ? null : all;
        });
        expect(shown).not.toMatch(/\b(NaN|undefined|null|Infinity)\b|\[object/);
      }
      expect(complaints).toEqual([]);
      await close();
      await bare.stop('SIGKILL');
    });
  });

  test('foreign names are text: a process and a file named like a script run nothing', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/processes'));
    await page.getByLabel('Filter').fill(String(hostile.pid));
    await page.getByRole('cell', { name: hostileName, exact: true }).waitFor();
    await page.goto(url('/files/pictures'));
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>.png' }).click();
    await page.getByRole('figure').getByText('<img src=x onerror=alert(1)>.png').waitFor();
    await page.locator('main img').first().waitFor();
    expect(await page.locator('main img').count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('by keyboard alone: from the sign-in to a sorted list, and the focus follows', async () => {
    const { page, close } = await chromium.open({ reducedMotion: 'reduce' });
    await page.goto(url('/'));
    // The field has the focus.
    await page.getByLabel('Token').waitFor();
    await page.keyboard.type(hostler.token);
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    await page.locator('.skip').focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Processes');
    await page.keyboard.press('Enter');
    await settled(page, 'Processes');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('Tab');
    await page.keyboard.type(String(hostile.pid));
    await until(async () => ((await page.locator('tbody tr:not(.space)').count()) === 1 ? true : null));
    await page.getByRole('button', { name: 'PID' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('columnheader', { name: 'PID' }).getAttribute('aria-sort')).toBe('descending');
    await page.goBack();
    await heading(page, 'Overview');
    await close();
  });

  test('charts show the value under the mouse, and the newest otherwise', async () => {
    const { page, close } = await signedIn();
    await page.goto(url('/'));
    const card = page.getByRole('region', { name: 'Processor' });
    const legend = card.locator('.legend');
    await until(async () => (/Usage\s*\d+ %/.test(await legend.innerText()) ? true : null));
    const time = card.locator('.under-chart .time');
    expect(await time.innerText()).toBe('');
    await until(async () => {
      const box = await card.locator('.u-over').boundingBox();
      if (box === null) return null;
      await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
      return /^\d\d:\d\d:\d\d$/.test(await time.innerText()) ? true : null;
    });
    await until(async () => (/Usage\s*\d+ %/.test(await legend.innerText()) ? true : null));
    await page.mouse.move(0, 0);
    await until(async () => ((await time.innerText()) === '' ? true : null));
    await close();
  });

  test('when the service stops the page says so, and it reconnects when the service returns', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/processes'));
    await settled(page, 'Processes');
    process.kill(hostler.pid, 'SIGKILL');
    await page.getByRole('alert').filter({ hasText: 'The connection to the service was lost.' }).waitFor();
    await page.getByText(/The data shown is \d+ s old/).waitFor();
    const { directory, port } = hostler;
    hostler = await startHostler({ directory, args: ['--port', String(port)] });
    await page.getByText('The connection to the service was lost.').waitFor({ state: 'detached' });
    // Data now comes from the new service: it lists itself with its new PID.
    await page.getByLabel('Filter').fill(String(hostler.pid));
    await until(async () => ((await page.locator('tbody tr:not(.space)').count()) > 0 ? true : null));
    expect(complaints.filter((complaint) => /policy|Uncaught/.test(complaint))).toEqual([]);
    await close();
  });

  test('a command streams its output, then shows its exit code', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/commands'));
    const card = page.getByRole('region', { name: 'Two steps' });
    await card.getByRole('button', { name: 'Run' }).click();
    // The card also shows the command line, truncated: the words are in that, too.
    const output = card.getByRole('log');
    await output.filter({ hasText: 'first step' }).waitFor();
    expect(await card.getByRole('button').innerText()).toBe('Running…');
    // It continues while another view is open.
    await page.getByRole('link', { name: 'Disks' }).click();
    await settled(page, 'Disks');
    fs.writeFileSync(path.join(hostler.directory, 'go'), '');
    await page.getByRole('link', { name: 'Commands' }).click();
    await card.getByText('Exited with code 3').waitFor();
    await output.filter({ hasText: 'second step' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a file has an address, plays, and is seeked with range requests', async () => {
    const { page, complaints, close } = await signedIn();
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/media/file/')) statuses.push(response.status());
    });
    await page.goto(url('/files/music/a%20band/long%23tone.wav'));
    const audio = page.locator('audio');
    await audio.waitFor();
    const state = async () =>
      (await page.evaluate(
        "(() => { const { currentTime, duration, paused, seeking } = document.querySelector('audio'); return { currentTime, duration, paused, seeking }; })()",
      )) as { currentTime: number; duration: number; paused: boolean; seeking: boolean };
    await page.evaluate(
      "void (async () => { const a = document.querySelector('audio'); a.muted = true; await a.play(); })()",
    );
    await until(async () => ((await state()).currentTime > 0 ? true : null));
    expect((await state()).duration).toBeCloseTo(600, 0);
    await page.evaluate("document.querySelector('audio').currentTime = 550");
    await until(async () => {
      const { currentTime, seeking, paused } = await state();
      return currentTime > 550 && !seeking && !paused ? true : null;
    });
    expect(statuses).toContain(206);
    await page.getByRole('link', { name: 'a band' }).click();
    expect(page.url()).toBe(url('/files/music/a%20band'));
    await page.getByRole('link', { name: 'long#tone.wav' }).waitFor();
    await page.goto(url('/files/pictures/nothing.png'));
    await page
      .getByRole('alert')
      .filter({ hasText: /no such file/ })
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('settings are checked by their schema and saved to the file', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/settings?group=readings'));
    const interval = page.getByLabel('cpu', { exact: true });
    expect(await interval.inputValue()).toBe('15 s');
    await interval.fill('10 ms');
    await page.getByText('One entry is not valid').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await interval.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Enter a time from 250 ms to 1 d').waitFor();
    await interval.fill('1.5 s');
    await goWithin(page, '/settings?group=actions');
    await page.getByRole('group', { name: 'Additional directories' }).getByRole('button', { name: 'Add' }).click();
    await page.locator('[id="setting-media.directories.0.name"]').fill('records');
    await page.locator('[id="setting-media.directories.0.path"]').fill(hostler.directory);
    await goWithin(page, '/settings?group=general');
    await page.getByLabel('Log level').selectOption('WARN');
    await goWithin(page, '/settings?group=access');
    // This one can only be changed in the file.
    expect(await page.locator('[id="setting-security.remoteAdmin"]').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings were saved.').waitFor();
    const file = JSON.parse(fs.readFileSync(path.join(hostler.directory, 'config', 'settings.json'), 'utf8'));
    expect(file).toMatchObject({
      logLevel: 'WARN',
      modules: { cpu: { interval: 1500 } },
      media: { directories: [{ name: 'records', path: hostler.directory }] },
      commands: { allowlist: [{ id: 'two' }] },
    });
    await goWithin(page, '/settings?group=actions');
    await page.getByRole('button', { name: 'Remove records' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await until(() =>
      fs.readFileSync(path.join(hostler.directory, 'config', 'settings.json'), 'utf8').includes('records')
        ? null
        : true,
    );
    expect(complaints).toEqual([]);
    await close();
  });

  test('tokens are created with scopes, shown once, and revoked after a confirmation', async () => {
    const { page, complaints, close } = await signedIn();
    await page.goto(url('/access'));
    await page.getByLabel('Client name').fill('a lamp');
    await page.getByText('Choose one by one').click();
    await page.getByLabel(/^media/).check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = await page.locator('.secret').innerText();
    const headers = { 'X-API-Token': secret };
    expect((await hostler.get('/api/modules', headers)).status).toBe(200);
    const row = page.getByRole('row', { name: /a lamp/ });
    expect(await row.innerText()).toContain('Read and control media and volume');
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByText('a lamp').first().waitFor();
    await page.keyboard.press('Escape');
    expect((await hostler.get('/api/modules', headers)).status).toBe(200);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await hostler.get('/api/modules', headers)).status).toBe(401);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe.skipIf(!needs('chromium', 'dbus-daemon', 'mpv', 'sox', 'flac', 'playerctl'))(
  'the dashboard and a real player',
  () => {
    let hostler: RunningHostler;
    let chromium: RunningBrowser;
    let players: PrivatePlayers;
    const title = '<img src=x onerror=alert(1)>';

    beforeAll(async () => {
      players = createPrivatePlayers();
      await players.bus.start();
      chromium = await launchBrowser();
      hostler = await startHostler({ env: { DBUS_SESSION_BUS_ADDRESS: players.bus.address } });
    });
    afterAll(async () => {
      await chromium?.close();
      await hostler?.stop('SIGKILL');
      await players?.remove();
    });

    test('is shown when it starts, is paused, seeked and made quieter from the page, and its title is text', async () => {
      const { page, complaints, close } = await chromium.open({ token: hostler.token });
      await page.goto(`${hostler.base}/media`);
      await page.getByText('Nothing is playing').waitFor();
      const untagged = path.join(players.directory, 'untagged.wav');
      fs.writeFileSync(untagged, silence(120));
      players.mpv(`--force-media-title=${title}`, untagged);
      await page.getByText(title, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      expect(players.playerctl('status')).toBe('Paused');
      await page.getByLabel('Position').fill('77');
      await until(() => (Math.abs(Number(players.playerctl('position')) - 77) < 2 ? true : null));
      await page.getByText(/1:1[678] of 2:00/).waitFor();
      await page.getByLabel('Volume').fill('40');
      await until(() => (Math.abs(Number(players.playerctl('volume')) - 0.4) < 0.01 ? true : null));
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await until(() => (players.playerctl('status') === 'Playing' ? true : null));
      // It advances while playing.
      await page.getByText(/1:(19|[2-5]\d) of 2:00/).waitFor();
      expect(complaints).toEqual([]);
      await close();
    });
  },
);
