import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createStore } from '../../../src/core/store.ts';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import { displays } from '../../../src/features/displays/displays.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { fakeManager } from '../doubles/fake-manager.ts';
import { createPrivateBus } from '../harness/bus.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { hostIn } from '../harness/session-host.ts';
import { type Compositor, createPrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11, hasXorg } from '../harness/x11.ts';

setDefaultTimeout(120_000);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A listener to the displays of this session, which also reads them once. The interval never elapses. */
function listenIn(variables: Record<string, string>) {
  const host = hostIn(variables);
  const settings = { ...defaultSettings, modules: { displays: { interval: 86_400_000 } } };
  const store = createStore({ modules: [displays.module], host, context: fakeContext({ settings: () => settings }) });
  const pushed: { payload: Displays; at: number }[] = [];
  const stop = store.listen('displays', ({ payload }) =>
    pushed.push({ payload: payload as Displays, at: performance.now() }),
  );
  closing.push(async () => {
    stop();
    store.close();
    await host.close();
  });
  const has = (what: string, condition: (payload: Displays) => boolean) =>
    until(() => condition(pushed.at(-1)?.payload ?? []) && pushed.length > 0, what);
  const hasIds = (...ids: string[]) =>
    has(
      `the displays are ${ids.join(', ') || 'none'}`,
      (payload) => String(payload.map(({ id }) => id).sort()) === String(ids),
    );
  return { store, pushed, has, hasIds, last: () => pushed.at(-1)?.payload ?? [] };
}

async function startX11(kind: 'Xorg' | 'Xvfb') {
  const x11 = createPrivateX11(kind);
  closing.push(x11.remove);
  await x11.start();
  return x11;
}

describe.skipIf(!hasXorg())('with a real X server that has several outputs', () => {
  test('the list matches xrandr, and hotplug events are pushed', async () => {
    const x11 = await startX11('Xorg');
    const { has, hasIds, last, pushed } = listenIn({ DISPLAY: x11.display() });
    await hasIds('DUMMY0');
    expect(last()).toEqual([
      {
        id: 'DUMMY0',
        name: 'DUMMY0',
        resolution_horizontal: 1920,
        resolution_vertical: 1080,
        x: 0,
        y: 0,
        width: 508,
        height: 286,
        is_primary: true,
        pixel_clock: 148.5,
        refresh_rate: 60,
        brightness: null,
        contrast: null,
        input_source: null,
        inputs: null,
        // The dummy driver cannot switch its outputs.
        power: null,
      },
    ]);
    x11.xrandr('--newmode', 'second', '74.25', '1280', '1390', '1430', '1650', '720', '725', '730', '750');
    x11.xrandr('--addmode', 'DUMMY1', 'second');
    const before = performance.now();
    x11.xrandr('--output', 'DUMMY1', '--mode', 'second', '--right-of', 'DUMMY0');
    await hasIds('DUMMY0', 'DUMMY1');
    console.log(`pushed ${((pushed.at(-1)?.at ?? 0) - before).toFixed(0)} ms after xrandr was started`);
    expect(last().find(({ id }) => id === 'DUMMY1')).toMatchObject({
      resolution_horizontal: 1280,
      resolution_vertical: 720,
      x: 1920,
      y: 0,
      is_primary: false,
      pixel_clock: 74.25,
      refresh_rate: 60,
    });
    x11.xrandr('--output', 'DUMMY1', '--primary');
    await has('it is the primary one', (payload) => payload.find(({ is_primary }) => is_primary)?.id === 'DUMMY1');
    x11.xrandr('--output', 'DUMMY1', '--off');
    await hasIds('DUMMY0');
    x11.xrandr('--setmonitor', 'LEFT', '960/254x1080/286+0+0', 'DUMMY0');
    await has('a part of it counts as a display', (payload) => payload.some(({ id }) => id === 'LEFT'));
  });

  test('the authority file is used where the server requires one', async () => {
    const x11 = createPrivateX11('Xorg');
    closing.push(x11.remove);
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-key-'));
    closing.push(() => fs.rmSync(directory, { recursive: true }));
    const key = path.join(directory, 'key');
    fs.writeFileSync(key, authority('0123456789abcdef'));
    const wrong = path.join(directory, 'wrong');
    fs.writeFileSync(wrong, authority('fedcba9876543210'));
    await x11.start('-auth', key);
    const { hasIds } = listenIn({ DISPLAY: x11.display(), XAUTHORITY: key });
    await hasIds('DUMMY0');
    const refused = listenIn({ DISPLAY: x11.display(), XAUTHORITY: wrong });
    await until(async () => {
      const [state] = await refused.store.describe();
      return state?.reasons.some(({ reason }) => reason.includes('refused the connection')) === true;
    }, 'the refusal is reported');
  });

  test('a server that crashes and its replacement are detected', async () => {
    const x11 = await startX11('Xorg');
    const { hasIds } = listenIn({ DISPLAY: x11.display() });
    await hasIds('DUMMY0');
    await x11.kill();
    await hasIds();
    await x11.start();
    await hasIds('DUMMY0');
    await x11.end();
    await hasIds();
  });
});

describe.skipIf(!needs('Xvfb', 'xrandr'))('with Xvfb', () => {
  test('unknown values are null', async () => {
    const x11 = await startX11('Xvfb');
    const { hasIds, last } = listenIn({ DISPLAY: x11.display() });
    await hasIds('screen');
    expect(last()[0]).toMatchObject({ resolution_horizontal: 1920, pixel_clock: null, refresh_rate: null });
  });
});

/** weston, if it is installed, is a further implementation of the same protocols. */
const compositors = (['sway', 'mutter', 'kwin_wayland', 'weston'] as const).filter(
  (name) => (name === 'weston' ? findProgram(name) !== null : needs(name)) && needs('dbus-daemon'),
);

const expected: Record<
  Compositor,
  [id: string, width: number, height: number, x: number, isPrimary: boolean | null][]
> = {
  sway: [
    ['HEADLESS-1', 1920, 1080, 0, null],
    ['HEADLESS-2', 1280, 1024, 1920, null],
  ],
  mutter: [
    ['Meta-0', 1920, 1080, 0, true],
    ['Meta-1', 1280, 720, 1920, false],
  ],
  kwin_wayland: [
    ['Virtual-0', 1024, 768, 0, true],
    ['Virtual-1', 1024, 768, 1024, false],
  ],
  weston: [['headless', 1024, 640, 0, true]],
};

describe.each(compositors)('with %s', (compositor) => {
  test('its displays are found without configuration, also after it was killed and restarted', async () => {
    const wayland = createPrivateWayland(compositor);
    closing.push(wayland.remove);
    const { has, hasIds, last } = listenIn(wayland.variables);
    await has('there is nothing', (payload) => payload.length === 0);
    const ids = expected[compositor].map(([id]) => id);
    for (const _ of ['first', 'again']) {
      await wayland.start();
      await hasIds(...ids);
      await until(() => {
        const found = last().map((one) => [
          one.id,
          one.resolution_horizontal,
          one.resolution_vertical,
          one.x,
          one.is_primary,
        ]);
        return JSON.stringify(found) === JSON.stringify(expected[compositor]);
      }, 'everything about them is right');
      expect(last().every(({ refresh_rate }) => refresh_rate === 60)).toBe(true);
      if (compositor === 'sway') {
        wayland.swaymsg('create_output');
        await hasIds(...ids, 'HEADLESS-3');
        wayland.swaymsg('output', 'HEADLESS-2', 'transform', '90');
        await has('it is turned', (payload) => payload[1]?.resolution_horizontal === 1024);
      }
      await wayland.kill();
      await hasIds();
    }
  });
});

describe.skipIf(!needs('Xvfb', 'dbus-daemon', '/usr/bin/python3'))(
  'a service that was started outside of the session',
  () => {
    test('finds the X server from the environment that the desktop gave systemd, which may come later', async () => {
      const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-outside-'));
      closing.push(() => fs.rmSync(directory, { recursive: true, force: true }));
      const bus = createPrivateBus();
      closing.push(() => bus.remove());
      await bus.start();
      const { has, hasIds } = listenIn({ XDG_RUNTIME_DIR: directory, DBUS_SESSION_BUS_ADDRESS: bus.address });
      await has('there is nothing', (payload) => payload.length === 0);
      const x11 = await startX11('Xvfb');
      closing.push(await fakeManager(bus.address, [`DISPLAY=${x11.display()}`, 'XDG_CURRENT_DESKTOP=Test']));
      // Desktops create their sockets there, and the directory is watched.
      fs.writeFileSync(path.join(directory, 'bus'), '');
      await hasIds('screen');
    });
  },
);

test('without any display the list is empty at once, with the reason', async () => {
  const { store } = listenIn({});
  const before = performance.now();
  expect((await store.get('displays')).payload).toEqual([]);
  console.log(`answered in ${(performance.now() - before).toFixed(1)} ms`);
  const [state] = await store.describe();
  expect(state?.reasons[0]?.reason).toStartWith('No desktop session is running');
});

/** An Xauthority file with one key for any machine and display. */
function authority(secret: string): Buffer {
  const counted = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text, 'latin1')]);
  return Buffer.concat([Buffer.from([0xff, 0xff]), ...['', '', 'MIT-MAGIC-COOKIE-1', secret].map(counted)]);
}
