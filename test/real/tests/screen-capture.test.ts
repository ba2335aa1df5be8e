// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { launchBrowser } from '../harness/dashboard-browser.ts';
import { pictureInWebp } from '../harness/dwebp.ts';
import { connectTo } from '../harness/mcp-clients.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { startPrivateDunst } from '../harness/private-dunst.ts';
import { meanOf, paintedPng, paintX11, patternOf, pictureIn, wrongPixels } from '../harness/screen-pattern.ts';
import {
  createToken,
  postJson,
  type RunningHostler,
  runHostler,
  type StartOptions,
  startHostler,
  until,
} from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { createPrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(240_000);

const route = '/api/screen/capture';
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-screen-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

/** A service whose owner allowed screen capture, unless `screen` says otherwise. */
const start = (env: Record<string, string>, screen: object = { allowed: true }, more: Partial<StartOptions> = {}) =>
  startHostler({
    env,
    prepare(place) {
      fs.mkdirSync(path.join(place, 'config'));
      fs.writeFileSync(path.join(place, 'config', 'settings.json'), JSON.stringify({ screen }));
    },
    ...more,
  });

interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  error: string | undefined;
}

async function post(hostler: RunningHostler, input: unknown, token: string | null = hostler.token): Promise<Answer> {
  const response = await postJson(hostler, route, input, token);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isPicture = response.headers.get('content-type')?.startsWith('image/') === true;
  const error = isPicture ? undefined : JSON.parse(bytes.toString()).error;
  return { status: response.status, headers: response.headers, bytes, error };
}

/** Retries after a rate limit. */
async function capture(hostler: RunningHostler, input: unknown = {}): Promise<Answer> {
  return await until(async () => {
    const answer = await post(hostler, input);
    return answer.status === 429 ? null : answer;
  });
}

async function pictureOf(hostler: RunningHostler, input: unknown = {}) {
  const { status, error, bytes } = await capture(hostler, input);
  if (status !== 200) throw new Error(`${status}: ${error}`);
  return await pictureIn(bytes);
}

/** Shared memory of pictures, and sockets to local programs. */
function leftOpen({ pid }: RunningHostler): number {
  const sockets = new Set(fs.readFileSync('/proc/net/unix', 'utf8').match(/(?<= )\d+(?= |$)/gm));
  const links = fs.readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return fs.readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return [];
    }
  });
  const isLocal = (link: string) => sockets.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '');
  return links.filter((link) => link.includes('hostler-picture') || isLocal(link)).length;
}

const audit = ({ directory: place }: RunningHostler): Record<string, unknown>[] =>
  fs
    .readFileSync(path.join(place, 'state', 'screen.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.skipIf(!needs('sway', 'swaymsg', 'swaybg', 'grim', 'dbus-daemon'))('under sway, with two displays', () => {
  const wayland = createPrivateWayland('sway');
  const runtime = wayland.variables.XDG_RUNTIME_DIR ?? '';
  const env = () => {
    const socket = fs.readdirSync(runtime).find((name) => /^wayland-\d+$/.test(name)) ?? '';
    return { ...wayland.variables, WAYLAND_DISPLAY: path.join(runtime, socket) };
  };
  const painters: ChildProcess[] = [];
  let hostler: RunningHostler;
  const displays = [
    { id: 'HEADLESS-1', width: 1920, height: 1080, painted: patternOf(1) },
    { id: 'HEADLESS-2', width: 1280, height: 1024, painted: patternOf(2) },
  ] as const;
  const [first, second] = displays;
  const byGrim = async (id: string) =>
    await pictureIn(execFileSync(findProgram('grim') ?? '', ['-o', id, '-'], { env: env(), maxBuffer: 2 ** 27 }));
  const isPainted = async ({ id, painted }: (typeof displays)[number]) =>
    wrongPixels(await pictureOf(hostler, { display: id }), painted) === 0 || null;
  const paint = async () => {
    for (const { id, width, height, painted } of displays) {
      const file = path.join(directory, `${id}.png`);
      fs.writeFileSync(file, await paintedPng(painted, width, height));
      const swaybg = findProgram('swaybg') ?? '';
      painters.push(spawn(swaybg, ['-o', id, '-i', file, '-m', 'fill'], { env: env(), stdio: 'ignore' }));
    }
  };

  beforeAll(async () => {
    await wayland.start();
    hostler = await start({ WAYLAND_DISPLAY: env().WAYLAND_DISPLAY });
    await paint();
  });
  afterAll(async () => {
    await hostler?.stop();
    for (const painter of painters) painter.kill('SIGKILL');
    await wayland.remove();
  });

  test('each display is captured as it was painted, and as grim captures it', async () => {
    for (const display of displays) {
      await until(() => isPainted(display));
      const seen = await pictureOf(hostler, { display: display.id });
      expect([seen.width, seen.height]).toEqual([display.width, display.height]);
      expect((await byGrim(display.id)).pixels.equals(seen.pixels)).toBe(true);
    }
    // No display is marked as primary: the upper left one.
    expect(wrongPixels(await pictureOf(hostler), first.painted)).toBe(0);
  });

  test('at scale 2 the picture has the pixels of the display', async () => {
    wayland.swaymsg('output', second.id, 'scale', '2');
    await until(() => isPainted(second));
    const seen = await pictureOf(hostler, { display: second.id });
    expect([seen.width, seen.height]).toEqual([1280, 1024]);
    wayland.swaymsg('output', second.id, 'scale', '1');
    await until(() => isPainted(second));
  });

  test.each(['90', '180', '270', 'flipped', 'flipped-90', 'flipped-180', 'flipped-270'])(
    'a rotated display (%s) is upright, as for grim',
    async (turn) => {
      wayland.swaymsg('output', second.id, 'transform', turn);
      const isSideways = turn.endsWith('90') || turn.endsWith('270');
      await until(async () => {
        const [ours, theirs] = [await pictureOf(hostler, { display: second.id }), await byGrim(second.id)];
        const isTurned = ours.width === (isSideways ? 1024 : 1280);
        // Not a plain colour, which would be the same in every rotation.
        const isPattern = new Set(ours.pixels.subarray(0, 300)).size > 20;
        return (isTurned && isPattern && ours.pixels.equals(theirs.pixels)) || null;
      });
      wayland.swaymsg('output', second.id, 'transform', 'normal');
      await until(() => isPainted(second));
    },
  );

  test('it is scaled down on request', async () => {
    const seen = await pictureOf(hostler, { display: first.id, max_width: 480 });
    expect([seen.width, seen.height]).toEqual([480, 270]);
    // In the middle, at 4 to 1.
    const at = (135 * 480 + 240) * 3;
    expect([...seen.pixels.subarray(at, at + 3)]).toEqual(meanOf(first.painted, 960, 540, 4));
    expect((await pictureOf(hostler, { display: first.id, max_width: 4000 })).width).toBe(1920);
  });

  test('over the WebSocket and the command line it is the same picture', async () => {
    const socket = await connectSocket(hostler);
    const answer = await until(async () => {
      const got = await socket.ask('SCREEN_CAPTURE', { display: second.id }, { token: hostler.token });
      return got.type === 'ERROR' ? null : got;
    });
    socket.end();
    expect(answer).toMatchObject({
      type: 'SCREEN_CAPTURED',
      data: { format: 'png', display: second.id, width: 1280, height: 1024 },
    });
    const { picture, size } = answer.data as { picture: string; size: number };
    const bytes = Buffer.from(picture, 'base64');
    expect(bytes.length).toBe(size);
    expect(wrongPixels(await pictureIn(bytes), second.painted)).toBe(0);

    const file = path.join(directory, 'a picture.png');
    const words = ['screenshot', file, '--display', second.id];
    const { code, stdout } = await runHostler(words, { directory: hostler.directory });
    expect([code, stdout]).toEqual([0, `${file}: a picture of ${second.id}, 1280 × 1024 pixels\n`]);
    expect(wrongPixels(await pictureIn(fs.readFileSync(file)), second.painted)).toBe(0);
    const asJson = await runHostler(['screenshot', '--json', '--max-width', '64'], { directory: hostler.directory });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ format: 'png', display: first.id, width: 64, height: 36 });
    const toWhere = await runHostler(['screenshot', path.join(directory, 'missing', 'a.png')], {
      directory: hostler.directory,
    });
    expect([toWhere.code, toWhere.stderr]).toEqual([1, expect.stringContaining('could not be written')]);
  });

  test('the reply is the picture with no-store, and JSON on request', async () => {
    const { status, headers } = await capture(hostler);
    expect(status).toBe(200);
    expect([headers.get('content-type'), headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'image/png',
      'no-store',
      'nosniff',
    ]);
    const response = await fetch(`${hostler.base}${route}`, {
      method: 'POST',
      headers: { Accept: 'application/json', 'X-API-Token': hostler.token },
    });
    expect(await response.json()).toMatchObject({ status: 'success', data: { format: 'png', width: 1920 } });
  });

  test.skipIf(!needs('dwebp'))('as WebP it is the same picture, and smaller', async () => {
    await until(() => isPainted(first));
    const [png, webp] = [await capture(hostler), await capture(hostler, { format: 'webp' })];
    expect([webp.status, webp.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(webp.bytes.length).toBeLessThan(png.bytes.length);
    expect(pictureInWebp(webp.bytes).pixels.equals((await pictureIn(png.bytes)).pixels)).toBe(true);
    const small = { display: first.id, max_width: 479 };
    const [smallPng, smallWebp] = [
      await pictureOf(hostler, small),
      pictureInWebp((await capture(hostler, { ...small, format: 'webp' })).bytes),
    ];
    expect([smallWebp.width, smallWebp.height]).toEqual([479, 269]);
    expect(smallWebp.pixels.equals(smallPng.pixels)).toBe(true);

    const socket = await connectSocket(hostler);
    const answer = await until(async () => {
      const input = { display: second.id, format: 'webp' };
      const got = await socket.ask('SCREEN_CAPTURE', input, { token: hostler.token });
      return got.type === 'ERROR' ? null : got;
    });
    socket.end();
    expect(answer.data).toMatchObject({ format: 'webp', display: second.id, width: 1280, height: 1024 });
    const { picture } = answer.data as { picture: string };
    expect(wrongPixels(pictureInWebp(Buffer.from(picture, 'base64')), second.painted)).toBe(0);

    const file = path.join(directory, 'a picture.WebP');
    await until(async () => {
      const words = ['screenshot', file, '--display', second.id];
      const { code, stderr } = await runHostler(words, { directory: hostler.directory });
      if (stderr.includes('Too many')) return null;
      expect([code, stderr]).toEqual([0, '']);
      return true;
    });
    expect(wrongPixels(pictureInWebp(fs.readFileSync(file)), second.painted)).toBe(0);
    const asJson = await until(async () => {
      const words = ['screenshot', '--json', '--format', 'webp', '--max-width', '64'];
      const { stdout, stderr } = await runHostler(words, { directory: hostler.directory });
      return stderr.includes('Too many') ? null : stdout;
    });
    expect(JSON.parse(asJson)).toMatchObject({ format: 'webp', width: 64, height: 36 });
  });

  test('unavailable targets are refused with an error message', async () => {
    expect(await capture(hostler, { display: 'DP-9' })).toMatchObject({
      status: 404,
      error: 'There is no display "DP-9"; connected: HEADLESS-1, HEADLESS-2',
    });
    expect(await capture(hostler, { window: 'active' })).toMatchObject({
      status: 501,
      error: expect.stringContaining('whole displays only'),
    });
    for (const bad of [{ max_width: -1 }, { max_width: 1e9 }, { display: 'x'.repeat(5000) }, { nonsense: 1 }, []])
      expect((await capture(hostler, bad)).status).toBe(400);
  });

  test('without a token or its scope nothing is captured', async () => {
    expect((await post(hostler, {}, null)).status).toBe(401);
    expect((await post(hostler, {}, 'nonsense')).status).toBe(401);
    const others = 'read,files,media,notify,control,input,clipboard,power,processes,services,containers,command,admin';
    const other = await createToken(hostler, 'other', others);
    expect(await post(hostler, {}, other)).toMatchObject({
      status: 403,
      error: expect.stringContaining('lacks the scope "screen"'),
    });
    const socket = await connectSocket(hostler);
    const answer = await socket.ask('SCREEN_CAPTURE', {}, { token: other });
    expect(answer).toMatchObject({ type: 'ERROR' });
    socket.end();
  });

  test('many simultaneous captures are bounded, each is answered, and nothing stays open', async () => {
    await capture(hostler);
    const before = leftOpen(hostler);
    const fresh = await createToken(hostler, 'fresh', 'screen');
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(hostler, { display: first.id }, fresh)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(answers.filter(({ status }) => status === 429)[0]?.headers.get('retry-after')).not.toBeNull();
    await until(() => leftOpen(hostler) <= before || null);
  });

  test('the audit log has who captured what, and no data of the picture is stored', async () => {
    await capture(hostler, { display: second.id });
    expect(
      audit(hostler)
        .filter(({ outcome }) => outcome === 'taken')
        .at(-1),
    ).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      token: expect.any(String),
      address: expect.stringContaining('127.0.0.1'),
      what: second.id,
      outcome: 'taken',
    });
    // No desktop shows notifications here, and that is logged as well.
    await until(() => audit(hostler).some((line) => String(line.reason).includes('notifications')) || null);
    expect(hostler.output()).toContain('the notice could not be shown');
    const written = fs
      .readdirSync(hostler.directory, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(hostler.directory, name))
      .filter((file) => fs.statSync(file).isFile())
      .map((file) => fs.readFileSync(file).toString('latin1'));
    for (const text of [...written, hostler.output()]) expect(/iVBORw0KGgo|\x89PNG/.test(text)).toBe(false);
  });

  test('a compositor that hangs times out, one that is killed is an error message, and the next capture works', async () => {
    const pid = Number(fs.readdirSync(runtime).flatMap((name) => /^sway-ipc.*\.(\d+)\.sock$/.exec(name)?.[1] ?? [])[0]);
    process.kill(pid, 'SIGSTOP');
    const waited = await capture(hostler);
    expect([501, 502]).toContain(waited.status);
    expect((await hostler.get('/api/health')).status).toBe(200);
    process.kill(pid, 'SIGCONT');
    await until(async () => ((await capture(hostler)).status === 200 ? true : null));
    const running = Array.from({ length: 5 }, () => post(hostler, { display: first.id }));
    await wayland.kill();
    for (const { status, error } of await Promise.all(running)) {
      expect([200, 429, 501, 502]).toContain(status);
      if (status > 500) expect(error).toMatch(/^[A-Z].+/);
    }
    await until(async () => ([501, 502].includes((await capture(hostler)).status) ? true : null));
    await wayland.start();
    await paint();
    await until(async () => ((await capture(hostler)).status === 200 ? true : null));
    await until(() => isPainted(first));
  });
});

describe.skipIf(!needs('Xvfb', 'xrandr'))('under X11', () => {
  const x11 = createPrivateX11('Xvfb');
  const painted = patternOf(3);
  const shifted: typeof painted = (x, y) => painted(x + 1000, y);
  let hostler: RunningHostler;
  let unpaint = () => {};
  beforeAll(async () => {
    await x11.start();
    unpaint = await paintX11(x11.display(), painted, 1920, 1080);
    // The compiled program: its threads start differently.
    hostler = await start({ DISPLAY: x11.display() }, { allowed: true }, { compiled: true });
  });
  afterAll(async () => {
    await hostler?.stop();
    unpaint();
    await x11.remove();
  });

  test('the screen and each of its two displays are captured as they were painted', async () => {
    const whole = await pictureOf(hostler);
    expect([whole.width, whole.height, wrongPixels(whole, painted)]).toEqual([1920, 1080, 0]);
    x11.xrandr('--setmonitor', 'LEFT', '1000/200x1080/200+0+0', 'screen');
    x11.xrandr('--setmonitor', 'RIGHT', '920/200x700/200+1000+0', 'none');
    const left = await pictureOf(hostler, { display: 'LEFT' });
    expect([left.width, left.height, wrongPixels(left, painted)]).toEqual([1000, 1080, 0]);
    const right = await pictureOf(hostler, { display: 'RIGHT' });
    expect([right.width, right.height, wrongPixels(right, shifted)]).toEqual([920, 700, 0]);
    x11.xrandr('--delmonitor', 'RIGHT');
    expect(await capture(hostler, { display: 'RIGHT' })).toMatchObject({
      status: 404,
      error: 'There is no display "RIGHT"; connected: LEFT',
    });
    x11.xrandr('--delmonitor', 'LEFT');
  });

  test.skipIf(!needs('dwebp'))('and as WebP', async () => {
    const { status, bytes } = await capture(hostler, { format: 'webp' });
    expect(status).toBe(200);
    expect(wrongPixels(pictureInWebp(bytes), painted)).toBe(0);
  });

  test('without a window manager there is no active window', async () => {
    expect(await capture(hostler, { window: 'active' })).toMatchObject({
      status: 404,
      error: expect.stringContaining('No window is in front'),
    });
  });

  test.skipIf(!needs('openbox', 'xterm', 'xdotool'))('the active window is captured alone', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: directory, DISPLAY: x11.display() };
    const programs = [
      spawn(findProgram('openbox') ?? '', [], { env, stdio: 'ignore' }),
      spawn(findProgram('xterm') ?? '', ['-bg', '#102030', '-geometry', '40x10+300+200', '-e', 'sleep', '600'], {
        env,
        stdio: 'ignore',
      }),
    ];
    try {
      const { width, height, pixels } = await until(async () => {
        // A window manager that started after the window has not activated it.
        const [xdotool, words] = [findProgram('xdotool') ?? '', ['search', '--class', 'xterm', 'windowactivate']];
        spawnSync(xdotool, words, { env, stdio: 'ignore', timeout: 10_000 });
        const answer = await capture(hostler, { window: 'active' });
        const seen = answer.status === 200 ? await pictureIn(answer.bytes) : null;
        const at = seen === null ? 0 : (seen.height - 5) * seen.width * 3 + 60;
        return seen?.pixels.subarray(at, at + 3).toString('hex') === '102030' ? seen : null;
      });
      expect([width < 960, height < 540, pixels.length]).toEqual([true, true, width * height * 3]);
    } finally {
      for (const program of programs) program.kill('SIGKILL');
    }
  });

  test.skipIf(!needs('chromium'))('the dashboard shows it with the scope, and no button without it', async () => {
    const browser = await launchBrowser();
    try {
      const { page, complaints, close } = await browser.open({
        token: await createToken(hostler, 'seer', 'read,screen'),
      });
      await page.goto(`${hostler.base}/displays`);
      await page.getByRole('button', { name: 'Screenshot of screen' }).click();
      const picture = page.getByRole('dialog').getByRole('img');
      await picture.waitFor();
      // What is drawn is what was painted.
      const source = await picture.getAttribute('src');
      const bytes = Buffer.from(source?.replace(/^data:image\/png;base64,/, '') ?? '', 'base64');
      expect(wrongPixels(await pictureIn(bytes), painted)).toBe(0);
      const drawn =
        "(async (image) => { await image.decode(); return image.naturalWidth; })(document.querySelector('dialog img'))";
      expect(await page.evaluate(drawn)).toBe(1920);
      await page.getByRole('button', { name: 'Close' }).click();
      await picture.waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
      await close();
      const other = await browser.open({ token: await createToken(hostler, 'reader', 'read,control') });
      await other.page.goto(`${hostler.base}/displays`);
      await other.page.getByText('Arrangement').waitFor();
      expect(await other.page.getByRole('button', { name: 'Screenshot of screen' }).count()).toBe(0);
      await other.close();
    } finally {
      await browser.close();
    }
  });

  test('a server that is killed is an error message', async () => {
    await x11.kill();
    await until(async () => ([501, 502].includes((await capture(hostler)).status) ? true : null));
    expect((await hostler.get('/api/health')).status).toBe(200);
  });
});

test.skipIf(!needs('Xvfb'))('a 16-bit screen is refused with the reason', async () => {
  const words = ['-displayfd', '1', '-noreset', '-nolisten', 'tcp', '-screen', '0', '640x480x16'];
  const server = spawn(findProgram('Xvfb') ?? '', words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(server, 'exit');
  try {
    const [number] = await once(server.stdout, 'data');
    await using hostler = await start({ DISPLAY: `:${String(number).trim()}` });
    expect(await capture(hostler)).toMatchObject({ status: 501, error: expect.stringContaining('pixels of 16 bits') });
  } finally {
    // In an orderly way, so that its number is free again.
    server.kill('SIGTERM');
    await exit;
  }
});

describe.skipIf(!needs('python3'))('a compositor that is a stand-in', () => {
  const withCompositor = async (mode: string, work: (hostler: RunningHostler) => Promise<void>) => {
    const socket = path.join(directory, `wayland-${mode}`);
    const script = path.join(import.meta.dirname, '..', 'doubles', 'screen-compositor.py');
    const child = spawn(findProgram('python3') ?? '', [script, socket, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      await using hostler = await start({ WAYLAND_DISPLAY: socket });
      await work(hostler);
    } finally {
      child.kill('SIGKILL');
    }
  };

  test('ext-image-copy-capture returns the picture as it was filled, rotated as declared', () =>
    withCompositor('ext', async (hostler) => {
      const seen = await pictureOf(hostler, { display: 'FAKE-1' });
      expect([seen.width, seen.height]).toEqual([320, 200]);
      expect(wrongPixels(seen, (x, y) => [x & 255, y & 255, (x ^ y) & 255])).toBe(0);
    }));

  test('a compositor that never fills the picture times out every time, and nothing stays open', () =>
    withCompositor('silent', async (hostler) => {
      const sentence = 'The picture was not taken: the compositor did not answer within 3 s';
      expect(await capture(hostler)).toMatchObject({ status: 502, error: sentence });
      const before = leftOpen(hostler);
      const [again] = await Promise.all([capture(hostler), hostler.get('/api/data/memory')]);
      expect(again).toMatchObject({ status: 502, error: sentence });
      await until(() => leftOpen(hostler) <= before || null);
    }));

  test('an absurd size allocates no memory', () =>
    withCompositor('absurd', async (hostler) => {
      expect(await capture(hostler)).toMatchObject({
        status: 413,
        error: expect.stringContaining('60000 × 60000 pixels is too large'),
      });
    }));

  test('truncated memory is an error message, not the end of the service', () =>
    withCompositor('shrink', async (hostler) => {
      expect(await capture(hostler)).toMatchObject({ status: 502, error: expect.stringContaining('ends too early') });
      expect((await hostler.get('/api/health')).status).toBe(200);
    }));
});

describe.skipIf(!needs('mutter', 'dbus-daemon'))('under GNOME without its portal', () => {
  test('the error says what is missing', async () => {
    const wayland = createPrivateWayland('mutter');
    try {
      await wayland.start();
      const runtime = wayland.variables.XDG_RUNTIME_DIR ?? '';
      const socket = fs.readdirSync(runtime).find((name) => /^wayland-\d+$/.test(name)) ?? '';
      await using hostler = await start({ WAYLAND_DISPLAY: path.join(runtime, socket) });
      expect(await capture(hostler)).toMatchObject({
        status: 501,
        error: expect.stringMatching(/neither ext-image-copy-capture-v1 nor wlr-screencopy.*xdg-desktop-portal-gnome/),
      });
    } finally {
      await wayland.remove();
    }
  });
});

describe('unless it was allowed on the machine', () => {
  test('nothing is captured, and no token can change that, only the command line', async () => {
    await using hostler = await startHostler();
    const refusal = {
      status: 403,
      error: expect.stringMatching(/not allowed on this machine\. Its owner can allow them there/),
    };
    expect(await post(hostler, {})).toMatchObject(refusal);
    for (const screen of [{ allowed: true }, { askForAgents: false }]) {
      const response = await postJson(hostler, '/api/settings/update', { screen });
      expect(response.status).toBe(403);
      expect(await response.text()).toContain('only in the settings file or with');
    }
    expect(await post(hostler, {})).toMatchObject(refusal);
    const { code, stderr } = await runHostler(['screenshot', '-', '--json'], { directory: hostler.directory });
    expect([code, stderr]).toEqual([1, expect.stringContaining('settings set screen.allowed true')]);
    await runHostler(['settings', 'set', 'screen.allowed', 'true'], { directory: hostler.directory });
    await until(async () => ((await post(hostler, {})).status === 501 ? true : null));
    expect((await post(hostler, {})).error).toContain('No desktop of this user is running');
    await runHostler(['settings', 'set', 'screen.allowed', 'false'], { directory: hostler.directory });
    await until(async () => ((await post(hostler, {})).status === 403 ? true : null));
  });
});

describe.skipIf(!needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl'))('the user at the screen', () => {
  type Called = { isError?: boolean; content: { type: string; data?: string; mimeType?: string; text?: string }[] };

  test('is notified who captured, once for many pictures', async () => {
    const dunst = await startPrivateDunst();
    try {
      await using hostler = await start(dunst.variables);
      expect((await capture(hostler)).status).toBe(200);
      for (let time = 0; time < 3; time += 1) expect((await capture(hostler)).status).toBe(200);
      await until(() => dunst.shown() >= 1 || null);
      const reported = dunst.history();
      // Not four.
      expect(reported.length).toBeLessThan(3);
      expect(reported[0]?.summary).toBe('Picture of the screen');
      expect(reported[0]?.body).toMatch(/^"[^"]+" took a picture of this screen$/);
      const counted = () =>
        dunst.history().reduce((sum, { body }) => sum + Number(/took (?:a|(\d+) more)/.exec(body)?.[1] ?? 1), 0);
      await until(() => counted() === 4 || null);
    } finally {
      await dunst.remove();
    }
  });

  test('is asked before each capture of an agent, unless the owner decided once', async () => {
    const dunst = await startPrivateDunst();
    try {
      await using hostler = await start(dunst.variables);
      const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
      const look = () => client.callTool({ name: 'take_screenshot', arguments: {} }) as Promise<Called>;
      const asked = look();
      let isDone = false;
      void asked.finally(() => {
        isDone = true;
      });
      // As a user who reads first: a press that comes too early is repeated.
      await until(async () => {
        await Bun.sleep(1100);
        // If it was answered just now, the notice of the picture is shown, which has no menu.
        if (!isDone && dunst.shown() === 1) await Promise.race([asked, dunst.press('Allow').catch(() => {})]);
        return isDone || null;
      });
      const { content, isError } = await asked;
      expect(isError ?? false).toBe(false);
      expect(content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
      const seen = await pictureIn(Buffer.from(content[0]?.data ?? '', 'base64'));
      expect([seen.width, seen.height]).toEqual([1280, 720]);
      await until(() => JSON.stringify(dunst.history()).includes('An agent with the token') || null);
      // Two calls with one token have to be a second apart.
      const again = until(async () => {
        const result = await look();
        return JSON.stringify(result).includes('once every') ? null : result;
      });
      await until(() => dunst.shown() >= 1 || null);
      await dunst.press('Deny');
      const refused = await again;
      expect([refused.isError, JSON.stringify(refused.content)]).toEqual([
        true,
        expect.stringContaining('The user did not allow take_screenshot'),
      ]);
      await runHostler(['settings', 'set', 'screen.askForAgents', 'false'], { directory: hostler.directory });
      const unasked = await until(async () => {
        const result = await look();
        return result.isError === true ? null : result;
      });
      expect(unasked.content[0]?.type).toBe('image');
      expect(audit(hostler).at(-1)).toMatchObject({ agent: true, outcome: 'taken' });
      await client.close();
    } finally {
      await dunst.remove();
    }
  });

  test('agents have no such tool where it was not allowed', async () => {
    await using hostler = await startHostler();
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('take_screenshot');
    await client.close();
  });
});
