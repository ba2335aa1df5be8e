import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Dbus } from '@hostler/dbus/dbus.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { makeNonce, makePairKey } from '../../../src/lib/pairing/pairing-crypto.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { panelOf, startNotifications, startWatcher, watcherName } from '../harness/tray-panel.ts';

setDefaultTimeout(180_000);

const python = '/usr/bin/python3';
const hasLogind = () =>
  needs(python) && (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));
const daemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

const withTray = (isOn: boolean) => (directory: string) => {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ systemTray: isOn }));
};

/** On private buses, with stand-ins for the tray host and the notification daemon: tray-bar.test.ts has a real panel. */
describe.skipIf(!needs('dbus-daemon') || !hasLogind())('the tray icon', () => {
  let session: PrivateBus;
  let system: PrivateBus;
  let logind: ChildProcess;
  let buses: Dbus;
  let hostler: RunningHostler;

  const variables = () => ({ DBUS_SESSION_BUS_ADDRESS: session.address, DBUS_SYSTEM_BUS_ADDRESS: system.address });
  beforeAll(async () => {
    session = createPrivateBus();
    system = createPrivateBus();
    await Promise.all([session.start(), system.start()]);
    const env = { PATH: process.env.PATH ?? '', ...variables() };
    logind = spawn(python, ['-m', 'dbusmock', '--template', 'logind'], { env, stdio: 'ignore' });
    buses = connectBuses({ variable: (name) => (variables() as Record<string, string>)[name] ?? null });
    const owned = { ...daemon, member: 'NameHasOwner', signature: 's', body: ['org.freedesktop.login1'] };
    await until(async () => ((await buses.system.call(owned))[0] === true ? true : null));
    hostler = await startHostler({ env: variables(), prepare: withTray(true) });
  });
  afterAll(async () => {
    await hostler?.stop();
    buses?.session.close();
    buses?.system.close();
    logind?.kill();
    await session?.remove();
    await system?.remove();
  });

  const post = async (route: string, body: unknown, headers = { 'X-API-Token': hostler.token }) => {
    const response = await fetch(`${hostler.base}${route}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, string>;
  };
  const paused = async () =>
    (await (await hostler.get('/api/control')).json()) as { paused: boolean; until: string | null };
  const pending = async () =>
    (await (await hostler.get('/api/power/pending')).json()) as { pending: { action: string; at: string } | null };
  const items: { watcher: { items: string[]; close(): void } } = { watcher: { items: [], close() {} } };
  const panel = () => panelOf(buses.session, () => items.watcher.items.at(-1) ?? ':0.0');
  const names = async () => {
    const [list] = await buses.session.call({ ...daemon, member: 'ListNames' });
    return (list as string[]).filter((name) => name.startsWith(':'));
  };

  test('without a tray host only its appearance is watched', async () => {
    await until(() => (hostler.output().includes('no taskbar is running yet') ? true : null));
    const stats = { ...daemon, interface: 'org.freedesktop.DBus.Debug.Stats', member: 'GetAllMatchRules' };
    const [rules] = await buses.session.call(stats);
    const ours = Object.values(rules as Record<string, string[]>).flat();
    expect(ours).toHaveLength(1);
    expect(ours[0]).toContain(`arg0='${watcherName}'`);
  });

  test('with the setting off there is not even a connection', async () => {
    const before = await names();
    await using quiet = await startHostler({ env: variables(), prepare: withTray(false) });
    expect((await quiet.get('/api/health')).status).toBe(200);
    expect(await names()).toEqual(before);
  });

  test('the icon is registered as soon as a tray host appears, and again when the host was restarted', async () => {
    items.watcher = await startWatcher(session.socket);
    await until(() => (items.watcher.items.length === 1 ? true : null));
    const [first] = items.watcher.items;
    items.watcher.close();
    items.watcher = await startWatcher(session.socket);
    await until(() => (items.watcher.items.length === 1 ? true : null));
    expect(items.watcher.items[0]).toBe(first);
    expect(await panel().property('Title')).toBe('Hostler');
    expect(await panel().property('Status')).toBe('Active');
    expect(await panel().property('Menu')).toBe('/MenuBar');
    const pictures = (await panel().property('IconPixmap')) as [number, number, Uint8Array][];
    expect(pictures.map(([width, height, points]) => [width, height, points.length])).toEqual(
      [16, 22, 32, 48].map((size) => [size, size, size * size * 4]),
    );
  });

  test('a click opens the dashboard; where that fails the log says why, without the code', async () => {
    await panel().activate();
    await until(() => (hostler.output().includes('tray: open: The browser could not be started') ? true : null));
    expect(hostler.output()).not.toMatch(/enter the code|\/login/);
  });

  test('the menu pauses and resumes control, and shows the state', async () => {
    const hour = (await panel().open()).find(({ label }) => label === 'Pause control for an hour');
    await panel().press(hour?.number ?? -1);
    const { until: end } = await until(async () => ((await paused()).paused ? await paused() : null));
    expect(Date.parse(end ?? '') - Date.now()).toBeGreaterThan(50 * 60_000);
    expect((await post('/api/power/restart', { delay: 600 })).error).toContain('Control is paused until');
    const shown = await until(async () => ((await panel().find('Resume control')) ? await panel().entries() : null));
    expect(shown.map(({ label }) => label)).not.toContain('Pause control for an hour');
    expect(shown.find(({ label }) => label.startsWith('Control is paused until'))?.enabled).toBe(false);
    const [, , , tip] = (await panel().property('ToolTip')) as string[];
    expect(tip).toMatch(/^Hostler: control is paused until \d\d:\d\d$/);
    // Entries offered earlier are invalid now.
    await panel().open();
    await panel().press(hour?.number ?? -1);
    await panel().press((await panel().find('Resume control'))?.number ?? -1);
    await until(async () => ((await paused()).paused ? null : true));
    expect(await panel().property('Status')).toBe('Active');
  });

  test('a scheduled action is shown and cancelled; an entry of an earlier one cancels nothing', async () => {
    await post('/api/power/restart', { delay: 600 });
    const first = await until(async () => (await panel().find('Cancel the restart')) ?? null);
    expect((await panel().find('The machine will restart at '))?.label).toContain('ordered by main');
    expect(await panel().property('Status')).toBe('NeedsAttention');
    await post('/api/power/restart', { delay: 900 });
    const second = await until(async () => {
      const entry = await panel().find('Cancel the restart');
      return entry !== undefined && entry.number !== first.number ? entry : null;
    });
    await panel().open();
    await panel().press(first.number);
    expect((await pending()).pending?.action).toBe('restart');
    await panel().press(second.number);
    await until(async () => ((await pending()).pending === null ? true : null));
    expect(await panel().property('Status')).toBe('Active');
  });

  test('a device that requests pairing is indicated, and its prompt is shown again', async () => {
    const screen = await startNotifications(session.socket);
    const { id } = await post('/api/pair/begin', {}, {} as never);
    const agreed = { id, public_key: (await makePairKey()).publicKey, nonce: makeNonce() };
    await post('/api/pair', { name: 'phone', agreed }, {} as never);
    const entry = await until(async () => (await panel().find('Show the prompt')) ?? null);
    expect(entry.label).toContain('phone');
    expect(await panel().property('Status')).toBe('NeedsAttention');
    await until(() => (screen.shown.length === 1 ? true : null));
    await panel().open();
    await panel().press(entry.number);
    await until(() => (screen.shown.length === 2 ? true : null));
    expect(screen.closed).toContain(1);
    expect(screen.shown[1]?.title).toBe(screen.shown[0]?.title ?? '');
    expect((await panel().find('Show the prompt'))?.number).toBe(entry.number);
    // The notification daemon is gone, and the prompt with it.
    screen.close();
    await until(async () => ((await panel().find('Show the prompt')) === undefined ? true : null));
  });

  test('connected clients are named when the menu is opened', async () => {
    expect((await panel().open()).map(({ label }) => label)).toContain('No client is connected');
    await panel().close();
    const socket = new WebSocket(`${hostler.base.replace('http', 'ws')}/api/websocket`);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify({ id: '1', event: 'GET_MODULES', token: hostler.token, data: {} }));
    await new Promise((resolve) => socket.addEventListener('message', resolve));
    const shown = await until(async () => {
      const list = (await panel().open()).map(({ label }) => label);
      return list.includes('1 connected: main') ? list : null;
    });
    expect(shown).not.toContain('No client is connected');
    socket.close();
  });

  test('a tray host that never answers delays nothing', async () => {
    items.watcher.close();
    const silent = await startWatcher(session.socket, { answers: false });
    await until(() => (silent.items.length === 1 ? true : null));
    expect((await hostler.get('/api/health')).status).toBe(200);
    await until(() => (hostler.output().includes('tray: the desktop does not accept the icon') ? true : null));
    silent.close();
    items.watcher = await startWatcher(session.socket);
    await until(() => (items.watcher.items.length === 1 ? true : null));
    expect(await panel().property('Title')).toBe('Hostler');
  });

  test('the icon comes back with a bus that was restarted', async () => {
    items.watcher.close();
    await session.kill();
    await session.start();
    items.watcher = await startWatcher(session.socket);
    await until(() => (items.watcher.items.length > 0 ? true : null));
    expect(
      await until(
        async () =>
          await panel()
            .property('Title')
            .catch(() => null),
      ),
    ).toBe('Hostler');
  });

  test('a tray host that never answers does not delay the end of connections when the service stops', async () => {
    items.watcher.close();
    const silent = await startWatcher(session.socket, { answers: false });
    await using other = await startHostler({ env: variables(), prepare: withTray(true) });
    await until(() => (silent.items.length === 2 ? true : null));
    const client = await connectSocket(other);
    await client.ask('GET_DATA', { modules: [] });
    const stopped = other.stop();
    expect(await client.closed).toEqual({ code: 1001, reason: 'the service is stopping' });
    await stopped;
    silent.close();
    items.watcher = await startWatcher(session.socket);
  });

  test('a program that floods the icon loses it for a while; the service still answers', async () => {
    // The bus itself limits the number of pending replies.
    const ask = () => panel().menu('GetLayout', 'iias', [0, -1, []]);
    await until(async () => {
      await Promise.allSettled(Array.from({ length: 100 }, ask));
      return hostler.output().includes('sends too many requests to the icon') ? true : null;
    });
    // It has left the bus, so that there is no peer to call.
    await until(async () => ((await Promise.allSettled([ask()]))[0]?.status === 'rejected' ? true : null));
    expect(await names()).not.toContain(items.watcher.items.at(-1) ?? '');
    expect((await hostler.get('/api/health')).status).toBe(200);
  });

  test('Quit ends the service in an orderly way, so that it is not restarted', async () => {
    const before = items.watcher.items.length;
    await using other = await startHostler({ env: variables(), prepare: withTray(true) });
    await until(() => (items.watcher.items.length > before ? true : null));
    const own = panelOf(buses.session, () => items.watcher.items.at(-1) ?? ':0.0');
    const quit = await until(async () => (await own.find('Quit').catch(() => undefined)) ?? null);
    await own.open();
    await own.press(quit.number);
    await until(() => {
      try {
        process.kill(other.pid, 0);
        return null;
      } catch {
        return true;
      }
    });
    expect(await other.stop()).toBe(0);
  });
});
