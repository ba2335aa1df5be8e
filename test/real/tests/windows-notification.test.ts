// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { findProgram, needs } from '../harness/parts.ts';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { wineProgram, wineStandin } from '../harness/wine-standin.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needsWine())('toasts of the Windows build, with a stand-in for Windows.UI.Notifications', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    const classes = ['ToastNotificationManager', 'ToastNotification'].map((name) => ({
      winrt: `Windows.UI.Notifications.${name}`,
    }));
    const standin = wineStandin(
      'fake-toasts',
      [...classes, { winrt: 'Windows.Data.Xml.Dom.XmlDocument' }],
      ['runtimeobject'],
    );
    const press = ': > "$0/w/pfx/drive_c/standins/press.txt"';
    hostler = await startWineHostler({ mounts: [...(standin.mounts ?? []), press] });
  });
  afterAll(() => hostler?.stop());

  const standin = (file: string) => hostler.drive(`standins/${file}`);
  const dismiss = () => fs.writeFileSync(standin('press.txt'), 'dismiss');
  const run = (command: string) => hostler.beside(`wine ${command}; echo "rc $?"`);
  /** As Windows does: it opens the address in the toast with the registered program. */
  const addressOf = (key: string) =>
    new RegExp(`hostler:[0-9a-f]{32}-${key}`).exec(fs.readFileSync(standin('toast.xml'), 'utf8'))?.[0] ?? '';

  /** As Windows does: with the program that is registered for such addresses. */
  const press = async (address: string) => {
    const query = await run('reg query HKCU\\\\Software\\\\Classes\\\\hostler\\\\shell\\\\open\\\\command /ve');
    const command = /REG_SZ\s+(.+)$/m.exec(query)?.[1]?.trim() ?? 'nothing is registered';
    return await run(command.replaceAll('\\', '\\\\').replace('%1', address));
  };

  test('a toast is shown as it was sent, and its button is reported', async () => {
    const client = await connectSocket(hostler);
    const sent = await client.ask('NOTIFICATION', {
      title: 'Door <open> & "bell" é 😀',
      message: 'Line\n2',
      icon: `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64')}`,
      urgency: 'critical',
      actions: [
        { command: 'ignore', label: 'Ignore' },
        { command: 'OPEN_DOOR', label: 'Open', data: { door: 2 } },
      ],
    });
    expect(sent.type).toBe('NOTIFICATION_SENT');
    const { id } = sent.data as { id: number };
    const xml = fs.readFileSync(standin('toast.xml'), 'utf8');
    expect(xml).toContain('<text>Door &lt;open&gt; &amp; &quot;bell&quot; é 😀</text><text>Line\n2</text>');
    expect(xml).toContain(`activationType="protocol" arguments="${addressOf('button-2')}" content="Open"`);
    expect(xml).toContain('scenario="reminder"');
    // Not in %TEMP%, which other users may be able to read.
    expect(xml).toMatch(
      /placement="appLogoOverride" src="file:\/\/\/C:\/users\/root\/AppData\/Local\/hostler\/hostler-files-/,
    );
    expect(fs.readFileSync(standin('tag.txt'), 'utf8')).toBe(String(id));
    expect(await run('hostler.exe service install')).toContain('Hostler is in the Start menu');
    const opened = addressOf('button-2');
    expect(await press(opened)).toContain('rc 0');
    const receivedText = await client.until(({ type }) => type === 'NOTIFICATION_ACTION', 'the button');
    expect(receivedText.data).toEqual({ id, command: 'OPEN_DOOR', label: 'Open', data: { door: 2 } });
    client.end();
    // It was used; a web page can open any other.
    expect(await run(`hostler.exe toast-pressed ${opened}`)).toMatch(/no such notification any more\s+rc 1/);
    expect(await run(`hostler.exe toast-pressed hostler:${'0'.repeat(32)}-button-2`)).toContain('rc 1');
    expect(await run('hostler.exe toast-pressed "hostler: " serve --port 0')).toContain('rc 2');
  });

  test('a toast stays when the service is restarted, and a press is reported to another connection of its token', async () => {
    const before = await connectSocket(hostler);
    const actions = [{ command: 'LATER', label: 'Later', data: [1] }];
    const { data } = await before.ask('NOTIFICATION', { title: 'Stays', actions });
    const address = addressOf('button-1');
    fs.rmSync(standin('hidden.txt'), { force: true });
    expect(await run('hostler.exe do application.exit')).toContain('rc 0');
    await until(() =>
      hostler.get('/api/health').then(
        () => null,
        () => true,
      ),
    );
    expect(fs.existsSync(standin('hidden.txt'))).toBeFalse();
    await hostler.beside(`(wine hostler.exe serve --port ${hostler.port} >> /tmp/serve.txt 2>&1 &)`);
    await until(
      () =>
        hostler.get('/api/health').then(
          ({ ok }) => ok || null,
          () => null,
        ),
      120_000,
    );
    const after = await connectSocket(hostler);
    await after.ask('REGISTER_DATA_LISTENER', { modules: ['battery'] });
    expect(await press(address)).toContain('rc 0');
    const received = await after.until(({ type }) => type === 'NOTIFICATION_ACTION', 'the button');
    const { id } = data as { id: number };
    expect(received.data).toEqual({ id, command: 'LATER', label: 'Later', data: [1] });
    expect(await run(`hostler.exe toast-pressed ${address}`)).toContain('rc 1');
    after.end();
  });

  test('a waiting caller is notified of the dismissal, and a toast can be removed from the screen', async () => {
    const client = await connectSocket(hostler);
    const waiting = client.ask('NOTIFICATION', { title: 'Wait', wait: 100, actions: [{ command: 'a', label: 'A' }] });
    await until(() => (fs.readFileSync(standin('toast.xml'), 'utf8').includes('<text>Wait') ? true : null));
    await until(() => (fs.existsSync(standin('seen.txt')) ? true : null));
    dismiss();
    expect((await waiting).data).toMatchObject({ pressed: null });
    const { data } = await client.ask('NOTIFICATION', { title: 'Gone soon' });
    const closed = await client.ask('NOTIFICATION_CLOSE', { id: (data as { id: number }).id });
    expect(closed.type).toBe('NOTIFICATION_CLOSED');
    expect(fs.existsSync(standin('hidden.txt'))).toBeTrue();
    expect((await client.ask('NOTIFICATION_CLOSE', { id: 4000 })).message).toContain('4000');
    client.end();
  });

  test('after the removal Windows has no program for presses', async () => {
    expect(await run('hostler.exe service remove')).toContain('Hostler was stopped');
    expect(await run('reg query HKCU\\\\Software\\\\Classes\\\\hostler')).toContain('rc 1');
    expect(await run(`hostler.exe toast-pressed ${addressOf('default')}`)).toContain('not running');
  });
});

describe.skipIf(!needs('Xvfb', 'xdotool') || !needsWine())('windows of the Windows build', () => {
  let x11: PrivateX11;
  let hostler: WineHostler;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    hostler = await startWineHostler({
      mounts: [...x11Mounts, ...(wineProgram('send-message').mounts ?? [])],
      environment: { DISPLAY: x11.display() },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  const post = (route: string, body: unknown) =>
    fetch(`${hostler.base}${route}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** As a user at the screen does. */
  const press = (key: string) =>
    spawnSync(findProgram('xdotool') ?? '', ['key', key], {
      env: { DISPLAY: x11.display() },
      stdio: 'ignore',
      timeout: 10_000,
    });
  /** Requests pairing, and a user at the screen presses a key until there is an answer. */
  const paired = async (key: string) => {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const asked = (await (await post('/api/pair', { name: 'visitor', browser: {}, clear: { secret } })).json()) as {
      id: string;
    };
    const state: { said: string | null } = { said: null };
    const said = await until(async () => {
      // A Yes in the first second does not count.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      press(key);
      void post('/api/pair/fetch', { id: asked.id, claim: secret })
        .then((answer) => answer.text())
        .then((text) => {
          if (!text.includes('waiting')) state.said = text;
        });
      return state.said;
    });
    return said;
  };

  test('Yes allows, and Enter alone does not', async () => {
    // In this order: a denied client cannot ask again at once.
    expect(await paired('y')).toContain('"granted"');
    expect(await paired('Return')).toContain('Access was denied');
  });

  test('without a link in the Start menu a notification is a balloon', async () => {
    const client = await connectSocket(hostler);
    const input = { title: 'T', message: 'M', actions: [{ command: 'a', label: 'A' }] };
    const answer = await client.ask('NOTIFICATION', input);
    expect(answer.type).toBe('NOTIFICATION_SENT');
    expect(answer.message).toContain('without buttons: "hostler service install"');
    client.end();
  });

  test('window messages of Windows are received: the machine slept, and it shuts down', async () => {
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['battery'] });
    const emit = (message: number, first: number) =>
      hostler.beside(`wine 'C:\\standins\\send-message.exe' ${message} ${first}`);
    await until(async () => ((await emit(0x218, 18)).includes('answered') ? true : null));
    await until(() => (hostler.output().includes('power: the machine is awake again') ? true : null));
    // It may be shut down, says the window.
    expect(await emit(0x11, 0)).toContain('answered 1');
    client.end();
  });
});
