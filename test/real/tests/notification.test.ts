import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { createRecorder, type Recorder } from '../harness/desktop.ts';
import { endProcess } from '../harness/end-process.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, root, runHostler, startHostler } from '../harness/service.ts';
import { connectSocket, type Message, type SocketClient } from '../harness/socket-client.ts';
import { createPrivateWayland, type PrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(120_000);

const onePixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const actionOf = (id: number) => (message: Message) =>
  message.type === 'NOTIFICATION_ACTION' && (message.data as { id: number }).id === id;
const idOf = ({ data }: Message) => (data as { id: number }).id;

describe.skipIf(!needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl', 'xdg-open'))('notifications with dunst', () => {
  let x11: PrivateX11;
  let bus: PrivateBus;
  let hostler: RunningHostler;
  let client: SocketClient;
  let recorder: Recorder;
  let dunst: ChildProcess;
  let variables: Record<string, string>;
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-dunst-'));
  const wanted = path.join(directory, 'wanted');

  const startDunst = async (markup: 'full' | 'no') => {
    const config = path.join(directory, 'dunstrc');
    // The menu of buttons is another program: this one selects the line that the test wants.
    const pick = path.join(directory, 'pick.sh');
    fs.writeFileSync(pick, `#!/bin/sh\ngrep -m1 -F "$(cat '${wanted}')"\n`, { mode: 0o755 });
    fs.writeFileSync(config, `[global]\n  dmenu = ${pick}\n  font = Monospace 8\n  markup = ${markup}\n`);
    dunst = spawn(findProgram('dunst') ?? '', ['-conf', config], {
      env: { ...variables, HOME: directory },
      stdio: 'ignore',
    });
    await until(() => answers('count', 'displayed'), 'dunst answers');
  };
  const dunstctl = (...args: string[]) =>
    execFileSync(findProgram('dunstctl') ?? '', args, {
      env: variables,
      encoding: 'utf8',
      timeout: 30_000,
      stdio: 'pipe',
    });
  const answers = (...args: string[]) => {
    try {
      dunstctl(...args);
      return true;
    } catch {
      return false;
    }
  };
  const inHistory = (id: number) => {
    const { data } = JSON.parse(dunstctl('history')) as { data: Record<string, { data: unknown }>[][] };
    const entry = data[0]?.find((candidate) => candidate.id?.data === id) ?? {};
    return Object.fromEntries(Object.entries(entry).map(([key, { data: value }]) => [key, value]));
  };

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    bus = createPrivateBus();
    await Promise.all([x11.start(), bus.start()]);
    variables = {
      PATH: process.env.PATH ?? '',
      DISPLAY: x11.display(),
      DBUS_SESSION_BUS_ADDRESS: bus.address,
      XDG_DATA_DIRS: '/usr/share',
    };
    await startDunst('full');
    hostler = await startHostler({
      env: variables,
      prepare(place) {
        recorder = createRecorder(path.join(place, 'home'));
      },
    });
    client = await connectSocket(hostler);
  });
  afterEach(() => void answers('close-all'));
  afterAll(async () => {
    client?.end();
    await hostler?.stop();
    if (dunst !== undefined) await endProcess(dunst);
    await bus?.remove();
    await x11?.remove();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  test('a click on the menu entry shows a notification that no service runs', async () => {
    const entry = fs.readFileSync(path.join(root, 'deploy/package/hostler.desktop'), 'utf8');
    const [, ...clicked] = /^Exec=(.*)$/m.exec(entry)?.[1]?.split(' ') ?? [];
    const { code, directory: other } = await runHostler(clicked, { env: variables });
    expect(code).toBe(1);
    fs.rmSync(other, { recursive: true });
    dunstctl('close-all');
    await until(() => dunstctl('history').includes('The service is not running; start it with'), 'dunst has shown it');
  });

  test('title, text and urgency arrive as they were sent, with or without markup', async () => {
    const sent = await client.ask('NOTIFICATION', {
      title: 'Tür <b>&amp;</b> 日本',
      message: 'a < b & "c" <b>d</b>\n🎉',
      urgency: 'low',
      timeout: 5000,
      icon: null,
    });
    expect(sent).toMatchObject({ type: 'NOTIFICATION_SENT', subtype: 'NONE' });
    dunstctl('close-all');
    const { summary, body, appname } = inHistory(idOf(sent));
    expect(summary).toBe('Tür <b>&amp;</b> 日本');
    expect(body).toBe('a &lt; b &amp; "c" &lt;b&gt;d&lt;/b&gt;\n🎉');
    expect(appname).toBe('Hostler');
  });

  test('an attached picture is read by the desktop, and removed when the notification is closed', async () => {
    const sent = await client.ask('NOTIFICATION', { title: 'picture', icon: onePixel });
    const files = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith(`hostler-files-${hostler.pid}-`));
    expect(files()).toHaveLength(1);
    const place = path.join(os.tmpdir(), files()[0] ?? '');
    expect(fs.readdirSync(place)).toHaveLength(1);
    dunstctl('close-all');
    expect(inHistory(idOf(sent)).icon_path).toBe(path.join(place, '1.png'));
    await until(() => fs.readdirSync(place).length === 0, 'the picture is gone');
  });

  test('a pressed button is reported to the connection that sent the notification, and to no other', async () => {
    const other = await connectSocket(hostler);
    await other.ask('GET_DIRECTORIES');
    const actions = [
      { command: 'snooze', label: 'Later', data: { minutes: 5 } },
      { command: 'stop', label: 'Stop it' },
    ];
    const sent = await client.ask('NOTIFICATION', { title: 'Alarm', actions, timeout: 0 });
    fs.writeFileSync(wanted, 'Later');
    dunstctl('context');
    const answer = await client.until(actionOf(idOf(sent)), 'the button');
    expect(answer.data).toEqual({ id: idOf(sent), command: 'snooze', label: 'Later', data: { minutes: 5 } });
    expect(other.messages.some(({ type }) => type === 'NOTIFICATION_ACTION')).toBe(false);
    other.end();
  });

  test('a click opens the address, and is reported as well', async () => {
    const sent = await client.ask('NOTIFICATION', { title: 'News', actionUrl: 'https://example.test/news?a=1&b=2' });
    dunstctl('action', '0');
    const answer = await client.until(actionOf(idOf(sent)), 'the click');
    expect(answer.data).toMatchObject({ command: 'default' });
    await until(() => recorder.opened().includes('https://example.test/news?a=1&b=2'), 'the address is opened');
  });

  test('a notification is replaced and closed by its id', async () => {
    const first = idOf(await client.ask('NOTIFICATION', { title: 'one', timeout: 0 }));
    const second = await client.ask('NOTIFICATION', { title: 'two', timeout: 0, replaces: first });
    expect(idOf(second)).toBe(first);
    expect(dunstctl('count', 'displayed').trim()).toBe('1');
    expect(await client.ask('NOTIFICATION_CLOSE', { id: first })).toMatchObject({
      type: 'NOTIFICATION_CLOSED',
      data: { id: first },
    });
    expect(dunstctl('count', 'displayed').trim()).toBe('0');
    expect(inHistory(first).summary).toBe('two');
    await until(
      async () => (await client.ask('NOTIFICATION_CLOSE', { id: first })).type === 'ERROR',
      'it is known to be gone',
    );
  });

  test('notifications of another token are neither replaced nor closed', async () => {
    const token = await createToken(hostler, 'other', 'notify');
    const id = idOf(await client.ask('NOTIFICATION', { title: 'mine', timeout: 0 }));
    expect(await client.ask('NOTIFICATION_CLOSE', { id }, { token })).toMatchObject({ type: 'ERROR' });
    const replaced = await client.ask('NOTIFICATION', { title: 'theirs', replaces: id }, { token });
    expect(replaced).toMatchObject({ type: 'ERROR' });
    expect(dunstctl('count', 'displayed').trim()).toBe('1');
    expect(await client.ask('NOTIFICATION_CLOSE', { id })).toMatchObject({ type: 'NOTIFICATION_CLOSED' });
  });

  test.skipIf(!needs('notify-send'))('notifications of other programs are neither replaced nor closed', async () => {
    const shown = execFileSync(findProgram('notify-send') ?? '', ['-p', '-t', '0', 'theirs'], { env: variables });
    const id = Number(String(shown));
    expect(id).toBeGreaterThan(0);
    expect(await client.ask('NOTIFICATION_CLOSE', { id })).toMatchObject({ type: 'ERROR' });
    expect(await client.ask('NOTIFICATION', { title: 'mine', replaces: id })).toMatchObject({ type: 'ERROR' });
    expect(dunstctl('count', 'displayed').trim()).toBe('1');
  });

  test('without a title nothing is shown', async () => {
    expect(await client.ask('NOTIFICATION', { message: 'x' })).toMatchObject({ subtype: 'MISSING_TITLE' });
  });

  test('without a server the reply comes within 2 s, and with the next server it works again', async () => {
    await client.ask('NOTIFICATION', { title: 'before', actions: [{ command: 'a', label: 'b' }], timeout: 0 });
    await endProcess(dunst);
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const started = performance.now();
      const refused = await client.ask('NOTIFICATION', { title: 'a' });
      times.push(performance.now() - started);
      expect(refused).toMatchObject({ type: 'ERROR', subtype: 'UNSUPPORTED' });
    }
    // The best of three: a single measurement on a busy machine proves nothing.
    expect(Math.min(...times)).toBeLessThan(2000);
    await startDunst('no');
    const sent = await client.ask('NOTIFICATION', {
      title: 'again',
      message: 'a < b',
      actions: [{ command: 'yes', label: 'Yes' }],
    });
    fs.writeFileSync(wanted, 'Yes');
    dunstctl('context');
    expect((await client.until(actionOf(idOf(sent)), 'the button')).data).toMatchObject({ command: 'yes' });
    dunstctl('close-all');
    // This server supports no markup, so nothing is escaped.
    expect(inHistory(idOf(sent)).body).toBe('a < b');
  });

  test('a restart of the session bus ends open notifications, and the next one works', async () => {
    await client.ask('NOTIFICATION', { title: 'before', actions: [{ command: 'a', label: 'b' }], timeout: 0 });
    await bus.kill();
    await endProcess(dunst);
    await bus.start();
    await startDunst('full');
    let sent = await client.ask('NOTIFICATION', { title: 'after', actions: [{ command: 'yes', label: 'Yes' }] });
    await until(async () => {
      if (sent.type !== 'ERROR') return true;
      sent = await client.ask('NOTIFICATION', { title: 'after', actions: [{ command: 'yes', label: 'Yes' }] });
      return sent.type !== 'ERROR';
    }, 'the bus is found again');
    fs.writeFileSync(wanted, 'Yes');
    dunstctl('context');
    expect((await client.until(actionOf(idOf(sent)), 'the button')).data).toMatchObject({ command: 'yes' });
  });

  test('the text of notifications is in no log', async () => {
    await client.ask('NOTIFICATION', { title: 'xyzzy-title', message: 'xyzzy-message' });
    expect(hostler.output()).not.toContain('xyzzy');
  });
});

describe.skipIf(!needs('sway', 'mako', 'makoctl', 'dbus-daemon', 'unshare'))('notifications with mako', () => {
  let wayland: PrivateWayland;
  let hostler: RunningHostler;
  let client: SocketClient;
  let mako: ChildProcess;
  let env: Record<string, string>;
  const makoctl = (...args: string[]) =>
    execFileSync(findProgram('makoctl') ?? '', args, { env, encoding: 'utf8', timeout: 30_000, stdio: 'pipe' });

  beforeAll(async () => {
    wayland = createPrivateWayland('sway');
    await wayland.start();
    const { variables } = wayland;
    const display = fs.readdirSync(variables.XDG_RUNTIME_DIR ?? '').find((name) => /^wayland-\d+$/.test(name)) ?? '';
    env = { ...variables, WAYLAND_DISPLAY: display };
    mako = spawn(findProgram('mako') ?? '', [], { env, stdio: 'ignore' });
    await until(() => {
      try {
        makoctl('list');
        return true;
      } catch {
        return false;
      }
    }, 'mako answers');
    hostler = await startHostler({ env: { DBUS_SESSION_BUS_ADDRESS: variables.DBUS_SESSION_BUS_ADDRESS ?? '' } });
    client = await connectSocket(hostler);
  });
  afterAll(async () => {
    client?.end();
    await hostler?.stop();
    mako?.kill('SIGKILL');
    await wayland?.remove();
  });

  test('a pressed button is reported, and the text is not interpreted as markup', async () => {
    const sent = await client.ask('NOTIFICATION', {
      title: 'Alarm <i>x</i>',
      message: 'a < b & c',
      actions: [
        { command: 'now', label: 'Now' },
        { command: 'snooze', label: 'Later', data: [1, 2] },
      ],
      timeout: 0,
    });
    expect(sent.type).toBe('NOTIFICATION_SENT');
    expect(makoctl('list')).toContain('Alarm <i>x</i>');
    makoctl('invoke', 'button-2');
    const answer = await client.until(actionOf(idOf(sent)), 'the button');
    expect(answer.data).toEqual({ id: idOf(sent), command: 'snooze', label: 'Later', data: [1, 2] });
  });

  test('a notification is closed by its id', async () => {
    const id = idOf(await client.ask('NOTIFICATION', { title: 'going away', timeout: 0 }));
    expect(makoctl('list')).toContain('going away');
    await client.ask('NOTIFICATION_CLOSE', { id });
    expect(makoctl('list')).not.toContain('going away');
  });
});
