// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { postJson, until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';
import { createPrivateX11, hasXorg, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(240_000);

/** For a describe: the service on a private screen. */
function startPointing(kind: 'Xvfb' | 'Xorg', prepare: (x11: PrivateX11) => void = () => {}) {
  let x11: PrivateX11;
  let hostler: WineHostler;

  beforeAll(async () => {
    x11 = createPrivateX11(kind);
    await x11.start();
    prepare(x11);
    hostler = await startWineHostler({
      mounts: [...(wineProgram('pointer-user').mounts ?? []), ...x11Mounts],
      environment: { DISPLAY: x11.display() },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  const displays = async () => (await (await hostler.get('/api/data/displays')).json()) as Displays;
  const order = async (verb: 'move' | 'click' | 'scroll', input: object) => {
    const answer = await postJson(hostler, `/api/pointer/${verb}`, input);
    const reported = (await answer.json()) as { data?: object; error?: string };
    const refusal = reported.error === undefined ? {} : { error: reported.error };
    return { status: answer.status, ...reported.data, ...refusal } as Record<string, unknown>;
  };
  /** As seen by the X server, independent of Wine. */
  const place = () => {
    const reported = execFileSync(findProgram('xdotool') ?? '', ['getmouselocation', '--shell'], {
      env: { PATH: process.env.PATH ?? '', DISPLAY: x11.display() },
      encoding: 'utf8',
      timeout: 30_000,
    });
    const [, x, y] = /X=(-?\d+)\nY=(-?\d+)/.exec(reported) ?? [];
    return `${x} ${y}`;
  };
  const isAt = async (expected: string) => {
    await until(() => (place() === expected ? true : null), 20_000).catch(() => {});
    expect(place()).toBe(expected);
  };
  const window = async (words: string) => {
    await hostler.beside(`(wine 'C:\\standins\\pointer-user.exe' ${words} > /tmp/pointer.txt 2>/dev/null &)`);
    const text = async () => (await hostler.beside('cat /tmp/pointer.txt')).replaceAll('\r', '');
    const lines = async () => (await text()).split('\n').filter((line) => /^(press|release|double|wheel) /.test(line));
    await until(async () => ((await text()).includes('shown') ? true : null));
    let seen = (await lines()).length;
    /** The next events, once there are that many. */
    const next = async (count: number) => {
      const received = async () => (await lines()).slice(seen);
      await until(async () => ((await received()).length >= count ? true : null), 20_000).catch(() => {});
      const all = await received();
      seen += all.length;
      return all;
    };
    return {
      next,
      async expects(...expected: string[]) {
        expect(await next(expected.length)).toEqual(expected);
      },
      end: () => hostler.beside('wine taskkill /f /im pointer-user.exe'),
    };
  };
  return { x11: () => x11, hostler: () => hostler, displays, order, place, isAt, window };
}

describe.skipIf(!needs('Xvfb', 'xdotool') || !needsWine())('the pointer of the Windows build under Wine', () => {
  const { hostler, displays, order, place, isAt, window } = startPointing('Xvfb');

  test('is at the requested position, in the desktop, on a display and by a distance', async () => {
    const [display] = await displays();
    const id = display?.id ?? '';
    expect([display?.resolution_horizontal, display?.resolution_vertical]).toEqual([1920, 1080]);
    for (const [x, y] of [
      // Not the corner first: Wine assumes the pointer is there, and does not move it.
      [1000, 7],
      [0, 0],
      [1, 1],
      [1919, 1079],
      [641, 333],
    ]) {
      expect(await order('move', { x, y })).toEqual({ status: 200, display: id, x, y });
      await isAt(`${x} ${y}`);
    }
    expect(await order('move', { x: 3, y: 1078, display: id })).toMatchObject({ status: 200, x: 3, y: 1078 });
    await isAt('3 1078');
    expect(await order('move', { dx: 97, dy: -78 })).toEqual({ status: 200, display: null, x: null, y: null });
    await isAt('100 1000');
    await order('move', { dx: 10_000, dy: 10_000 });
    await isAt('1919 1079');
    await order('move', { dx: -10_000, dy: -10_000 });
    await isAt('0 0');
  });

  test('a position outside all displays is refused, and it stays where it is', async () => {
    await order('move', { x: 8, y: 9 });
    await isAt('8 9');
    expect(await order('move', { x: 1920, y: 0 })).toMatchObject({ status: 400 });
    expect(await order('click', { x: -1, y: 0 })).toMatchObject({ status: 400 });
    expect(await order('move', { x: 0, y: 0, display: 'none' })).toMatchObject({ status: 404 });
    expect(place()).toBe('8 9');
  });

  test('clicks once and twice at several positions, and scrolls in both directions', async () => {
    const user = await window('100 100 800 600');
    expect(await order('click', { x: 200, y: 300 })).toEqual({ status: 200, button: 'left', count: 1 });
    await user.expects('press left 200 300', 'release left 200 300');
    await isAt('200 300');
    await order('click', { button: 'right', x: 899, y: 699 });
    await user.expects('press right 899 699', 'release right 899 699');
    await order('move', { dx: -99, dy: -99 });
    await order('click', { button: 'middle' });
    await user.expects('press middle 800 600', 'release middle 800 600');
    await order('click', { count: 2, x: 400, y: 400 });
    await user.expects('press left 400 400', 'release left 400 400', 'double left 400 400', 'release left 400 400');
    expect(await order('scroll', { dx: 1, dy: 2 })).toEqual({ status: 200, dx: 1, dy: 2 });
    await user.expects('wheel 0 -120', 'wheel 0 -120', 'wheel 120 0');
    await order('scroll', { dx: -1, dy: -1 });
    await user.expects('wheel 0 120', 'wheel -120 0');
    await user.end();
  });

  test('many simultaneous actions run one after the other, each whole', async () => {
    const user = await window('100 100 800 600');
    const places = Array.from({ length: 20 }, (_, at) => ({ x: 150 + 30 * at, y: 650 - 20 * at }));
    const answers = await Promise.all(places.map((at) => order('click', at)));
    expect(answers.map(({ status }) => status)).toEqual(places.map(() => 200));
    // Requests arrive in any order.
    const received = await user.next(2 * places.length);
    // Each is pressed and released at one requested position. Wine lets an earlier position from the X server come in between, and
    // then a second click happens there; on Windows nothing comes in between.
    const known = new Set(places.map(({ x, y }) => `${x} ${y}`));
    expect(received).toHaveLength(2 * places.length);
    for (let at = 0; at < received.length; at += 2) {
      const [, place = ''] = /^(?:press|double) left (\d+ \d+)$/.exec(received[at] ?? '') ?? [];
      expect([known.has(place), received[at + 1]]).toEqual([true, `release left ${place}`]);
    }
    await user.end();
  });

  test('while control is paused nothing moves', async () => {
    await order('move', { x: 50, y: 60 });
    await isAt('50 60');
    expect(await hostler().beside('wine hostler.exe control pause')).toContain('paused');
    for (const [verb, input] of [
      ['move', { x: 1, y: 1 }],
      ['click', {}],
      ['scroll', { dy: 1 }],
    ] as const)
      expect(await order(verb, input)).toMatchObject({ status: 409, error: expect.stringContaining('paused') });
    expect(place()).toBe('50 60');
    await hostler().beside('wine hostler.exe control resume');
    expect(await order('move', { x: 51, y: 61 })).toMatchObject({ status: 200 });
  });

  test('is available to the commands', async () => {
    expect(await hostler().beside('wine hostler.exe pointer move 640 360')).toContain('moved');
    await isAt('640 360');
    expect(await hostler().beside('wine hostler.exe pointer move --by -- -40 -60')).toContain('moved');
    await isAt('600 300');
  });
});

describe.skipIf(!hasXorg() || !needs('xdotool') || !needsWine())(
  'the pointer of the Windows build under Wine, with two displays',
  () => {
    const { x11, displays, order, isAt } = startPointing('Xorg', ({ xrandr }) => {
      xrandr('--newmode', 'second', '74.25', '1280', '1390', '1430', '1650', '720', '725', '730', '750');
      xrandr('--addmode', 'DUMMY1', 'second');
      xrandr('--output', 'DUMMY0', '--primary', '--output', 'DUMMY1', ...second);
    });
    /** To the left of the primary one: Windows gives it negative positions, the X server counts from it. */
    const second = ['--mode', 'second', '--left-of', 'DUMMY0'];
    /** Wine detects hotplugged displays when the X server probes its outputs again, as this request makes it do. */
    const isSeen = async () => {
      x11().xrandr();
      return (await displays()).length === 2 ? true : null;
    };

    test('is at the requested position on each of them', async () => {
      await until(isSeen);
      const found = await displays();
      expect(found.map(({ x, y, resolution_horizontal }) => [x, y, resolution_horizontal]).sort()).toEqual([
        [-1280, 0, 1280],
        [0, 0, 1920],
      ]);
      const [left, primary] = found.toSorted((one, other) => one.x - other.x);
      expect(await order('move', { x: 700, y: 900 })).toMatchObject({ display: primary?.id, x: 700, y: 900 });
      await isAt('1980 900');
      expect(await order('move', { x: -1, y: 719 })).toMatchObject({ display: left?.id, x: 1279, y: 719 });
      await isAt('1279 719');
      expect(await order('move', { x: 0, y: 0, display: left?.id })).toMatchObject({ status: 200, x: 0, y: 0 });
      await isAt('0 0');
      await order('move', { x: 1919, y: 1079, display: primary?.id });
      await isAt('3199 1079');
      await order('move', { dx: -1919, dy: -1079 });
      await isAt('1280 0');
      // Beside the left one, below it.
      expect(await order('move', { x: -5, y: 720 })).toMatchObject({ status: 400 });
      await isAt('1280 0');
    });
  },
);
