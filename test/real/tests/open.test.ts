import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { until } from '../../harness/until.ts';
import { createRecorder, type Recorder } from '../harness/desktop.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { type RunningHostler, root, runHostler, startHostler } from '../harness/service.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(120_000);

describe.skipIf(!needs('Xvfb', 'xdg-open', 'xdg-mime'))('opening with a real xdg-open', () => {
  let x11: PrivateX11;
  let hostler: RunningHostler;
  let client: SocketClient;
  let recorder: Recorder;
  let home: string;
  let variables: Record<string, string>;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    // The display is all that a service in a session is told.
    variables = { DISPLAY: x11.display(), XDG_DATA_DIRS: '/usr/share' };
    hostler = await startHostler({
      env: variables,
      prepare(directory) {
        home = path.join(directory, 'home');
        recorder = createRecorder(home);
        fs.mkdirSync(path.join(home, 'Music'));
        fs.writeFileSync(path.join(home, 'Music', "a song's $(name) & more.txt"), 'la');
        fs.writeFileSync(path.join(home, 'Music', 'run.desktop'), '[Desktop Entry]');
      },
    });
    client = await connectSocket(hostler);
  });
  afterAll(async () => {
    client?.end();
    await hostler?.stop();
    await x11?.remove();
  });

  test.each([
    ['https://example.test/?a=1&b=$(id)#c'],
    ['http://example.test/it%27s?q=%22x%22'],
    ['mailto:ann@example.test?subject=Hi'],
  ])('%s reaches the program for it, letter for letter', async (url) => {
    expect(await client.ask('OPEN', { url })).toMatchObject({ type: 'OPENED', data: { url, path: null } });
    await until(() => recorder.opened().includes(url), 'the recorder has it');
  });

  test('files and directories reach theirs', async () => {
    for (const name of ['Music', "Music/a song's $(name) & more.txt"]) {
      const file = path.join(home, name);
      expect(await client.ask('OPEN', { path: file })).toMatchObject({
        type: 'OPENED',
        data: { url: null, path: file },
      });
      // Which of the two forms it gets is for the handler's %u to say.
      const forms = [file, `file://${file}`];
      await until(() => recorder.opened().some((line) => forms.includes(decoded(line))), `the recorder has ${name}`);
    }
  });

  test('what is refused reaches nobody', async () => {
    const before = recorder.opened();
    expect(await client.ask('OPEN', {})).toMatchObject({ type: 'ERROR', subtype: 'MISSING_PATH_URL' });
    for (const data of [
      { url: 'file:///etc/passwd' },
      { path: '/etc/passwd' },
      { path: path.join(home, 'Music', 'run.desktop') },
      { path: path.join(home, 'recorder.sh') },
      { url: 'mailto:a@example.test?attach=/etc/passwd' },
    ]) {
      expect(await client.ask('OPEN', data)).toMatchObject({ type: 'ERROR', subtype: 'BAD_PATH' });
    }
    expect(recorder.opened()).toEqual(before);
  });

  test('"hostler open" opens the dashboard with a code that works once, and prints the address without it', async () => {
    const { code, stdout } = await runHostler(['open'], { directory: hostler.directory, env: variables });
    expect([code, stdout]).toEqual([0, `The dashboard is open in the browser: ${hostler.base}/\n`]);
    const pattern = new RegExp(`^${hostler.base}/#code=(.+)$`);
    await until(() => recorder.opened().some((line) => pattern.test(line)), 'the recorder has the address');
    const opened = recorder.opened().flatMap((line) => pattern.exec(line)?.[1] ?? []);
    const redeem = () =>
      fetch(`${hostler.base}/api/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ code: opened.at(-1) }),
      });
    const signedIn = (await (await redeem()).json()) as { token: string; session: { token: string } };
    expect(signedIn.session.token).toBe('main');
    expect(signedIn.token).not.toBe(hostler.token);
    expect((await hostler.get('/api/modules', { 'X-API-Token': signedIn.token })).status).toBe(200);
    expect((await redeem()).status).toBe(401);
  });

  test('"hostler open --print" opens nothing and prints all of it', async () => {
    const before = recorder.opened();
    const { code, stdout } = await runHostler(['open', '--print'], { directory: hostler.directory, env: variables });
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${hostler.base}/#code=[\\w-]{32}\\n$`))]);
    expect(recorder.opened()).toEqual(before);
  });

  const hasPage = () => fs.existsSync(path.join(root, 'dist', 'web.pack')) && needs('chromium');
  test.skipIf(!hasPage())('the page that it opens is signed in, and the code is gone from its address', async () => {
    const { stdout } = await runHostler(['open', '--print'], { directory: hostler.directory, env: variables });
    const browser = await chromium.launch({
      executablePath: findProgram('chromium') ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(stdout.trim());
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(hostler.token);
      expect(page.url()).not.toContain('code');
    } finally {
      await browser.close();
    }
  });

  test('without a session, without a service: a sentence says what to do', async () => {
    const nowhere = await runHostler(['open'], { directory: hostler.directory });
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain('no desktop session');
    expect(nowhere.stderr).toContain('hostler open --print');
    const stopped = await runHostler(['open'], { env: variables });
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('The service does not run') });
    fs.rmSync(stopped.directory, { recursive: true });
  });
});

function decoded(line: string): string {
  try {
    return decodeURIComponent(line);
  } catch {
    return line;
  }
}
