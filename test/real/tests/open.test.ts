// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { loginFile } from '../../../src/transports/http/routes/login-page.ts';
import { until } from '../../harness/until.ts';
import { asAnotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { createRecorder, type Recorder } from '../harness/desktop.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { postJson, type RunningHostler, root, runHostler, startHostler } from '../harness/service.ts';
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
    // The display is all that a service in a session knows.
    variables = { DISPLAY: x11.display(), XDG_DATA_DIRS: '/usr/share' };
    hostler = await startHostler({
      env: variables,
      prepare(directory) {
        home = path.join(directory, 'home');
        // A base that contains everything, including the directories of the service.
        fs.mkdirSync(path.join(directory, 'config'), { mode: 0o700 });
        const media = { directories: [{ name: 'all', path: directory }] };
        fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ media }), { mode: 0o600 });
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

  test('files of the service are not opened: neither the token nor the settings, nor through a link', async () => {
    const { directory } = hostler;
    fs.symlinkSync(path.join(directory, 'state', 'token'), path.join(directory, 'innocent.txt'));
    const before = recorder.opened();
    for (const name of ['state/token', 'state', 'config', 'config/settings.json', 'innocent.txt']) {
      expect(await client.ask('OPEN', { path: path.join(directory, name) })).toMatchObject({
        type: 'ERROR',
        subtype: 'BAD_PATH',
        message: expect.stringContaining('belongs to Hostler itself'),
      });
    }
    expect(recorder.opened()).toEqual(before);
    const listed = await client.ask('GET_FILES', { base: 'all' });
    expect((listed.data as { name: string }[]).map(({ name }) => name)).toEqual(['home', 'innocent.txt']);
  });

  test.each([
    ['https://example.test/?a=1&b=$(id)#c'],
    ['http://example.test/it%27s?q=%22x%22'],
    ['mailto:ann@example.test?subject=Hi'],
  ])('%s reaches its program unchanged', async (url) => {
    expect(await client.ask('OPEN', { url })).toMatchObject({ type: 'OPENED', data: { url, path: null } });
    await until(() => recorder.opened().includes(url), 'the recorder has it');
  });

  test('files and directories reach their programs', async () => {
    for (const name of ['Music', "Music/a song's $(name) & more.txt"]) {
      const file = path.join(home, name);
      expect(await client.ask('OPEN', { path: file })).toMatchObject({
        type: 'OPENED',
        data: { url: null, path: file },
      });
      // The %u of the handler decides which of the two forms it gets.
      const forms = [file, `file://${file}`];
      await until(() => recorder.opened().some((line) => forms.includes(decoded(line))), `the recorder has ${name}`);
    }
  });

  test('refused addresses start no program', async () => {
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

  const codeIn = (text: string) => /\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}\b/.exec(text)?.[0] ?? 'no code';
  const redeem = (code: string) => postJson(hostler, '/api/login', { code }, null);
  const openAndSee = async () => {
    const before = recorder.opened().length;
    const { code, stdout, stderr } = await runHostler(['open'], { directory: hostler.directory, env: variables });
    expect([code, stdout]).toEqual([0, `The dashboard is open in the browser: ${hostler.base}/\n`]);
    await until(() => recorder.opened().length > before, 'the recorder has the page');
    // The %u of the handler decides which of the two forms it gets.
    const file = decoded(recorder.opened().at(-1) ?? '').replace(/^file:\/\//, '');
    return { file, code: codeIn(stderr) };
  };

  test('"hostler open" opens a page that only this user can read, whose code works once; then the page is removed', async () => {
    const { file, code } = await openAndSee();
    expect(file).toStartWith(path.join(hostler.directory, 'state', 'hostler-sign-in-'));
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(file, 'utf8')).toContain(`value="${code}"`);
    const signedIn = (await (await redeem(code)).json()) as { token: string; session: { token: string } };
    expect(signedIn.session.token).toBe('main');
    expect(signedIn.token).not.toBe(hostler.token);
    expect((await hostler.get('/api/modules', { 'X-API-Token': signedIn.token })).status).toBe(200);
    expect(fs.existsSync(file)).toBe(false);
    expect((await redeem(code)).status).toBe(401);
  });

  test('the page is in the runtime directory where we own it, and in a directory that snaps can read where browsers are snaps', async () => {
    const places: [create: string, expected: string][] = [
      [path.join(hostler.directory, 'run'), path.join(hostler.directory, 'run')],
      [path.join(home, 'snap'), home],
      [path.join(home, 'Downloads'), path.join(home, 'Downloads')],
    ];
    for (const [create, expected] of places) {
      fs.mkdirSync(create, { mode: 0o700 });
      expect(path.dirname((await openAndSee()).file)).toBe(expected);
    }
    for (const [create] of places) fs.rmSync(create, { recursive: true });
  });

  test('"hostler open --print" opens nothing; it prints the address, and a code to enter there', async () => {
    const before = recorder.opened();
    const { code, stdout } = await runHostler(['open', '--print'], { directory: hostler.directory, env: variables });
    const pattern = `^To sign in, open ${hostler.base}/ and enter the code [0-9A-Z-]{14} within 60 seconds\n$`;
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(pattern))]);
    expect(recorder.opened()).toEqual(before);
    // As people type it.
    expect((await redeem(codeIn(stdout).toLowerCase().replaceAll('-', ' '))).status).toBe(200);
  });

  test('the page submits a code only if it was offered, and other pages cannot submit one', async () => {
    const { code } = await openAndSee();
    const post = (origin: string, body: string) =>
      fetch(`${hostler.base}/api/login/page`, {
        method: 'POST',
        headers: { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
        body,
      });
    expect((await post('https://evil.example', `code=${code}`)).status).toBe(403);
    const wrong = await post('null', 'code=AAAA-BBBB-CCCC');
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('Run &quot;hostler open')]);
    const right = await post('null', `code=${code}`);
    expect([right.status, right.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(right.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'nonce-");
    // Only the page of "hostler open" may come without our origin.
    expect((await fetch(`${hostler.base}/api/login`, { method: 'POST', headers: { Origin: 'null' } })).status).toBe(
      403,
    );
  });

  test.skipIf(!canBeAnotherUser())(
    'another user who watches all processes sees no code, and could not use one',
    async () => {
      const watcher = asAnotherUser(watch, [String(hostler.port)]);
      await until(() => watcher.output().includes('watching'), 'the other user watches');
      const { code, file } = await openAndSee();
      watcher.child.stdin?.end(`${code}\n${file}\n`);
      const seen = JSON.parse((await watcher.ended).split('watching\n')[1] ?? '{}');
      // It saw the command and the address of the page, but not its content.
      expect(seen.arguments.join('\n')).toContain('hostler-sign-in-');
      expect(seen.arguments.join('\n')).not.toContain(code);
      expect(seen.arguments.join('\n')).not.toMatch(/[#?&]code=/);
      expect(seen).toMatchObject({ page: 'PermissionError', login: 403, form: 403 });
      // And has not used it up.
      expect((await redeem(code)).status).toBe(200);
    },
  );

  const hasPage = () => fs.existsSync(path.join(root, 'dist', 'web.pack')) && needs('chromium');
  describe.skipIf(!hasPage())('in a real browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: findProgram('chromium') ?? '',
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      });
    });
    afterAll(() => browser?.close());

    test('the opened page ends in the dashboard, signed in, with the code in no address', async () => {
      const { file, code } = await openAndSee();
      const page = await (await browser.newContext()).newPage();
      const addresses: string[] = [];
      page.on('request', (request) => void addresses.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      await page.getByRole('heading', { name: 'Overview' }).first().waitFor();
      expect(page.url()).toBe(`${hostler.base}/`);
      expect(addresses.join()).not.toContain(code);
      expect(fs.existsSync(file)).toBe(false);
      expect(await page.evaluate('sessionStorage.getItem("hostler-login-code")')).toBeNull();
    });

    test('a page that another program on the port left in the cache of the browser does not get the code', async () => {
      const squatter = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: () =>
          new Response('<h1>Squatter</h1>', {
            headers: { 'Content-Type': 'text/html', 'Cache-Control': 'public, max-age=31536000, immutable' },
          }),
      });
      const { port } = squatter;
      const page = await (await browser.newContext()).newPage();
      const squatted = page.getByRole('heading', { name: 'Squatter' });
      await page.goto(`http://127.0.0.1:${port}/`);
      await squatted.waitFor();
      await squatter.stop(true);
      await using real = await startHostler({ args: ['--port', String(port)] });
      await page.goto('about:blank');
      await page.goto(`${real.base}/`);
      // Otherwise the test shows nothing.
      await squatted.waitFor();
      const { stdout } = await runHostler(['open', '--print'], { directory: real.directory });
      const file = path.join(real.directory, 'sign-in.html');
      fs.writeFileSync(file, loginFile(real.base, codeIn(stdout)));
      await page.goto(pathToFileURL(file).href);
      await page.getByRole('heading', { name: 'Overview' }).first().waitFor();
    });

    test('a code can be typed, and a wrong one is reported', async () => {
      const { code } = await openAndSee();
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${hostler.base}/`);
      await page.getByLabel('Token').fill('AAAA-BBBB-CCCC');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: /code/i }).waitFor();
      await page.getByLabel('Token').fill(code.toLowerCase());
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview' }).first().waitFor();
    });
  });

  test('without a session or a service the error says what to do', async () => {
    const nowhere = await runHostler(['open'], { directory: hostler.directory });
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain('no desktop session');
    expect(nowhere.stderr).toContain(`To sign in by hand, open ${hostler.base}/ and enter the code`);
    const stopped = await runHostler(['open'], { env: variables });
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('The service is not running') });
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

/** Reads the arguments and environments of all processes until it receives a code, then tries everything with it. */
const watch = `
import glob, json, select, sys, urllib.error, urllib.request
seen = set()
print("watching", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for name in glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ"):
        try:
            text = open(name, "rb").read().replace(b"\\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if "hostler" in text or "open" in text:
            seen.add(text)
code, page = sys.stdin.readline().strip(), sys.stdin.readline().strip()
def attempt(path, type, body):
    request = urllib.request.Request("http://127.0.0.1:" + sys.argv[1] + path, body.encode(), {"Content-Type": type})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code
try:
    opened = open(page).read()
except OSError as error:
    opened = type(error).__name__
print(json.dumps({
    "arguments": sorted(seen),
    "page": opened,
    "login": attempt("/api/login", "application/json", json.dumps({"code": code})),
    "form": attempt("/api/login/page", "application/x-www-form-urlencoded", "code=" + code),
}))
`;
