import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { BusError } from '@hostler/dbus/dbus.ts';
import { shift } from '../../../src/features/keyboard/linux/keysyms.ts';
import type { PointerDisplay } from '../../../src/features/pointer/linux/pointer.mover.ts';
import { openPortalPointer } from '../../../src/features/pointer/linux/pointer.remote.ts';
import { openPointerDesktop } from '../../../src/features/pointer/linux/pointer.session.ts';
import { pointerActions } from '../../../src/features/pointer/pointer.ts';
import { hasOwner } from '../../../src/host/linux/dbus/bus-properties.ts';
import { openMutterDesktop } from '../../../src/host/linux/input/remote-desktop.mutter.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { fakeActionContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { openPointerWindows, type PointerWindows } from '../harness/pointer-window.ts';
import { openPointerWindow, type PointerWindow } from '../harness/pointer-window.x11.ts';
import { createToken, runHostler, startHostler } from '../harness/service.ts';
import { hostIn } from '../harness/session-host.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { createPrivateWayland, type PrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(300_000);

const [pointerMove, pointerClick, pointerScroll] = pointerActions;
type Context = Parameters<typeof pointerMove.run>[1];

/** The events of the window, once there are that many. */
const heardBy = async (window: { events(): string[]; forget(): void }, expected: string[]) => {
  await until(() => window.events().length >= expected.length, `${expected.length} events arrive`).catch(() => {});
  expect(window.events()).toEqual(expected);
  window.forget();
};

/** A killed server may take connections until all of its processes have ended. */
const isUnsupported = (order: () => Promise<unknown>) =>
  until(async () => {
    const answer = await order().catch(({ code }) => code);
    return answer === 'unsupported';
  }, 'the killed server is reported');

describe.skipIf(!needs('Xvfb', 'xrandr', 'xmodmap'))('the pointer under Xvfb', () => {
  let x11: PrivateX11;
  let host: LinuxHost;
  let window: PointerWindow;
  let context: Context;
  let close: () => Promise<void>;
  const move = async (input: Parameters<typeof pointerMove.run>[0]) => (await pointerMove.run(input, context)).data;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    x11.xrandr('--setmonitor', 'left', '960/250x1080/300+0+0', 'screen');
    x11.xrandr('--setmonitor', 'right', '960/250x1080/300+960+0', 'none');
    host = hostIn({ DISPLAY: x11.display() });
    ({ context, close } = fakeActionContext(host));
    window = await openPointerWindow(x11.display());
    await move({ x: 500, y: 500 });
    window.forget();
  });
  afterAll(async () => {
    await close?.();
    await window?.close();
    await host?.close();
    await x11?.remove();
  });

  test('is at the requested position, in the desktop and on a display', async () => {
    expect(await move({ x: 1000, y: 7 })).toEqual({ display: 'right', x: 40, y: 7 });
    expect(await window.place()).toEqual([1000, 7]);
    expect(await move({ x: 3, y: 1079, display: 'right' })).toEqual({ display: 'right', x: 3, y: 1079 });
    expect(await window.place()).toEqual([963, 1079]);
    expect(await move({ dx: -63, dy: -79 })).toEqual({ display: null, x: null, y: null });
    expect(await window.place()).toEqual([900, 1000]);
    await move({ dx: -10_000, dy: -10_000 });
    expect(await window.place()).toEqual([0, 0]);
    window.forget();
  });

  test('clicks once and twice at several positions, and scrolls', async () => {
    await pointerClick.run({}, context);
    await heardBy(window, ['press 1', 'release 1']);
    await pointerClick.run({ button: 'right', count: 2, x: 20, y: 30 }, context);
    await heardBy(window, ['move 20 30', 'press 3', 'release 3', 'press 3', 'release 3']);
    await pointerScroll.run({ dx: -1, dy: 2 }, context);
    await heardBy(window, ['press 5', 'release 5', 'press 5', 'release 5', 'press 6', 'release 6']);
  });

  test('the left button is the primary one for a left-handed user', async () => {
    const env = { PATH: process.env.PATH ?? '', DISPLAY: x11.display() };
    const map = (order: string) => execFileSync(findProgram('xmodmap') ?? 'xmodmap', ['-e', order], { env });
    map('pointer = 3 2 1');
    await pointerClick.run({ button: 'left' }, context);
    await heardBy(window, ['press 1', 'release 1']);
    map('pointer = default');
    await pointerClick.run({ button: 'middle' }, context);
    await heardBy(window, ['press 2', 'release 2']);
  });

  test('a position outside all displays is refused, and nothing moves', async () => {
    await move({ x: 8, y: 9 });
    expect(await window.place()).toEqual([8, 9]);
    window.forget();
    await expect(move({ x: 1920, y: 0 })).rejects.toThrow('no display shows 1920, 0');
    await expect(move({ x: 960, y: 0, display: 'left' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(pointerClick.run({ x: -1, y: 0 }, context)).rejects.toMatchObject({ code: 'invalid' });
    expect(await window.place()).toEqual([8, 9]);
    expect(window.events()).toEqual([]);
  });

  test('a display that was disconnected is unknown', async () => {
    await move({ x: 1, y: 1, display: 'right' });
    x11.xrandr('--delmonitor', 'right');
    await expect(move({ x: 1, y: 1, display: 'right' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no display "right"; connected: left',
    });
    await expect(move({ x: 1000, y: 1 })).rejects.toMatchObject({ code: 'invalid' });
    x11.xrandr('--setmonitor', 'right', '960/250x1080/300+960+0', 'none');
    expect(await move({ x: 1, y: 1, display: 'right' })).toEqual({ display: 'right', x: 1, y: 1 });
  });

  test('a server that was killed is reported, and works again when it is back', async () => {
    expect(await pointerMove.unavailable(context)).toBeNull();
    await x11.kill();
    await isUnsupported(() => move({ dx: 1 }));
    await window.close();
    await x11.start();
    await until(
      () =>
        move({ x: 77, y: 78 }).then(
          () => true,
          () => false,
        ),
      'it moves again',
    );
    window = await openPointerWindow(x11.display());
    expect(await window.place()).toEqual([77, 78]);
  });
});

/** Tests for every Wayland session. */
const inWayland = (compositor: 'sway' | 'mutter') => {
  let wayland: PrivateWayland;
  let host: LinuxHost;
  let windows: PointerWindows;
  let context: Context;
  let close: () => Promise<void>;
  const start = async () => {
    await wayland.start();
    const directory = wayland.variables.XDG_RUNTIME_DIR ?? '';
    const socket = fs.readdirSync(directory).find((name) => /^wayland-\d+$/.test(name)) ?? '';
    windows = await openPointerWindows(path.join(directory, socket), 2);
  };
  beforeAll(async () => {
    wayland = createPrivateWayland(compositor);
    await start();
    host = hostIn(wayland.variables);
    ({ context, close } = fakeActionContext(host));
  });
  afterAll(async () => {
    await close?.();
    windows?.close();
    await host?.close();
    await wayland?.remove();
  });
  return {
    start,
    wayland: () => wayland,
    windows: () => windows,
    context: () => context,
    move: async (input: Parameters<typeof pointerMove.run>[0]) => (await pointerMove.run(input, context)).data,
    click: async (input: Parameters<typeof pointerClick.run>[0]) => (await pointerClick.run(input, context)).data,
    scroll: async (input: Parameters<typeof pointerScroll.run>[0]) => (await pointerScroll.run(input, context)).data,
    /** The pointer is at its target; compositors report some positions twice. */
    arrives: async (place: string) => {
      await until(() => windows.events().at(-1) === `move ${place}`, `the pointer comes to ${place}`).catch(() => {});
      expect(windows.events().at(-1)).toBe(`move ${place}`);
      windows.forget();
    },
  };
};

describe.skipIf(!needs('sway', 'swaymsg', 'dbus-daemon', 'unshare'))('the pointer under sway', () => {
  const { start, wayland, windows, context, move, click, scroll, arrives } = inWayland('sway');

  test('is at the requested position, in the desktop and on a display', async () => {
    expect(await move({ x: 10, y: 20 })).toEqual({ display: 'HEADLESS-1', x: 10, y: 20 });
    await arrives('HEADLESS-1 10 20');
    expect(await move({ x: 1930, y: 1023 })).toEqual({ display: 'HEADLESS-2', x: 10, y: 1023 });
    await arrives('HEADLESS-2 10 1023');
    await move({ x: 5, y: 6.5, display: 'HEADLESS-2' });
    await arrives('HEADLESS-2 5 6.5');
    await move({ dx: 7, dy: -3 });
    await arrives('HEADLESS-2 12 3.5');
  });

  test('clicks once and twice at several positions, and scrolls', async () => {
    await click({ button: 'right', count: 2 });
    await heardBy(windows(), ['press 273', 'release 273', 'press 273', 'release 273']);
    await click({ x: 3, y: 4 });
    await heardBy(windows(), ['move HEADLESS-1 3 4', 'press 272', 'release 272']);
    await scroll({ dx: -1, dy: 3 });
    await heardBy(windows(), ['wheel 0 3', 'wheel 1 -1']);
    await click({ button: 'middle' });
    await heardBy(windows(), ['press 274', 'release 274']);
  });

  test('on a scaled display positions are its pixels, and in the desktop logical ones', async () => {
    wayland().swaymsg('output HEADLESS-2 scale 2');
    try {
      await move({ x: 1279, y: 1023, display: 'HEADLESS-2' });
      await arrives('HEADLESS-2 639.5 511.5');
      expect(await move({ x: 1920 + 10, y: 20 })).toEqual({ display: 'HEADLESS-2', x: 20, y: 40 });
      await arrives('HEADLESS-2 10 20');
      await expect(move({ x: 1920 + 640, y: 20 })).rejects.toMatchObject({ code: 'invalid' });
    } finally {
      wayland().swaymsg('output HEADLESS-2 scale 1');
    }
  });

  test('a display left of and above the others has negative positions', async () => {
    wayland().swaymsg('output HEADLESS-2 position -1280 -200');
    try {
      await move({ x: -1280, y: -200 });
      expect(await move({ x: -1000, y: -100 })).toEqual({ display: 'HEADLESS-2', x: 280, y: 100 });
      await arrives('HEADLESS-2 280 100');
      await move({ x: 0, y: 0 });
      await arrives('HEADLESS-1 0 0');
    } finally {
      wayland().swaymsg('output HEADLESS-2 position 1920 0');
    }
  });

  test('a compositor that was killed is reported, and works again when it is back', async () => {
    expect(await pointerMove.unavailable(context())).toBeNull();
    await move({ x: 1, y: 1 });
    const moving = Array.from({ length: 20 }, (_, index) => move({ x: index, y: 1 }).catch(({ code }) => code));
    await wayland().kill();
    // Each ends, with or without an error.
    for (const end of await Promise.all(moving))
      expect(typeof end === 'string' ? ['unsupported', 'failed'] : ['object']).toContain(
        typeof end === 'string' ? end : typeof end,
      );
    await isUnsupported(() => move({ x: 1, y: 1 }));
    windows().close();
    await start();
    await until(async () => (await move({ x: 33, y: 34 }).catch(() => null)) !== null, 'it moves again');
    await arrives('HEADLESS-1 33 34');
  });
});

describe.skipIf(!needs('mutter', 'dbus-daemon', 'pipewire'))('the pointer under mutter', () => {
  const { wayland, windows, move, click, scroll, arrives } = inWayland('mutter');
  let pipewire: ChildProcess | null = null;
  afterAll(() => void pipewire?.kill('SIGKILL'));

  test('moves by a distance, clicks and scrolls', async () => {
    // Wherever it was.
    await move({ dx: -10_000, dy: -10_000 });
    await arrives('#0 0 0');
    await move({ dx: 7, dy: 3.5 });
    await arrives('#0 7 3.5');
    await click({ button: 'right', count: 2 });
    await heardBy(windows(), ['press 273', 'release 273', 'press 273', 'release 273']);
    await scroll({ dx: -1, dy: 2 });
    await heardBy(windows(), ['wheel 0 1', 'wheel 0 1', 'wheel 1 -1']);
  });

  test('without PipeWire the error says what a move to a position needs', async () => {
    await expect(move({ x: 10, y: 20 })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('start pipewire for your user, or move by dx and dy'),
    });
    await expect(move({ x: 5000, y: 20 })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('with PipeWire it is at the requested position, in the desktop and on a display', async () => {
    const env = wayland().variables;
    pipewire = spawn(findProgram('pipewire') ?? 'pipewire', [], { env, stdio: 'ignore' });
    const socket = path.join(env.XDG_RUNTIME_DIR ?? '', 'pipewire-0');
    await until(() => fs.existsSync(socket), 'PipeWire listens');
    await until(async () => (await move({ x: 1, y: 1 }).catch(() => null)) !== null, 'it is moved');
    expect(await move({ x: 10, y: 20 })).toEqual({ display: 'Meta-0', x: 10, y: 20 });
    await arrives('#0 10 20');
    expect(await move({ x: 1930, y: 719 })).toEqual({ display: 'Meta-1', x: 10, y: 719 });
    await arrives('#1 10 719');
    await move({ x: 5, y: 6.5, display: 'Meta-1' });
    await arrives('#1 5 6.5');
    await move({ dx: 7, dy: -3 });
    await arrives('#1 12 3.5');
    await expect(move({ x: 1280, y: 0, display: 'Meta-1' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('the first click after a pause is not lost', async () => {
    const host = hostIn(wayland().variables);
    const other = fakeActionContext(host);
    await pointerClick.run({}, other.context);
    await until(() => windows().events().includes('release 272'), 'the click arrives');
    expect(
      windows()
        .events()
        .filter((event) => !event.startsWith('move')),
    ).toEqual(['press 272', 'release 272']);
    await other.close();
    await host.close();
  });

  test('a compositor that was killed is reported', async () => {
    const moving = Array.from({ length: 10 }, () => move({ dx: 1 }).catch(({ code }) => code));
    await wayland().kill();
    for (const end of await Promise.all(moving))
      if (typeof end === 'string') expect(['unsupported', 'failed']).toContain(end);
    await expect(move({ dx: 1 })).rejects.toMatchObject({ code: 'unsupported' });
  });
});

const portals = ['/usr/libexec/xdg-desktop-portal-gnome', '/usr/libexec/xdg-desktop-portal'] as const;

describe.skipIf(!needs('mutter', 'dbus-daemon', 'pipewire', ...portals))("the pointer by GNOME's real portal", () => {
  test('the user is asked, and may refuse, share a screen only, or allow it', async () => {
    const wayland = createPrivateWayland('mutter');
    const programs: ChildProcess[] = [];
    const directory = wayland.variables.XDG_RUNTIME_DIR ?? '';
    const run = (program: string, env: Record<string, string>) =>
      programs.push(spawn(findProgram(program) ?? program, [], { env, stdio: 'ignore' }));
    const host = hostIn(wayland.variables);
    const bus = host.dbus.session;
    try {
      run('pipewire', wayland.variables);
      await until(() => fs.existsSync(path.join(directory, 'pipewire-0')), 'PipeWire listens');
      await wayland.start();
      const display = fs.readdirSync(directory).find((name) => /^wayland-\d+$/.test(name)) ?? '';
      const env = { ...wayland.variables, WAYLAND_DISPLAY: display, XDG_CURRENT_DESKTOP: 'GNOME', GTK_A11Y: 'none' };
      const names = ['org.freedesktop.impl.portal.desktop.gnome', 'org.freedesktop.portal.Desktop'];
      for (const [index, program] of portals.entries()) {
        run(program, { ...env, GSETTINGS_BACKEND: 'memory' });
        await until(() => hasOwner(bus, names[index] ?? ''), `${program} answers`);
      }
      // The user has a keyboard.
      const keyboard = await openMutterDesktop(bus);
      await keyboard.start();
      // On a busy machine an opening dialog blocks Mutter for seconds; the key still arrives.
      const key = (keysym: number, isDown: boolean) =>
        keyboard.key(keysym, isDown).catch((error) => {
          if (!(error instanceof BusError) || error.errorName !== 'Client.Timeout') throw error;
        });
      const press = async (...keysyms: number[]) => {
        for (const keysym of keysyms) await key(keysym, true);
        for (const keysym of keysyms.toReversed()) await key(keysym, false);
        await new Promise((resolve) => setTimeout(resolve, 200));
      };
      await press(shift);
      const share = () => press(0xffe9, 0x73);
      const [tab, space, escapeKeysym] = [0xff09, 0x20, 0xff1b];
      const kept = new Map<string, string>();
      const storage = {
        read: (file: string) => kept.get(file) ?? null,
        write: (file: string, text: string) => void kept.set(file, text),
        remove: (file: string) => void kept.delete(file),
      };
      /** The result of a move while the user presses these keys repeatedly until it is answered. */
      const attempt = async (answer: () => Promise<void>) => {
        const desktop = await openPointerDesktop(host, path.join(directory, display), 60_000);
        const mover = await openPortalPointer(bus, { storage, paths: { state: '/s' } }, desktop);
        let outcome: string | null = null;
        void mover
          .moveTo(desktop.known()[1] as PointerDisplay, 10, 20)
          .then(mover.settle)
          .then(
            () => (outcome = 'moved'),
            (error) => (outcome = messageOf(error)),
          );
        await new Promise((resolve) => setTimeout(resolve, 3000));
        await answer();
        await until(() => outcome !== null, 'the user has answered', 5000).catch(() => press(escapeKeysym));
        await until(() => outcome !== null, 'the user has answered', 70_000);
        return { outcome: outcome ?? '', mover };
      };
      const answered = async (answer: () => Promise<void>, wanted: string) => {
        for (let time = 0; ; time += 1) {
          const { outcome, mover } = await attempt(answer);
          if (outcome.includes(wanted) || time === 3) {
            expect(outcome).toContain(wanted);
            return mover;
          }
          await mover.close();
        }
      };

      await (await answered(() => press(escapeKeysym), 'the user does not allow it')).close();
      const onlyScreen = async () => {
        for (const key of [tab, space]) await press(key);
        await share();
      };
      await (await answered(onlyScreen, 'the user did not allow that the pointer may be moved')).close();
      const mover = await answered(async () => {
        for (const key of [tab, tab, space]) await press(key);
        await share();
      }, 'moved');
      const windows = await openPointerWindows(path.join(directory, display), 2);
      const [first, second] = await mover.displays();
      // The prompt may still be closing.
      await until(async () => {
        for (const x of [29, 30]) await mover.moveTo(second as PointerDisplay, x, 40);
        await mover.settle();
        await new Promise((resolve) => setTimeout(resolve, 200));
        return windows.events().at(-1) === 'move #1 30 40';
      }, 'it comes to the second display');
      // The other display was not chosen.
      await mover.moveTo(first as PointerDisplay, 1, 1);
      await expect(mover.settle()).rejects.toThrow('Meta-0 was not chosen when the desktop asked');
      await mover.moveBy(-3, 2);
      await mover.button('right', true);
      await mover.button('right', false);
      await mover.scroll(0, 1);
      await mover.settle();
      await until(() => windows.events().includes('wheel 0 1'), 'the wheel turns');
      expect(windows.events().slice(-4)).toEqual(['move #1 27 42', 'press 273', 'release 273', 'wheel 0 1']);
      windows.close();
      await mover.close();
      await keyboard.stop();
    } finally {
      for (const program of programs) program.kill('SIGKILL');
      await host.close();
      await wayland.remove();
    }
  });
});

test.skipIf(!needs('Xvfb'))('over the service: tokens, scopes, junk, and a pause of control', async () => {
  const x11 = createPrivateX11('Xvfb');
  await x11.start();
  await using hostler = await startHostler({ env: { DISPLAY: x11.display() } });
  const window = await openPointerWindow(x11.display());
  try {
    const { directory } = hostler;
    const client = await connectSocket(hostler);
    expect(await client.ask('POINTER_MOVE', { x: 31, y: 32 })).toMatchObject({
      type: 'POINTER_MOVED',
      data: { x: 31, y: 32 },
    });
    expect(await window.place()).toEqual([31, 32]);
    expect(await client.ask('POINTER_CLICK', { button: 'left', count: null })).toMatchObject({
      type: 'POINTER_CLICKED',
      data: { button: 'left', count: 1 },
    });
    expect(await client.ask('POINTER_SCROLL', { dy: 1 })).toMatchObject({ type: 'POINTER_SCROLLED' });
    await until(() => window.events().includes('release 5'), 'the wheel is turned');
    window.forget();
    for (const junk of [{}, { x: 1e308, y: 0 }, { x: '1', y: 1 }, { x: -1, y: -1 }, { x: 99_999, y: 0 }, { dx: 1e9 }])
      expect(await client.ask('POINTER_MOVE', junk)).toMatchObject({ type: 'ERROR', subtype: 'BAD_REQUEST' });
    expect(await client.ask('POINTER_CLICK', { count: 1000 })).toMatchObject({ type: 'ERROR', subtype: 'BAD_REQUEST' });
    expect(await client.ask('POINTER_MOVE', { x: 1, y: 1, display: 'gone' })).toMatchObject({ type: 'ERROR' });

    // The scope for typing does not allow clicking.
    const token = await createToken({ directory }, 'typist', 'input,read');
    expect(await client.ask('POINTER_CLICK', {}, { token })).toMatchObject({ type: 'ERROR', subtype: 'FORBIDDEN' });
    const post = (authorization: Record<string, string>, body: string) =>
      fetch(`${hostler.base}/api/pointer/move`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body,
      });
    expect((await post({}, '{"x":1,"y":1}')).status).toBe(401);
    expect((await post({ authorization: `Bearer ${token}` }, '{"x":1,"y":1}')).status).toBe(403);
    const owner = { authorization: `Bearer ${hostler.token}` };
    expect((await post(owner, '{"x":NaN,"y":1}')).status).toBe(400);
    expect((await post(owner, '{"x":5,"y":6}')).status).toBe(200);
    expect(await window.place()).toEqual([5, 6]);

    // The command line, whose numbers may be negative.
    const moved = await runHostler(['pointer', 'move', '--by', '--json', '--', '-2', '3'], { directory });
    expect(JSON.parse(moved.stdout)).toMatchObject({ message: 'The pointer was moved' });
    expect(await window.place()).toEqual([3, 9]);
    expect((await runHostler(['pointer', 'click', '7', '8', '--button', 'right'], { directory })).stdout).toContain(
      'The right button was clicked',
    );
    expect((await runHostler(['pointer', 'scroll', '--', '-1'], { directory })).stdout).toContain(
      'The wheel was turned',
    );
    expect((await runHostler(['pointer', 'move', 'x', '1'], { directory })).stderr).toContain('"x" is not a number');
    await until(() => window.events().includes('release 4'), 'the wheel is turned back');
    window.forget();

    await client.ask('CONTROL_PAUSE', {});
    expect(await client.ask('POINTER_MOVE', { x: 50, y: 50 })).toMatchObject({
      type: 'ERROR',
      message: expect.stringContaining('paused'),
    });
    expect(await window.place()).toEqual([7, 8]);
    expect(window.events()).toEqual([]);
    await client.ask('CONTROL_RESUME', {});
    client.end();
  } finally {
    await hostler.stop();
    await window.close();
    await x11.remove();
  }
});

test('without a session nothing is moved, and the reason is reported', async () => {
  const host = hostIn({});
  const { context } = fakeActionContext(host);
  await expect(pointerMove.run({ dx: 1 }, context)).rejects.toMatchObject({ code: 'unsupported' });
  expect(await pointerMove.unavailable(context)).toContain('no desktop session');
  await host.close();
});
