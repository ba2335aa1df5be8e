// tier: full
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createStore } from '../../../src/core/store.ts';
import { sessionActions } from '../../../src/features/session/session.actions.ts';
import { session } from '../../../src/features/session/session.ts';
import { fakeActionContext, fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { switchDisplaysIn } from '../harness/display-desk.ts';
import { kdePortalPrograms, startKdePortal } from '../harness/kde-portal.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { openPointerWindows } from '../harness/pointer-window.ts';
import { paintedPng, patternOf, pictureIn } from '../harness/screen-pattern.ts';
import { postJson, type RunningHostler, startHostler } from '../harness/service.ts';
import { hostIn } from '../harness/session-host.ts';
import { type ListenerOptions, listenToSession, startProgram } from '../harness/session-listener.ts';
import { createPrivateWayland, type KwinOptions, type PrivateWayland } from '../harness/wayland.ts';

setDefaultTimeout(300_000);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function createKwin(kwin: KwinOptions = {}): PrivateWayland {
  const wayland = createPrivateWayland('kwin_wayland', { kwin });
  closing.push(wayland.remove);
  return wayland;
}

/** Its displays are windows of sway, in which there is a pointer, and which can be switched off. */
async function createKwinInSway(): Promise<{ kwin: PrivateWayland; sway: PrivateWayland }> {
  const sway = createPrivateWayland('sway');
  closing.push(sway.remove);
  await sway.start();
  return { sway, kwin: createKwin({ inside: sway.socket }) };
}

function listen(variables: Record<string, string>, options?: ListenerOptions) {
  const listener = listenToSession({ ...variables, XDG_CURRENT_DESKTOP: 'KDE' }, options);
  closing.push(listener.close);
  return listener;
}

function deskIn(variables: Record<string, string>) {
  const desk = switchDisplaysIn(variables);
  closing.push(desk.close);
  return desk;
}

/** A window of weston-terminal: on x86_64 foot 1.13 divides by the physical size of a virtual display, which KWin does not state. */
function openTerminal(kwin: PrivateWayland, script: string): void {
  const shell = path.join(kwin.variables.HOME ?? '', 'shell');
  fs.writeFileSync(shell, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...kwin.variables, WAYLAND_DISPLAY: kwin.socket(), LC_ALL: 'C.UTF-8' };
  closing.push(startProgram('weston-terminal', [`--shell=${shell}`], env).kill);
}

/** A program of systemd as a witness, and as another caller. */
function busctl(kwin: PrivateWayland, ...words: string[]): string {
  const address = `--address=${kwin.variables.DBUS_SESSION_BUS_ADDRESS}`;
  return execFileSync(findProgram('busctl') ?? '', [address, ...words], { encoding: 'utf8', timeout: 30_000 }).trim();
}

const desktopsOf = ['org.kde.KWin', '/VirtualDesktopManager', 'org.kde.KWin.VirtualDesktopManager'] as const;
/** Of Plasma 5, and of 6. */
const lights = [
  ['org.kde.NightColor', '/ColorCorrect', 'org.kde.kwin.ColorCorrect'],
  ['org.kde.KWin.NightLight', '/org/kde/KWin/NightLight', 'org.kde.KWin.NightLight'],
] as const;

const hasKwin = needs('kwin_wayland', 'dbus-daemon', 'busctl');

describe.skipIf(!hasKwin)('displays of KWin', () => {
  test.skipIf(!needs('wayland-info'))(
    'have the pixels and positions that another program sees, also at scale 2',
    async () => {
      const kwin = createKwin({ scale: 2 });
      await kwin.start();
      const desk = deskIn(kwin.variables);
      await until(() => desk.last().length === 2 && desk.last()[1]?.x !== 0, 'both are there, side by side');
      const env = { PATH: process.env.PATH ?? '', WAYLAND_DISPLAY: kwin.socket() };
      const seen = execFileSync(findProgram('wayland-info') ?? '', { env, encoding: 'utf8', timeout: 30_000 });
      const outputs = seen.split("interface: 'wl_output'").slice(1, 3);
      expect(outputs.every((text) => text.includes('scale: 2'))).toBe(true);
      const witnessed = outputs.map((text) => [
        /name: (\S+)$/m.exec(text.slice(text.indexOf('\n')))?.[1],
        ...['width', 'height'].map((side) => Number(new RegExp(`\\b${side}: (\\d+) px`).exec(text)?.[1])),
        Number(/refresh: ([\d.]+) Hz/.exec(text)?.[1]),
        Number(/\bx: (\d+)/.exec(text)?.[1]),
      ]);
      expect(witnessed.map(([name]) => name)).toEqual(['Virtual-0', 'Virtual-1']);
      expect<unknown>(
        desk.last().map((one) => [one.id, one.resolution_horizontal, one.resolution_vertical, one.refresh_rate, one.x]),
      ).toEqual(witnessed);
    },
  );

  test('virtual displays cannot be switched off, and the error says so without trying', async () => {
    const kwin = createKwin();
    await kwin.start();
    const desk = deskIn(kwin.variables);
    await until(() => desk.powers().length === 2, 'both are there');
    expect(desk.powers()).toEqual([null, null]);
    const sentence = 'The compositor reports that Virtual-0, Virtual-1 cannot be switched on and off';
    expect(await desk.unavailable()).toBe(sentence);
    await expect(desk.set(false)).rejects.toMatchObject({ code: 'unsupported', message: sentence });
  });

  test.skipIf(!needs('sway', 'swaymsg'))(
    'that KWin can switch go off and on independently, also after it was killed and restarted',
    async () => {
      const { kwin } = await createKwinInSway();
      const desk = deskIn(kwin.variables);
      for (const _ of ['first', 'again']) {
        await kwin.start();
        await until(() => String(desk.powers()) === 'on,on', 'both are on');
        expect(await desk.unavailable()).toBeNull();
        expect(desk.last().map(({ id }) => id)).toEqual(['WL-0', 'WL-1']);
        // While it still starts it may light a display that it was asked to switch off, and then the reply does not claim it.
        await until(async () => {
          const { data } = await desk.set(false, 'WL-1');
          expect(data).toMatchObject({ displays: ['WL-1'], power: 'off' });
          return data.confirmed;
        }, 'it obeys');
        await until(() => String(desk.powers()) === 'on,off', 'that one is off is pushed');
        expect((await desk.set(false)).data).toMatchObject({ confirmed: true });
        await until(() => String(desk.powers()) === 'off,off', 'that both are off is pushed');
        expect((await desk.set(true)).data).toMatchObject({ displays: ['WL-0', 'WL-1'], power: 'on', confirmed: true });
        await until(() => String(desk.powers()) === 'on,on', 'both are on again');
        await kwin.kill();
        await until(() => desk.powers().length === 0, 'its end is seen');
        expect(await desk.unavailable()).not.toBeNull();
      }
    },
  );
});

describe.skipIf(!hasKwin)('a session under KWin', () => {
  test('changes of the current virtual desktop are pushed, also after KWin restarted', async () => {
    const kwin = createKwin();
    const { has, last, pushed } = listen(kwin.variables);
    await has('there is no desktop', ({ type }) => type === 'none');
    for (const _ of ['first', 'again']) {
      await kwin.start();
      await has(
        'its desktops and its night light',
        ({ virtual_desktop, night_light }) => virtual_desktop !== null && night_light === false,
      );
      expect(last()).toMatchObject({ type: 'wayland', desktop: 'KDE' });
      // Earlier state is read from the settings it wrote.
      const before = Number(busctl(kwin, 'get-property', ...desktopsOf, 'count').split(' ')[1]);
      expect(last()?.virtual_desktop).toMatchObject({ number: 1, count: before });
      busctl(kwin, 'call', ...desktopsOf, 'createDesktop', 'us', String(before), 'Mail \u2709');
      await has('one more', ({ virtual_desktop }) => virtual_desktop?.count === before + 1);
      const ids = busctl(kwin, 'get-property', ...desktopsOf, 'desktops').match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
      expect(ids).toHaveLength(before + 1);
      busctl(kwin, 'set-property', ...desktopsOf, 'current', 's', ids.at(-1) ?? '');
      await has('the new one is in front', ({ virtual_desktop }) => virtual_desktop?.number === before + 1);
      expect(last()?.virtual_desktop).toEqual({ number: before + 1, name: 'Mail \u2709', count: before + 1 });
      busctl(kwin, 'call', ...desktopsOf, 'setDesktopName', 'ss', ids.at(-1) ?? '', 'Letters');
      await has('its new name', ({ virtual_desktop }) => virtual_desktop?.name === 'Letters');
      busctl(kwin, 'call', ...desktopsOf, 'removeDesktop', 's', ids.at(-1) ?? '');
      await has('it is gone', ({ virtual_desktop }) => virtual_desktop?.count === before);
      const told = pushed.length;
      await kwin.kill();
      await has('so is KWin', ({ type, virtual_desktop }) => type === 'none' && virtual_desktop === null);
      expect(pushed.length).toBeGreaterThan(told);
    }
  });

  test.skipIf(!needs('weston-terminal'))(
    'the active window is hidden from the service, and the reason says so',
    async () => {
      const kwin = createKwin();
      await kwin.start();
      const { has, last, why } = listen(kwin.variables);
      openTerminal(kwin, "printf '\\033]0;Zebra-4711\\007'; exec sleep 600");
      // KWin itself knows it: its window search returns what its launcher would show.
      const matches = () =>
        busctl(kwin, 'call', 'org.kde.KWin', '/WindowsRunner', 'org.kde.krunner1', 'Match', 's', 'Zebra-4711');
      await until(() => {
        try {
          return matches().includes('Zebra-4711');
        } catch {
          // That part of KWin starts a moment later.
          return false;
        }
      }, 'the window is there');
      await has('the session', ({ type }) => type === 'wayland');
      expect(last()?.active_window).toBeNull();
      expect(why('active_window')).toBe(
        'This compositor does not show windows to other programs; those based on wlroots, such as sway, do',
      );
    },
  );

  test.skipIf(!needs('sway', 'swaymsg'))('idle and active are pushed, also after KWin restarted', async () => {
    const { kwin, sway } = await createKwinInSway();
    const { has, last } = listen(kwin.variables, { idleAfter: 1 });
    let at = 100;
    for (const _ of ['first', 'again']) {
      await kwin.start();
      await has('the session is idle', ({ type, idle }) => type === 'wayland' && idle === true);
      expect(Math.abs(Date.now() / 1000 - 1 - (last()?.idle_since ?? 0))).toBeLessThan(60);
      // Its window may not be under the pointer yet.
      await until(
        () => {
          // Back and forth, so that the pointer stays on the window for as long as it takes.
          at = at === 100 ? 101 : 100;
          sway.swaymsg('seat', '*', 'cursor', 'set', String(at), '200');
          return last()?.idle === false;
        },
        'the session is active',
        120_000,
      );
      await has('the session is idle again', ({ idle }) => idle === true);
      await kwin.kill();
      await has('KWin is gone', ({ type }) => type === 'none');
    }
  });

  test('a single read returns less than a subscription, with the reason', async () => {
    const kwin = createKwin();
    await kwin.start();
    const host = hostIn({ ...kwin.variables, XDG_CURRENT_DESKTOP: 'KDE' });
    const store = createStore({ modules: [session.module], host, context: fakeContext() });
    closing.push(async () => {
      store.close();
      await host.close();
    });
    expect((await store.get('session')).payload).toMatchObject({
      type: 'wayland',
      desktop: 'KDE',
      idle: null,
      locked: null,
      virtual_desktop: { number: 1, count: 1 },
    });
    const [state] = await store.describe();
    const why = (field: string) => state?.reasons.find((each) => each.field === field)?.reason;
    expect(why('idle')).toBe('This compositor reports it only to programs that stay connected');
    expect(why('locked')).toContain('logind is not running');
  });
});

describe.skipIf(!hasKwin)('the night light of KWin', () => {
  const [, light] = sessionActions;
  const enable = (kwin: PrivateWayland) => {
    const file = path.join(kwin.variables.HOME ?? '', '.config', 'kwinrc');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '[NightColor]\nActive=true\nMode=Constant\nNightTemperature=4000\n');
  };
  const isHeldBack = (kwin: PrivateWayland) => {
    const names = busctl(kwin, 'list', '--acquired', '--no-legend');
    const place = lights.find(([name]) => names.includes(`${name} `));
    return busctl(kwin, 'get-property', ...(place ?? lights[0]), 'inhibited') === 'b true';
  };
  const orders = (kwin: PrivateWayland) => {
    const host = hostIn(kwin.variables);
    const { context, close } = fakeActionContext(host);
    return {
      context,
      async end() {
        await close();
        await host.close();
      },
    };
  };

  test('is inhibited and released, also after KWin restarted, and not longer than the service runs', async () => {
    const kwin = createKwin();
    enable(kwin);
    const { has } = listen(kwin.variables);
    await kwin.start();
    const { context, end } = orders(kwin);
    for (const _ of ['first', 'again']) {
      await has('the colours are warm', ({ night_light }) => night_light === true);
      expect(isHeldBack(kwin)).toBe(false);
      expect(await light.run({ on: false }, context)).toMatchObject({
        message: 'Night light is off (Plasma)',
        data: { on: false, by: 'Plasma', confirmed: true },
      });
      expect(isHeldBack(kwin)).toBe(true);
      await has('they are no longer', ({ night_light }) => night_light === false);
      await light.run({ on: true }, context);
      expect(isHeldBack(kwin)).toBe(false);
      await has('they are warm again', ({ night_light }) => night_light === true);
      await light.run({ on: false }, context);
      await kwin.kill();
      await has('KWin is gone', ({ night_light }) => night_light === null);
      await kwin.start();
    }
    await has('the third one knows nothing of it', ({ night_light }) => night_light === true);
    await light.run({ on: false }, context);
    expect(isHeldBack(kwin)).toBe(true);
    await end();
    await has('it comes back when we leave', ({ night_light }) => night_light === true);
    expect(isHeldBack(kwin)).toBe(false);
  });

  test('that is disabled cannot be switched on, and nothing inhibits it later', async () => {
    const kwin = createKwin();
    await kwin.start();
    const { context, end } = orders(kwin);
    closing.push(end);
    await until(async () => (await light.unavailable(context)) === null, 'KWin is there');
    await light.run({ on: false }, context);
    expect(isHeldBack(kwin)).toBe(true);
    await expect(light.run({ on: true }, context)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('System Settings'),
    });
    expect(isHeldBack(kwin)).toBe(false);
  });
});

const python = '/usr/bin/python3';
const hasMocks = () =>
  needs(python) && (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));

describe.skipIf(!hasKwin)('the lock screen of KWin', () => {
  const isLocked = (kwin: PrivateWayland) =>
    busctl(kwin, 'call', 'org.kde.screensaver', '/ScreenSaver', 'org.freedesktop.ScreenSaver', 'GetActive') ===
    'b true';

  test('is activated by the action where there is no logind, and detected', async () => {
    const kwin = createKwin({ locks: true });
    await kwin.start();
    const hostler = await serve(kwin);
    await until(() => busctl(kwin, 'list', '--acquired').includes('org.kde.screensaver'), 'it can lock');
    expect(isLocked(kwin)).toBe(false);
    expect(await order(hostler, 'power/lock', {})).toMatchObject({
      status: 200,
      message: expect.stringMatching(/ is locked$/),
    });
    expect(isLocked(kwin)).toBe(true);
  });

  test.skipIf(!hasMocks())('is reported to logind (a stand-in), which notifies listeners', async () => {
    const kwin = createKwin({ locks: true });
    // For its bus.
    await kwin.start();
    await kwin.kill();
    const variables = {
      ...kwin.variables,
      DBUS_SYSTEM_BUS_ADDRESS: kwin.variables.DBUS_SESSION_BUS_ADDRESS ?? '',
    };
    closing.push(startProgram(python, ['-m', 'dbusmock', '--system', '--template', 'logind'], variables).kill);
    const [login1, mock] = ['org.freedesktop.login1', 'org.freedesktop.DBus.Mock'];
    await until(() => busctl(kwin, 'list', '--acquired').includes(login1), 'logind is there');
    // KWin looks up its session by this name.
    const uid = String(process.getuid?.() ?? 0);
    busctl(
      kwin,
      'call',
      login1,
      '/org/freedesktop/login1',
      mock,
      'AddSession',
      'ssusb',
      'auto',
      'seat0',
      uid,
      'anna',
      'true',
    );
    const at = `/org/freedesktop/login1/session/auto`;
    const name = `${login1}.Session`;
    const noted = `self.UpdateProperties('${name}', {'LockedHint': args[0]})`;
    busctl(kwin, 'call', login1, at, mock, 'AddMethod', 'sssss', name, 'SetLockedHint', 'b', '', noted);
    const signal = (member: string) =>
      busctl(kwin, 'call', login1, at, mock, 'EmitSignal', 'sssav', name, member, '', '0');
    const { has } = listen(variables);
    await kwin.start();
    await has('it is not locked', ({ type, locked }) => type === 'wayland' && locked === false);
    await until(() => busctl(kwin, 'list', '--acquired').includes('org.kde.screensaver'), 'it can lock');
    signal('Lock');
    await has('it is locked', ({ locked }) => locked === true);
    expect(isLocked(kwin)).toBe(true);
    signal('Unlock');
    await has('it is no longer', ({ locked }) => locked === false);
    expect(isLocked(kwin)).toBe(false);
  });
});

/** A service in this session, whose owner allowed screen capture. */
async function serve(kwin: PrivateWayland): Promise<RunningHostler> {
  const hostler = await startHostler({
    env: { ...kwin.variables, XDG_CURRENT_DESKTOP: 'KDE' },
    prepare(place) {
      fs.mkdirSync(path.join(place, 'config'));
      fs.writeFileSync(path.join(place, 'config', 'settings.json'), JSON.stringify({ screen: { allowed: true } }));
    },
  });
  closing.push(() => hostler.stop());
  return hostler;
}

async function order(hostler: RunningHostler, name: string, input: object) {
  const response = await postJson(hostler, `/api/${name}`, input);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isPicture = response.headers.get('content-type') === 'image/png';
  const { error, message } = (isPicture ? {} : JSON.parse(bytes.toString())) as { error?: string; message?: string };
  return { status: response.status, bytes, error, message };
}

/** Retries after a rate limit, or after a recent denial. */
async function capture(hostler: RunningHostler, input: object = {}) {
  let answer = await order(hostler, 'screen/capture', input);
  await until(
    async () => {
      if (answer.status === 429) answer = await order(hostler, 'screen/capture', input);
      return answer.status !== 429;
    },
    'the request is accepted',
    120_000,
  );
  return answer;
}

const hasUinput = () => fs.existsSync('/dev/uinput');

describe.skipIf(!hasKwin)('KWin without a portal', () => {
  test('refuses screen capture, typing and pointer moves, and each error says what to install', async () => {
    const kwin = createKwin({ draws: 'opengl' });
    await kwin.start();
    const hostler = await serve(kwin);
    expect(await capture(hostler)).toMatchObject({
      status: 501,
      error: expect.stringMatching(/neither ext-image-copy-capture-v1 nor wlr-screencopy.*xdg-desktop-portal-kde/),
    });
    if (hasUinput()) return console.log('/dev/uinput is there: keys and pointer are not refused, and are left alone');
    for (const [name, input] of [
      ['keyboard/text', { text: 'a' }],
      ['pointer/move', { dx: 1, dy: 1 }],
    ] as const) {
      const { status, error } = await order(hostler, name, input);
      expect([name, status]).toEqual([name, 501]);
      expect(error).toContain('xdg-desktop-portal-kde');
    }
  });
});

describe.skipIf(!hasKwin || !needs(...kdePortalPrograms, 'pipewire', 'wireplumber'))("KDE's real portal", () => {
  const withPortal = async (options: KwinOptions, portal: { pipewire?: boolean } = {}) => {
    const kwin = createKwin({ draws: 'opengl', ...options });
    await kwin.start();
    const { end } = await startKdePortal(kwin, portal);
    closing.push(end);
    return { kwin, end, hostler: await serve(kwin) };
  };

  test.skipIf(!needs('swaybg'))('returns what was painted, and an error where it cannot save it', async () => {
    const { kwin, hostler, end } = await withPortal({});
    const env = { ...kwin.variables, WAYLAND_DISPLAY: kwin.socket() };
    const patterns = [patternOf(1), patternOf(2)] as const;
    for (const [index, painted] of patterns.entries()) {
      const file = path.join(kwin.variables.HOME ?? '', `${index}.png`);
      fs.writeFileSync(file, await paintedPng(painted, 1024, 768));
      closing.push(startProgram('swaybg', ['-o', `Virtual-${index}`, '-i', file, '-m', 'fill'], env).kill);
    }
    const refusal = await capture(hostler);
    expect([refusal.status, refusal.error]).toEqual([403, expect.stringContaining('has to exist')]);

    const pictures = path.join(kwin.variables.HOME ?? '', 'Pictures');
    fs.mkdirSync(pictures);
    let differing = Number.NaN;
    await until(
      async () => {
        const { status, bytes, error } = await capture(hostler);
        if (status !== 200) throw new Error(`${status}: ${error}`);
        const { width, height, pixels } = await pictureIn(bytes);
        expect([width, height]).toEqual([2048, 768]);
        const wrong: { x: number; y: number }[] = [];
        for (let y = 0; y < height; y += 1)
          for (let x = 0; x < width; x += 1) {
            const painted = x < 1024 ? patterns[0](x, y) : patterns[1](x - 1024, y);
            const at = (y * width + x) * 3;
            if (painted.some((value, colour) => pixels[at + colour] !== value)) wrong.push({ x, y });
          }
        // The portal draws the pointer into it, which is small; everything else is equal.
        differing = wrong.length;
        const [first = { x: 0, y: 0 }] = wrong;
        return wrong.every(({ x, y }) => Math.hypot(x - first.x, y - first.y) < 64);
      },
      'both displays are as they were painted',
      120_000,
    );
    console.log(`${differing} pixels differ from what was painted`);
    expect(fs.readdirSync(pictures)).toEqual([]);
    expect(await capture(hostler, { display: 'Virtual-0' })).toMatchObject({
      status: 501,
      error: expect.stringContaining('all its displays together'),
    });
    await end();
    expect(await capture(hostler)).toMatchObject({ status: 501, error: expect.stringContaining('no portal') });
  });

  test.skipIf(!needs('weston-terminal'))('types the characters of the user layout into the active window', async () => {
    const { kwin, hostler } = await withPortal({}, { pipewire: false });
    const typed = path.join(kwin.variables.HOME ?? '', 'typed');
    openTerminal(kwin, `stty raw -echo; echo > '${typed}'; exec cat >> '${typed}'`);
    // weston-terminal sends the terminating zero of characters outside ASCII as well.
    const read = () => fs.readFileSync(typed, 'utf8').slice(1).replaceAll('\0', '');
    await until(() => fs.existsSync(typed), 'the terminal listens');
    // The window may not have the keyboard yet.
    await until(async () => {
      expect((await order(hostler, 'keyboard/keypress', { key: 'q' })).status).toBe(200);
      return read().includes('q');
    }, 'a key arrives');
    const after = () => read().replace(/^q+/, '');
    // Long enough to detect a wrong order.
    const text = 'The Quick Brown Fox, jumps over {the} lazy DOG! 1@2#3$ \u20ac '.repeat(5);
    expect((await order(hostler, 'keyboard/text', { text })).status).toBe(200);
    await until(() => Buffer.byteLength(after()) >= Buffer.byteLength(text), 'the text arrives');
    expect(after()).toBe(text);
    expect((await order(hostler, 'keyboard/keypress', { key: 'c', modifiers: ['ctrl'] })).status).toBe(200);
    await until(() => after() === `${text}\u0003`, 'so does a combination');
    expect(await order(hostler, 'keyboard/text', { text: 'one \u00e4' })).toMatchObject({
      status: 501,
      error: expect.stringContaining('types only what its keyboard layout has'),
    });
    expect(after()).toBe(`${text}\u0003`);
  });

  test('moves the pointer to positions on a single display, clicks, and scrolls', async () => {
    const { kwin, hostler } = await withPortal({ displays: 1 });
    const windows = await openPointerWindows(kwin.socket(), 1);
    closing.push(windows.close);
    await until(async () => {
      const { status, error } = await order(hostler, 'pointer/move', { x: 300, y: 200 });
      if (status !== 200) throw new Error(`${status}: ${error}`);
      return windows.events().at(-1)?.endsWith(' 300 200') === true;
    }, 'it is there');
    windows.forget();
    expect((await order(hostler, 'pointer/move', { dx: -20, dy: 30 })).status).toBe(200);
    expect((await order(hostler, 'pointer/click', { button: 'right' })).status).toBe(200);
    expect((await order(hostler, 'pointer/scroll', { dy: 1 })).status).toBe(200);
    await until(() => windows.scrolled()[1] !== 0, 'the wheel turns');
    expect(windows.events().map((event) => event.replace(/^move \S+/, 'move'))).toEqual([
      'move 280 230',
      'press 273',
      'release 273',
    ]);
    // One notch, as programs interpret one without a discrete value.
    expect(windows.scrolled()).toEqual([0, 10]);
  });

  test('moves it by a distance where positions are unknown, and says what they need', async () => {
    const { kwin, hostler } = await withPortal({ displays: 1 }, { pipewire: false });
    const windows = await openPointerWindows(kwin.socket(), 1);
    closing.push(windows.close);
    await until(async () => {
      const { status, error } = await order(hostler, 'pointer/move', { dx: 7, dy: 5 });
      if (status !== 200) throw new Error(`${status}: ${error}`);
      return windows.events().length > 1;
    }, 'it moves');
    const [first = '', second = ''] = windows.events().slice(-2);
    const places = [first, second].map((event) => event.split(' ').slice(-2).map(Number));
    expect(places.map(([x = 0]) => x).reduce((a, b) => b - a)).toBe(7);
    expect(places.map(([, y = 0]) => y).reduce((a, b) => b - a)).toBe(5);
    expect(await order(hostler, 'pointer/move', { x: 1, y: 1 })).toMatchObject({
      status: 501,
      error: expect.stringContaining('start pipewire and wireplumber'),
    });
  });

  test('does not identify its displays when there are several, and none is guessed', async () => {
    const { hostler } = await withPortal({});
    expect(await order(hostler, 'pointer/move', { x: 1, y: 1, display: 'Virtual-0' })).toMatchObject({
      status: 501,
      error: expect.stringContaining('which of its pictures shows which display'),
    });
    expect((await order(hostler, 'pointer/move', { dx: 1, dy: 1 })).status).toBe(200);
  });
});
