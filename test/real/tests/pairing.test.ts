import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { asAnotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { launchBrowser, type RunningBrowser, storedByPage } from '../harness/dashboard-browser.ts';
import { callUntilAnswered, connectTo } from '../harness/mcp-clients.ts';
import { createPairOfNetworks, hasNetworks, type PrivateNetwork } from '../harness/network.ts';
import { askToPair, postTo, tokensOf } from '../harness/pairing-junk.ts';
import { needs } from '../harness/parts.ts';
import { type PrivateDunst, startPrivateDunst } from '../harness/private-dunst.ts';
import { type RunningHostler, runHostler, spawnHostler, startHostler } from '../harness/service.ts';

setDefaultTimeout(180_000);

/** The state of the machine that asks. */
const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-pairing-'));
afterAll(() => fs.rmSync(elsewhere, { recursive: true, force: true }));

/** `hostler pair` of another machine, while it waits. */
function pair(
  port: number,
  args: string[] = [],
  input = '',
  { address = '127.0.0.1', within = [] as readonly string[] } = {},
) {
  const { child, said, ended } = spawnHostler(['pair', `${address}:${port}`, ...args], {
    directory: elsewhere,
    within,
  });
  child.stdin.end(input);
  return { child, said, ended, digits: () => /^ {2}(\d{3} \d{3})$/m.exec(said.stderr)?.[1] ?? null };
}

describe.skipIf(!needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl'))('pairing at the screen', () => {
  let dunst: PrivateDunst;
  let hostler: RunningHostler;
  beforeAll(async () => {
    dunst = await startPrivateDunst();
  });
  // A separate service for each test: a denied client has to wait.
  beforeEach(async () => {
    hostler = await startHostler({ env: dunst.variables });
  });
  afterEach(async () => {
    await hostler.stop();
    dunst.history();
  });
  afterAll(async () => await dunst?.remove());

  const onScreen = (count = 1) => until(() => dunst.shown() === count, `${count} notifications are on the screen`);
  const prompts = () => dunst.history().filter(({ appname }) => appname === 'Hostler permission');
  /** As a user who reads first: a press that comes too early is repeated. */
  const press = async (label: string, isDone: () => boolean | Promise<boolean>) =>
    await until(async () => {
      await Bun.sleep(1100);
      if (!(await isDone()) && dunst.shown() === 1) await dunst.press(label);
      return await isDone();
    }, `${label} counts`);

  test('another machine requests pairing, both show the same code, Allow gives it a token that can be revoked', async () => {
    const asking = pair(hostler.port, ['--name', 'laptop', '--scopes', 'read,media']);
    await onScreen();
    await until(() => asking.digits() !== null, 'the other machine shows its digits');
    expect(await tokensOf(hostler)).toHaveLength(1);
    await press('Allow', () => asking.child.exitCode !== null);
    expect([await asking.ended, asking.said.stderr]).toEqual([0, expect.stringContaining('read, media')]);
    await onScreen(0);
    expect(prompts().at(-1)).toEqual({
      appname: 'Hostler permission',
      summary: 'A program that calls itself "laptop" asks for access to this machine',
      body: `Code: ${asking.digits()}. Allow only if the device you are using shows the same code.\nA program on this machine wants to: control media players and volume, play sounds, say texts; read modules, their state and metrics, and listen to them.`,
    });
    expect(hostler.output()).toContain(
      'access: "laptop" at 127.0.0.1 was given a token with read, media (pairing, allowed at the screen)',
    );
    const file = path.join(elsewhere, 'state', 'machines.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const again = pair(hostler.port, ['--print']);
    expect(await again.ended).toBe(0);
    const token = again.said.stdout.trim();
    expect(asking.said.stderr + asking.said.stdout + hostler.output()).not.toContain(token);
    const status = async () => (await hostler.get('/api/data/memory', { 'X-API-Token': token })).status;
    expect(await status()).toBe(200);
    expect((await tokensOf(hostler)).find(({ name }) => name === 'laptop')?.scopes).toEqual(['read', 'media']);
    await runHostler(['token', 'revoke', 'laptop'], { directory: hostler.directory });
    await until(async () => (await status()) === 401, 'it is taken back');
    const listed = await runHostler(['paired'], { directory: elsewhere });
    expect(listed.stdout).toContain(`http://127.0.0.1:${hostler.port}  laptop`);
    expect(listed.stdout).not.toContain(token);
  });

  test('the user can allow fewer scopes', async () => {
    const asking = pair(hostler.port, ['--name', 'tablet', '--scopes', 'read,command', '--print']);
    await onScreen();
    await press('Only reading', () => asking.child.exitCode !== null);
    expect((await tokensOf(hostler)).find(({ name }) => name === 'tablet')?.scopes).toEqual(['read']);
  });

  test('after Deny requests are ignored, and the printed code still works', async () => {
    const asking = pair(hostler.port, ['--name', 'laptop']);
    await onScreen();
    await dunst.press('Deny');
    expect(await asking.ended).toBe(1);
    expect(asking.said.stderr).toContain('Access was denied');
    const before = prompts().length;
    for (let tries = 0; tries < 20; tries++) {
      const answer = await askToPair(hostler.base);
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([429, true]);
    }
    expect(prompts().length).toBe(before);
    const { stdout } = await runHostler(['pair', '--json'], { directory: hostler.directory });
    const byCode = pair(hostler.port, ['--name', 'laptop', '--code'], `${JSON.parse(stdout).code}\n`);
    expect(await byCode.ended).toBe(0);
    expect(await tokensOf(hostler)).toHaveLength(2);
  });

  test('a second client that asks at the same time is refused, and the first prompt stays unchanged', async () => {
    const asking = pair(hostler.port, ['--name', 'laptop']);
    await onScreen();
    const answers = await Promise.all(Array.from({ length: 40 }, () => askToPair(hostler.base, 'laptop')));
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(409));
    expect(dunst.shown()).toBe(1);
    await press('Allow', () => asking.child.exitCode !== null);
    expect(await asking.ended).toBe(0);
    expect((await tokensOf(hostler)).map(({ name }) => name)).toEqual(['main', 'laptop']);
  });

  test('prompts of an agent and of a device are never shown together', async () => {
    await using both = await startHostler({
      env: dunst.variables,
      prepare(place) {
        const command = { id: 'mark', name: 'mark', command: '/usr/bin/true', workingDir: '', arguments: [] };
        const settings = { commands: { allowlist: [command] }, mcp: { commands: ['mark'] } };
        fs.mkdirSync(path.join(place, 'config'));
        fs.writeFileSync(path.join(place, 'config', 'settings.json'), JSON.stringify(settings));
      },
    });
    const client = await connectTo(both, { mode: 'auto', over: 'http' });
    const call = () => callUntilAnswered(client, 'run_command', { command_id: 'mark' });
    const called = call();
    await onScreen();
    const second = pair(both.port, ['--name', 'laptop']);
    expect([await second.ended, second.said.stderr]).toEqual([1, expect.stringContaining('Another permission prompt')]);
    expect(dunst.shown()).toBe(1);
    await dunst.press('Deny');
    expect(JSON.stringify(await called)).toContain('did not allow');
    await onScreen(0);
    const asking = pair(both.port, ['--name', 'laptop']);
    await onScreen();
    // After the pause of the agent, its prompt takes the place of that of the device, which has no token.
    const calls: Promise<unknown>[] = [];
    await until(async () => {
      calls.push(call());
      await Bun.sleep(500);
      return asking.child.exitCode !== null;
    }, 'the prompt of the device is closed');
    expect(asking.said.stderr).toContain('a client with a token needed the screen');
    expect(dunst.shown()).toBe(1);
    await dunst.press('Deny');
    expect(JSON.stringify(await Promise.all(calls))).toContain('did not allow');
    await client.close();
  });

  test('the prompt closes when its client disconnects, and a later Allow creates no token', async () => {
    const asking = pair(hostler.port, ['--name', 'laptop']);
    await onScreen();
    await until(() => asking.digits() !== null, 'it waits');
    asking.child.kill('SIGKILL');
    await onScreen(0);
    const left = '"laptop" at 127.0.0.1 disconnected before its pairing was answered';
    await until(() => hostler.output().includes(left), 'the log says so');
    expect(await tokensOf(hostler)).toHaveLength(1);
  });

  test('a service that ends closes its prompt, and the next run ignores it', async () => {
    const asking = pair(hostler.port, ['--name', 'laptop']);
    await onScreen();
    await until(() => asking.digits() !== null, 'it waits');
    const { port } = hostler;
    await hostler.stop();
    await onScreen(0);
    hostler = await startHostler({ env: dunst.variables, args: ['--port', String(port)] });
    expect(await asking.ended).toBe(1);
    expect(asking.said.stderr).toMatch(/does not answer|is unknown/);
    expect(await tokensOf(hostler)).toHaveLength(1);
  });

  test.skipIf(!canBeAnotherUser())(
    'another user is named as such, and gets neither the answer nor the code',
    async () => {
      const { socket } = JSON.parse(fs.readFileSync(path.join(hostler.directory, 'state', 'service.json'), 'utf8'));
      expect(fs.statSync(socket).isSocket()).toBe(true);
      const otherClient = asAnotherUser(otherUser, [String(hostler.port), socket]);
      await onScreen();
      await until(() => otherClient.output().includes('asked'), 'it has asked');
      await dunst.press('Deny');
      expect(prompts().at(-1)?.body).toContain('of another user of this machine');
      otherClient.child.stdin?.write('\n');
      const report = await otherClient.ended;
      // Its own request was denied; it has no access to the sockets, files and replies of others.
      expect(report).toContain('fetched: 404');
      expect(report).toContain('socket: PermissionError');
      expect(report).toMatch(/codes: (401 ){10}429/);
    },
  );

  describe.skipIf(!hasNetworks())('on a private network', () => {
    let here: PrivateNetwork;
    let there: PrivateNetwork;
    let remote: RunningHostler;
    beforeAll(async () => {
      ({ here, there } = createPairOfNetworks());
    });
    beforeEach(async () => {
      remote = await startHostler({ env: { ...dunst.variables, SERVICE_HOST: '' }, through: [...here.within] });
    });
    afterEach(async () => void (await remote.stop()));
    afterAll(() => {
      here?.remove();
      there?.remove();
    });

    test('another machine is named by its address, and gets a token', async () => {
      const way = { address: '10.77.0.1', within: there.within };
      const asking = pair(remote.port, ['--name', 'laptop'], '', way);
      await onScreen();
      await press('Allow', () => asking.child.exitCode !== null);
      expect(await asking.ended).toBe(0);
      expect(prompts().at(-1)?.body).toContain(
        'A program at 10.77.0.2, over an unencrypted connection, wants to: read',
      );
      expect((await tokensOf(remote)).map(({ name }) => name)).toEqual(['main', 'laptop']);
    });
  });

  describe.skipIf(!needs('chromium'))('a browser', () => {
    let chromium: RunningBrowser;
    beforeAll(async () => {
      chromium = await launchBrowser(['--host-resolver-rules=MAP hostler.lan 127.0.0.1']);
    });
    afterAll(async () => await chromium?.close());

    test.each([
      ['with keys', '127.0.0.1'],
      ['over plain HTTP, without keys', 'hostler.lan'],
    ])('%s shows the same code, and gets a session and no token', async (_name, name) => {
      const { page, complaints, close } = await chromium.open();
      await page.goto(`http://${name}:${hostler.port}/`);
      expect(await page.evaluate('isSecureContext')).toBe(name === '127.0.0.1');
      await page.getByRole('button', { name: 'Ask for access' }).click();
      await page.getByLabel('Device name').fill('Kitchen tablet');
      await page.getByRole('button', { name: 'Ask for access' }).click();
      const digits = await page.getByText(/^\d{3} \d{3}$/).textContent();
      await onScreen();
      const isIn = page.getByRole('button', { name: 'Sign out' });
      await press('Allow', () => isIn.isVisible());
      const { body = '' } = prompts().at(-1) ?? {};
      expect(body).toContain(`Code: ${digits}.`);
      // Both names lead to this machine, where nothing leaves it unencrypted.
      expect(body).toContain('on this machine');
      const [main, session] = await tokensOf(hostler);
      expect(main?.name).toBe('main');
      expect(session).toMatchObject({ name: 'Kitchen tablet', kind: 'browser', scopes: ['read'] });
      const stored = await page.evaluate(storedByPage);
      // Without keys the token of the session is kept for this tab.
      if (name === '127.0.0.1') expect(stored).toMatch(/^browser-[0-9a-f]{12}$/);
      else expect(JSON.parse(stored as string).session.id).toBe(session?.id);
      await runHostler(['token', 'revoke', session?.id ?? ''], { directory: hostler.directory });
      await page.getByLabel('Token').waitFor();
      expect(complaints.filter((text) => !/401|WebSocket|Cross-Origin-Opener-Policy/.test(text))).toEqual([]);
      await close();
    });

    test('that opens the link in the picture is signed in, and the code is not in its address', async () => {
      const { stdout } = await runHostler(['pair', '--json', '--scopes', 'read,media'], {
        directory: hostler.directory,
      });
      const { page, close } = await chromium.open();
      await page.goto(JSON.parse(stdout).link);
      expect(page.url()).not.toContain('pair');
      await page.getByRole('button', { name: 'Use code' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      expect((await tokensOf(hostler)).at(-1)).toMatchObject({ kind: 'browser', scopes: ['read', 'media'] });
      expect(dunst.shown()).toBe(0);
      await close();
    });
  });
});

/** Requests pairing, reports, and after a line tries what it should not get. */
const otherUser = `
import json, os, socket, sys, urllib.request, base64
base = 'http://127.0.0.1:' + sys.argv[1]
def post(route, body):
    request = urllib.request.Request(base + route, json.dumps(body).encode(), {'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(request) as answer: return answer.status, json.load(answer)
    except urllib.error.HTTPError as error: return error.code, json.load(error)
secret = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip('=')
other = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip('=')
status, asked = post('/api/pair', {'name': 'visitor', 'browser': {}, 'clear': {'secret': secret}})
print('asked', status, flush=True)
sys.stdin.readline()
print('fetched:', post('/api/pair/fetch', {'id': asked['id'], 'claim': other})[0])
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[2])
    print('socket: open')
except OSError as error: print('socket:', type(error).__name__)
print('codes:', *[post('/api/pair', {'name': 'x', 'browser': {}, 'clear': {'code': 'AAAA-BBBB-CCCC'}})[0] for _ in range(11)])
`;

describe('pairing without a screen', () => {
  test('is allowed by "hostler approve", which shows the same code', async () => {
    await using hostler = await startHostler();
    const approve = async (...args: string[]) =>
      await runHostler(['approve', ...args], { directory: hostler.directory });
    const asking = pair(hostler.port, ['--name', 'laptop', '--scopes', 'read,media']);
    let shown = '';
    await until(async () => {
      shown = (await approve()).stdout;
      return shown.includes('Code: ') && asking.digits() !== null;
    }, 'both show a code');
    expect(shown).toContain('A program that calls itself "laptop" asks for access to this machine');
    expect(shown).toContain(`Code: ${asking.digits()}.`);
    const [, id = ''] = /approve ([0-9a-f]{8})$/m.exec(shown) ?? [];
    await until(async () => (await approve(id, '--less')).code === 0, 'it is allowed');
    expect(await asking.ended).toBe(0);
    expect((await tokensOf(hostler)).find(({ name }) => name === 'laptop')?.scopes).toEqual(['read']);
    expect(hostler.output()).toContain('was given a token with read (pairing, allowed by the command line)');
  });

  test('is granted by a printed code', async () => {
    await using hostler = await startHostler();
    const { stdout } = await runHostler(['pair', '--scopes', 'read,files'], { directory: hostler.directory });
    const [, code = ''] = /^Code: (\S+)$/m.exec(stdout) ?? [];
    const byCode = pair(hostler.port, ['--name', 'laptop', '--code', '--print'], `${code}\n`);
    expect(await byCode.ended).toBe(0);
    const token = byCode.said.stdout.trim();
    expect((await hostler.get('/api/data/memory', { 'X-API-Token': token })).status).toBe(200);
    const twice = pair(hostler.port, ['--name', 'other', '--code'], `${code}\n`);
    expect([await twice.ended, twice.said.stderr]).toEqual([1, expect.stringContaining('used already')]);
  });

  test('is off where the settings disable it', async () => {
    await using hostler = await startHostler();
    const { directory, base } = hostler;
    await runHostler(['settings', 'set', 'pairing.enabled', 'false'], { directory });
    await until(async () => (await postTo(base, '/api/pair/begin', {})).status === 403, 'it is off');
    const { code, stderr } = await runHostler(['pair'], { directory });
    expect([code, stderr]).toEqual([1, expect.stringContaining('pairing.enabled')]);
  });

  test('pages of other origins are refused at every route', async () => {
    await using hostler = await startHostler();
    for (const route of ['/api/pair/begin', '/api/pair', '/api/pair/fetch'])
      for (const headers of [{ Origin: 'http://evil.example' }, { Origin: 'null' }, { Host: 'evil.example' }])
        expect((await postTo(hostler.base, route, {}, headers)).status).toBe(403);
    // What a page can send without a preflight is not JSON.
    const form = await fetch(`${hostler.base}/api/pair`, { method: 'POST', body: 'x=1' });
    expect(form.status).toBe(415);
  });
});

describe('unauthenticated clients', () => {
  test('that send bodies slowly delay no login', async () => {
    await using hostler = await startHostler();
    const head = `POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1:${hostler.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const slow = Array.from({ length: 48 }, () => net.connect(hostler.port, '127.0.0.1'));
    let late = 0;
    for (const socket of slow) {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1').startsWith('HTTP/1.1 400')) late++;
      });
      socket.write(head);
    }
    expect([400, 401]).toContain((await postTo(hostler.base, '/api/login', { code: 'x' })).status);
    expect((await postTo(hostler.base, '/api/pair/begin', {})).status).toBe(200);
    await until(() => late === slow.length, 'those whose body does not arrive are refused');
    for (const socket of slow) socket.destroy();
  });
});
