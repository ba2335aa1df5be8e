import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { variant } from '@hostler/dbus/dbus.ts';
import { noKey } from '@hostler/x11/authority.ts';
import { openX11 } from '@hostler/x11/connection.ts';
import { x11Words } from '@hostler/x11/protocol.ts';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { hasOwner } from '../../../src/host/linux/dbus/bus-properties.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { until } from '../../harness/until.ts';
import { createPrivateBus } from '../harness/bus.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { type ListenerOptions, listenToSession, startProgram } from '../harness/session-listener.ts';
import { createPrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(120_000);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function listen(variables: Record<string, string>, options?: ListenerOptions) {
  const listener = listenToSession(variables, options);
  closing.push(listener.close);
  return listener;
}

function start(name: string, args: string[], env: Record<string, string>) {
  const program = startProgram(name, args, env);
  closing.push(program.kill);
  return program;
}

describe.skipIf(!needs('Xvfb', 'openbox', 'xterm', 'xdotool'))(
  'a session on a real X server with a window manager',
  () => {
    async function startDesktop() {
      const x11 = createPrivateX11('Xvfb');
      closing.push(x11.remove);
      await x11.start();
      const env = { DISPLAY: x11.display(), HOME: '/nonexistent' };
      const xdotool = (...args: string[]) =>
        execFileSync(findProgram('xdotool') ?? '', args, {
          env: { PATH: process.env.PATH ?? '', ...env },
          encoding: 'utf8',
          timeout: 30_000,
        });
      return { x11, env, xdotool };
    }

    test('the active window, its title and the desktop are pushed as they change, also after each part was killed', async () => {
      const { x11, env, xdotool } = await startDesktop();
      const { has, last, why } = listen(env);
      await has('no program reports windows', ({ type }) => type === 'x11');
      expect(last()).toMatchObject({ active_window: null, virtual_desktop: null, idle: false, desktop: null });
      expect(why('active_window')).toContain('No window manager');

      let manager = start('openbox', ['--sm-disable'], env);
      await has('a window manager is there', ({ virtual_desktop }) => virtual_desktop !== null);
      const terminal = start('xterm', ['-T', 'first title', '-e', 'sleep', '600'], env);
      await has('the terminal is in front', ({ active_window }) => active_window?.title === 'first title');
      expect(last()?.active_window).toMatchObject({ app: 'XTerm', fullscreen: false });
      expect(last()?.active_window?.pid).toBeGreaterThan(0);

      xdotool('getactivewindow', 'set_window', '--name', 'second title');
      await has('the new title', ({ active_window }) => active_window?.title === 'second title');
      const second = start('xterm', ['-fullscreen', '-T', 'the whole screen', '-e', 'sleep', '600'], env);
      await has('a window covers the screen', ({ active_window }) => active_window?.fullscreen === true);
      expect(last()?.active_window?.title).toBe('the whole screen');
      await second.kill();
      await has('the first is back', ({ active_window }) => active_window?.title === 'second title');
      xdotool('set_desktop', '2');
      await has('another desktop', ({ virtual_desktop }) => virtual_desktop?.number === 3);
      expect(last()?.virtual_desktop?.count).toBe(4);
      xdotool('set_desktop', '0');
      await has('the first desktop', ({ virtual_desktop }) => virtual_desktop?.number === 1);

      await terminal.kill();
      await has('no terminal any more', ({ active_window }) => active_window?.app !== 'XTerm');
      await manager.kill();
      manager = start('openbox', ['--sm-disable'], env);
      start('xterm', ['-T', 'after the restart', '-e', 'sleep', '600'], env);
      // A window that existed before its manager is not activated.
      const inFront = (title: string) =>
        until(() => {
          try {
            xdotool('search', '--name', title, 'windowactivate');
          } catch {}
          return last()?.active_window?.title === title;
        }, title);
      await inFront('after the restart');

      await x11.kill();
      await has('the server is gone', ({ type }) => type !== 'x11');
      await x11.start();
      start('openbox', ['--sm-disable'], env);
      start('xterm', ['-T', 'on the new server', '-e', 'sleep', '600'], env);
      await inFront('on the new server');
    });

    test('idle and active are pushed once each, with the time of the change, and the duration never', async () => {
      const { env, xdotool } = await startDesktop();
      const { has, last, pushed } = listen(env, { idleAfter: 2 });
      // The server may have been idle for longer already.
      xdotool('mousemove', '10', '10');
      await has('the session is active', ({ idle }) => idle === false);
      const before = pushed.length;
      await has('the session is idle', ({ idle }) => idle === true);
      expect(pushed.length).toBe(before + 1);
      const since = last()?.idle_since ?? 0;
      expect(Math.abs(Date.now() / 1000 - 2 - since)).toBeLessThan(60);
      xdotool('mousemove', '20', '20');
      await has('the session is active again', ({ idle }) => idle === false);
      expect(last()?.idle_since).toBeNull();
      expect(pushed.length).toBe(before + 2);
    });

    test('a title of ten megabytes with control characters is cut and cleaned, and is not sent without the scope', async () => {
      const { env, xdotool } = await startDesktop();
      const seeing = listen(env);
      const other = listen(env, { scopes: ['read', 'admin', 'control'] });
      start('openbox', ['--sm-disable'], env);
      await other.has('the desktop', ({ virtual_desktop }) => virtual_desktop !== null);
      start('xterm', ['-T', 'wait', '-e', 'sleep', '600'], env);
      await seeing.has('the terminal', ({ active_window }) => active_window?.title === 'wait');
      const before = other.pushed.length;
      await giveHugeTitle(env.DISPLAY, Number(xdotool('getactivewindow')));
      await seeing.has('the long title', ({ active_window }) => (active_window?.title.length ?? 0) > 200);
      const title = seeing.last()?.active_window?.title ?? '';
      expect([...title].length).toBeLessThanOrEqual(256);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none
      expect(title).not.toMatch(/[\u0000-\u001f\u202e]/);
      expect(other.pushed.length).toBe(before);
      expect(other.last()?.active_window).toBeNull();
      expect(other.why('active_window')).toBe('needs the scope screen');
      expect(JSON.stringify(other.pushed)).not.toContain('wait');
    });
  },
);

describe.skipIf(!needs('sway', 'swaymsg', 'foot'))('a session under sway', () => {
  async function startSway() {
    const wayland = createPrivateWayland('sway');
    closing.push(wayland.remove);
    const begin = async () => {
      await wayland.start();
      await until(() => {
        try {
          return wayland.swaymsg('-t', 'get_version') !== '';
        } catch {
          return false;
        }
      }, 'sway takes orders');
    };
    await begin();
    const foot = (title: string) => void wayland.swaymsg('exec', `foot --title '${title}' sleep 600`);
    return { wayland, foot, begin };
  }

  test('the active window and its title are pushed, also after the compositor was killed', async () => {
    const { wayland, foot, begin } = await startSway();
    const { has, last, why } = listen(wayland.variables);
    await has('no window', ({ type, active_window }) => type === 'wayland' && active_window === null);
    expect(why('active_window')).toBe('No window has the focus');
    expect(last()?.idle).toBe(false);
    foot('first title');
    await has('the terminal', ({ active_window }) => active_window?.title === 'first title');
    expect(last()?.active_window).toEqual({ title: 'first title', app: 'foot', pid: null, fullscreen: false });
    wayland.swaymsg('fullscreen', 'enable');
    await has('it covers the screen', ({ active_window }) => active_window?.fullscreen === true);
    wayland.swaymsg('fullscreen', 'disable');
    foot('second title');
    await has('the second one', ({ active_window }) => active_window?.title === 'second title');
    wayland.swaymsg('[title="second title"]', 'kill');
    await has('the first one again', ({ active_window }) => active_window?.title === 'first title');
    expect(why('virtual_desktop')).toContain('workspace');

    await wayland.kill();
    await has('the compositor is gone', ({ type }) => type !== 'wayland');
    await begin();
    foot('after the restart');
    await has('the window of the new one', ({ active_window }) => active_window?.title === 'after the restart');
  });

  test('without the scope no window is returned, pushed or read', async () => {
    const { wayland, foot } = await startSway();
    const seeing = listen(wayland.variables);
    const other = listen(wayland.variables, { scopes: ['read', 'files', 'admin'] });
    await Promise.all([seeing, other].map(({ has }) => has('the session', ({ type }) => type === 'wayland')));
    const before = other.pushed.length;
    foot('a secret');
    await seeing.has('the window', ({ active_window }) => active_window?.title === 'a secret');
    const reads = other.store.costs()[0]?.reads ?? 0;
    for (const title of ['another secret', 'a third', 'a fourth']) {
      foot(title);
      await seeing.has('the other window', ({ active_window }) => active_window?.title === title);
    }
    expect(other.pushed.length).toBe(before);
    // A regular reading may fall in between; one for each window does not.
    expect(other.store.costs()[0]?.reads).toBeLessThanOrEqual(reads + 1);
    expect(other.last()?.active_window).toBeNull();
    expect(other.why('active_window')).toBe('needs the scope screen');
  });

  test('idle and active are pushed once each', async () => {
    const { wayland } = await startSway();
    const { has, last, pushed } = listen(wayland.variables, { idleAfter: 1 });
    await has('the session is idle', ({ idle }) => idle === true);
    expect(Math.abs(Date.now() / 1000 - 1 - (last()?.idle_since ?? 0))).toBeLessThan(60);
    const before = pushed.length;
    wayland.swaymsg('seat', '*', 'cursor', 'move', '10', '10');
    await has('the session is active', ({ idle }) => idle === false);
    expect(pushed.length).toBe(before + 1);
    await has('the session is idle again', ({ idle }) => idle === true);
  });
});

describe.skipIf(!needs('mutter'))('a session under GNOME', () => {
  test('idle comes from its monitor, also after a restart, and the window has its reason', async () => {
    const wayland = createPrivateWayland('mutter');
    closing.push(wayland.remove);
    await wayland.start();
    const { has, why } = listen(wayland.variables, { idleAfter: 3 });
    await has('the session', ({ type }) => type === 'wayland');
    expect(why('active_window')).toContain('does not show windows');
    await has('the session is idle', ({ idle }) => idle === true);
    await wayland.kill();
    await has('the compositor is gone', ({ type }) => type !== 'wayland');
    await wayland.start();
    await has('the new one was just started', ({ type, idle }) => type === 'wayland' && idle === false);
    await has('the session is idle as well', ({ idle }) => idle === true);
  });
});

const python = '/usr/bin/python3';
const hasMocks = () =>
  needs('dbus-daemon', python) &&
  (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));

async function startBus() {
  const bus = createPrivateBus();
  closing.push(() => bus.remove());
  await bus.start();
  return bus;
}

/** Stand-ins of python3-dbusmock, configured over the bus. */
async function startMocks(variables: Record<string, string>) {
  const buses = connectBuses({ variable: (name: string) => variables[name] ?? null });
  closing.push(() => buses.system.close());
  const mock = async (template: string, name: string) => {
    const program = start(python, ['-m', 'dbusmock', '--system', '--template', template], variables);
    await until(() => hasOwner(buses.system, name), `${name} is there`);
    return program;
  };
  const update = (destination: string, path: string, name: string, values: Record<string, unknown>) =>
    buses.system.call({
      destination,
      path,
      interface: 'org.freedesktop.DBus.Mock',
      member: 'UpdateProperties',
      signature: 'sa{sv}',
      body: [name, values],
    });
  return { system: buses.system, mock, update };
}

describe.skipIf(!hasMocks())('values of daemons on the system bus (stand-ins of dbusmock)', () => {
  const login1 = 'org.freedesktop.login1';

  test('logind: users, idle and locked, also after it was killed', async () => {
    const bus = await startBus();
    const variables = { DBUS_SYSTEM_BUS_ADDRESS: bus.address };
    const { system, mock, update } = await startMocks(variables);
    const { has, last, why } = listen({ ...variables, XDG_CURRENT_DESKTOP: 'GNOME' });
    await has('no user is logged in', ({ user }) => user === null);
    expect(why('user')).toContain('logind is not running');
    const begin = async () => {
      const logind = await mock('logind', login1);
      await system.call({
        destination: login1,
        path: '/org/freedesktop/login1',
        interface: 'org.freedesktop.DBus.Mock',
        member: 'AddSession',
        signature: 'ssusb',
        body: ['c1', 'seat0', process.getuid?.() ?? 0, 'anna', true],
      });
      return logind;
    };
    const hint = (values: Record<string, unknown>) =>
      update(login1, '/org/freedesktop/login1/session/c1', `${login1}.Session`, values);
    const logind = await begin();
    // This stand-in announces its session by no signal: any signal triggers a read.
    await hint({ Type: 'wayland', IdleHint: false });
    await has('the user', ({ user, type }) => user === 'anna' && type === 'wayland');
    expect(last()).toMatchObject({ seat: 'seat0', idle: false, locked: false, desktop: 'GNOME' });
    await hint({ IdleHint: true, IdleSinceHint: variant('t', 1_767_225_600_000_000n) });
    await has('idle', ({ idle }) => idle === true);
    expect(last()?.idle_since).toBe(1_767_225_600);
    await hint({ LockedHint: true });
    await has('locked', ({ locked }) => locked === true);
    await hint({ LockedHint: false, IdleHint: false });
    await has('back', ({ locked, idle }) => locked === false && idle === false);
    await logind.kill();
    await has('logind is gone', ({ user }) => user === null);
    await begin();
    await hint({ LockedHint: true, Type: 'wayland' });
    await has('locked, by the new one', ({ locked }) => locked === true);
  });

  test('power profiles, lid and battery, also after each was killed, and after the bus was', async () => {
    const bus = await startBus();
    const variables = { DBUS_SYSTEM_BUS_ADDRESS: bus.address };
    const { mock, update } = await startMocks(variables);
    const { has, why } = listen(variables);
    await has('nothing runs', ({ power_profile }) => power_profile === null);
    expect(why('power_profile')).toContain('power-profiles-daemon');
    const [profiles, upower] = ['net.hadess.PowerProfiles', 'org.freedesktop.UPower'];
    const begin = async () => [await mock('power_profiles_daemon', profiles), await mock('upower', upower)];
    const daemons = await begin();
    await has('the profile', ({ power_profile }) => power_profile !== null);
    const profile = (name: string) => update(profiles, '/net/hadess/PowerProfiles', profiles, { ActiveProfile: name });
    const power = (values: Record<string, boolean>) => update(upower, '/org/freedesktop/UPower', upower, values);
    await profile('power-saver');
    await has('another profile', ({ power_profile }) => power_profile === 'power-saver');
    await power({ OnBattery: true, LidIsPresent: true, LidIsClosed: true });
    await has('on battery', ({ on_battery, lid_closed }) => on_battery === true && lid_closed === true);
    await power({ LidIsClosed: false });
    await has('the lid is open', ({ lid_closed }) => lid_closed === false);
    for (const daemon of daemons) await daemon.kill();
    await has('nothing runs any more', ({ power_profile }) => power_profile === null);
    await begin();
    await profile('performance');
    await has('the profile of the new one', ({ power_profile }) => power_profile === 'performance');
    await bus.kill();
    await has('the bus is gone', ({ power_profile }) => power_profile === null);
    await bus.start();
    await begin();
    await profile('power-saver');
    await has('the profile on the new bus', ({ power_profile }) => power_profile === 'power-saver');
  });
});

describe.skipIf(!needs('dbus-daemon', 'Xvfb', 'dunst', 'dunstctl'))('do not disturb of dunst', () => {
  test('is pushed, also after it was killed and restarted', async () => {
    const [x11, bus] = [createPrivateX11('Xvfb'), await startBus()];
    closing.push(x11.remove);
    await x11.start();
    const variables = { DISPLAY: x11.display(), DBUS_SESSION_BUS_ADDRESS: bus.address, HOME: '/nonexistent' };
    const { has, why } = listen(variables);
    await has('no program shows notifications', ({ do_not_disturb }) => do_not_disturb === null);
    expect(why('do_not_disturb')).toContain('notification daemon');
    const pause = (paused: boolean) =>
      execFileSync(findProgram('dunstctl') ?? '', ['set-paused', String(paused)], {
        env: { PATH: process.env.PATH ?? '', ...variables },
        timeout: 30_000,
      });
    const dunst = start('dunst', ['-conf', '/dev/null'], variables);
    await has('dunst', ({ do_not_disturb }) => do_not_disturb === false);
    pause(true);
    await has('paused', ({ do_not_disturb }) => do_not_disturb === true);
    await dunst.kill();
    await has('gone', ({ do_not_disturb }) => do_not_disturb === null);
    start('dunst', ['-conf', '/dev/null'], variables);
    await has('the new one is not paused', ({ do_not_disturb }) => do_not_disturb === false);
  });
});

describe.skipIf(!needs('sway', 'swaymsg', 'mako', 'makoctl'))('do not disturb of mako', () => {
  test('is polled at the interval, because it announces nothing, also after it was killed', async () => {
    const wayland = createPrivateWayland('sway');
    closing.push(wayland.remove);
    await wayland.start();
    const { has } = listen(wayland.variables, { interval: 250 });
    await has('the session', ({ type }) => type === 'wayland');
    const display = { WAYLAND_DISPLAY: 'wayland-1' };
    const makoctl = (...args: string[]) =>
      execFileSync(findProgram('makoctl') ?? '', args, { env: { ...wayland.variables, ...display }, timeout: 30_000 });
    const mako = start('mako', ['-c', '/dev/null'], { ...wayland.variables, ...display });
    await has('mako', ({ do_not_disturb }) => do_not_disturb === false);
    makoctl('mode', '-a', 'do-not-disturb');
    await has('silent', ({ do_not_disturb }) => do_not_disturb === true);
    await mako.kill();
    await has('gone', ({ do_not_disturb }) => do_not_disturb === null);
    start('mako', ['-c', '/dev/null'], { ...wayland.variables, ...display });
    await has('the new one', ({ do_not_disturb }) => do_not_disturb === false);
  });
});

/** 10 MB in pieces, set by the test in place of the program that owns the window. */
async function giveHugeTitle(display: string, window: number): Promise<void> {
  const host = createLinuxHost('6.0.0', startThread);
  const socket = `/tmp/.X11-unix/X${display.slice(1)}`;
  const x11 = await openX11(host.connectLocal, host.clock, { socket, key: noKey, timeoutMs: 60_000 });
  const [changeProperty, internAtom, replace, append] = [18, 16, 0, 2];
  const atom = async (name: string) => {
    const length = Buffer.from([name.length, 0, 0, 0]);
    return (await x11.ask(internAtom, 0, Buffer.concat([length, Buffer.from(name)]))).readUInt32LE(8);
  };
  const [name, utf8] = [await atom('_NET_WM_NAME'), await atom('UTF8_STRING')];
  const piece = Buffer.from('\u001b[2J\u202ebad\u0000\n'.repeat(8000));
  for (let sent = 0; sent < 10_000_000; sent += piece.length)
    x11.send(
      changeProperty,
      sent === 0 ? replace : append,
      Buffer.concat([x11Words(window, name, utf8, 8, piece.length), piece]),
    );
  await atom('_NET_WM_NAME');
  x11.close();
  await host.close();
}
