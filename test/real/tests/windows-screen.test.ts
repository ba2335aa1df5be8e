// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import type { Process } from '../../../src/features/processes/processes.schema.ts';
import { pictureInWebp } from '../harness/dwebp.ts';
import { connectOverHttp } from '../harness/mcp-clients.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { meanOf, patternOf, pictureIn, wrongPixels } from '../harness/screen-pattern.ts';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler, type WineOptions, x11Mounts } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';
import { createPrivateX11, hasXorg, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(300_000);

const state = 'users/root/AppData/Local/hostler';
const patientMs = 90_000;

const startOn = (x11: PrivateX11, mounts: string[] = []) => {
  const options: WineOptions = {
    mounts: [...(wineProgram('screen-user', ['gdi32']).mounts ?? []), ...x11Mounts, ...mounts],
    environment: { DISPLAY: x11.display() },
  };
  return startWineHostler(options);
};
/** A number in the registry of the user, from the start. */
const registered = (key: string[], name: string, value: number) => {
  const number = value.toString(16).padStart(8, '0');
  const text = `\n[${key.join('\\\\')}] 1700000000\n"${name}"=dword:${number}\n`;
  return `echo ${Buffer.from(text).toString('base64')} | base64 -d >> "$0/w/pfx/user.reg"`;
};
const userOf = (hostler: WineHostler) => (order: string) =>
  hostler.beside(`wine 'C:\\standins\\screen-user.exe' ${order}`);

/** An active window that is fully visible. */
async function paint(hostler: WineHostler, place: string) {
  const note = `/tmp/painted-${place.replaceAll(' ', '_')}.txt`;
  await hostler.beside(`(wine 'C:\\standins\\screen-user.exe' paint ${place} > ${note} 2>&1 &)`);
  await until(async () => ((await hostler.beside(`cat ${note}`)).includes('painted') ? true : null), patientMs);
}

async function post(hostler: WineHostler, input: object, token = hostler.token) {
  const headers = { 'X-API-Token': token, 'Content-Type': 'application/json' };
  // Retries after a rate limit.
  const answer = await until(async () => {
    const got = await fetch(`${hostler.base}/api/screen/capture`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    });
    return got.status === 429 ? null : got;
  }, patientMs);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const error: string | undefined = answer.status === 200 ? undefined : JSON.parse(bytes.toString()).error;
  return { status: answer.status, bytes, error };
}

async function pictureOf(hostler: WineHostler, input: object = {}) {
  const { status, error, bytes } = await post(hostler, input);
  if (status !== 200) throw new Error(`${status}: ${error}`);
  return await pictureIn(bytes);
}

const record = (hostler: WineHostler, name: string): Record<string, unknown>[] =>
  fs
    .readFileSync(hostler.drive(`${state}/${name}`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe.skipIf(!hasXorg() || !needsWine())('pictures of the Windows build under Wine, with two displays', () => {
  let x11: PrivateX11;
  let hostler: WineHostler;
  let user: ReturnType<typeof userOf>;
  let displays: Displays;
  /** The second one is left of the first, so its positions are negative. */
  const [first, second] = [
    { x: 0, width: 1920, height: 1080, painted: patternOf(1) },
    { x: -1280, width: 1280, height: 720, painted: patternOf(2) },
  ];
  const idAt = (x: number) => displays.find((display) => display.x === x)?.id ?? 'none';
  const shows = async (input: object, painted: ReturnType<typeof patternOf>) =>
    await until(async () => {
      const seen = await pictureOf(hostler, input);
      return wrongPixels(seen, painted) === 0 ? seen : null;
    }, patientMs);

  beforeAll(async () => {
    x11 = createPrivateX11('Xorg');
    await x11.start();
    x11.xrandr('--newmode', 'second', '74.25', '1280', '1390', '1430', '1650', '720', '725', '730', '750');
    x11.xrandr('--addmode', 'DUMMY1', 'second');
    x11.xrandr('--output', 'DUMMY1', '--mode', 'second', '--left-of', 'DUMMY0', '--output', 'DUMMY0', '--primary');
    // The server probes its outputs only on request, and Wine does not request it.
    x11.xrandr('--query');
    hostler = await startOn(x11, [
      `mkdir -p "$0/w/pfx/drive_c/${state}"`,
      `printf %s '{"screen": {"allowed": true}}' > "$0/w/pfx/drive_c/${state}/settings.json"`,
      // Balloons would cover the compared area.
      registered(
        ['Software', 'Microsoft', 'Windows', 'CurrentVersion', 'Explorer', 'Advanced'],
        'EnableBalloonTips',
        0,
      ),
    ]);
    user = userOf(hostler);
    await paint(hostler, '0 0 1920 1080 1');
    await paint(hostler, '-1280 0 1280 720 2');
    displays = await until(async () => {
      const found = (await (await hostler.get('/api/data/displays')).json()) as Displays;
      return found.length === 2 ? found : null;
    }, patientMs);
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  test('each display is captured as it was painted, by its id in the module displays', async () => {
    for (const { x, width, height, painted } of [first, second]) {
      const seen = await shows({ display: idAt(x) }, painted);
      expect([seen.width, seen.height]).toEqual([width, height]);
    }
    await shows({}, first.painted);
    expect(record(hostler, 'screen.log').at(-1)).toMatchObject({ token: 'main', what: idAt(0), outcome: 'taken' });
  });

  test('over the WebSocket the reply names the display', async () => {
    const client = await connectSocket(hostler);
    const answer = await until(async () => {
      const got = await client.ask('SCREEN_CAPTURE', { display: idAt(second.x) });
      return got.type === 'ERROR' ? null : got;
    }, patientMs);
    client.end();
    expect(answer.data).toMatchObject({ format: 'png', display: idAt(second.x), width: 1280, height: 720 });
    const { picture } = answer.data as { picture: string };
    expect(wrongPixels(await pictureIn(Buffer.from(picture, 'base64')), second.painted)).toBe(0);
  });

  test('it is scaled down on request', async () => {
    const seen = await pictureOf(hostler, { max_width: 480 });
    expect([seen.width, seen.height]).toEqual([480, 270]);
    // In the middle, at 4 to 1.
    const at = (135 * 480 + 240) * 3;
    expect([...seen.pixels.subarray(at, at + 3)]).toEqual(meanOf(first.painted, 960, 540, 4));
  });

  test.skipIf(!needs('dwebp'))('as WebP it has the same pixels', async () => {
    const { bytes } = await post(hostler, { display: idAt(second.x), format: 'webp' });
    expect(wrongPixels(pictureInWebp(bytes), second.painted)).toBe(0);
  });

  test('the command line writes it to a file, and to standard output', async () => {
    const words = `screenshot --display '${idAt(second.x)}' --max-width 64`;
    expect(await hostler.beside(`wine hostler.exe ${words} 'C:\\a picture.png'`)).toContain('64 × 36 pixels');
    await hostler.beside(`wine hostler.exe ${words} > /w/pfx/drive_c/piped.png`);
    const [written, piped] = ['a picture.png', 'piped.png'].map((name) => fs.readFileSync(hostler.drive(name)));
    const seen = await pictureIn(written ?? Buffer.alloc(0));
    expect([seen.width, seen.height]).toEqual([64, 36]);
    expect(piped?.equals(written ?? Buffer.alloc(0))).toBe(true);
  });

  test('the active window is cut out of the screen, across displays and at the edge', async () => {
    await paint(hostler, '-100 200 300 250 3');
    const across = await shows({ window: 'active' }, patternOf(3));
    expect([across.width, across.height]).toEqual([300, 250]);
    // A hundred columns of it are beyond the left edge of the desktop.
    await paint(hostler, '-1380 300 400 150 4');
    const cut = await shows({ window: 'active' }, (x, y) => patternOf(4)(x + 100, y));
    expect([cut.width, cut.height]).toEqual([300, 150]);
    expect(record(hostler, 'screen.log').at(-1)).toMatchObject({ what: 'the window in front', outcome: 'taken' });
  });

  test('an unknown display, and a token without the scope, are refused', async () => {
    expect(await post(hostler, { display: 'DUMMY1' })).toMatchObject({
      status: 404,
      error: `There is no display "DUMMY1"; connected: ${displays.map(({ id }) => id).join(', ')}`,
    });
    const made = await hostler.beside('wine hostler.exe token create --name few --scope read --json');
    const { token } = JSON.parse(made.slice(made.indexOf('{'), made.lastIndexOf('}') + 1)) as { token: string };
    expect((await post(hostler, {}, token)).status).toBe(403);
  });

  test('while Windows shows another desktop, such as the lock screen, nothing is captured', async () => {
    await hostler.beside(`(wine 'C:\\standins\\screen-user.exe' cover C:\\\\uncover > /tmp/cover.txt 2>&1 &)`);
    await until(async () => ((await hostler.beside('cat /tmp/cover.txt')).includes('covered 1') ? true : null));
    const sentence = 'The screen is locked, or Windows is asking an administrator for permission; try again afterwards';
    expect(await post(hostler, {})).toMatchObject({ status: 501, error: sentence });
    expect(record(hostler, 'screen-failures.log').at(-1)).toMatchObject({ outcome: sentence });
    await hostler.beside('touch /w/pfx/drive_c/uncover');
    await until(async () => ((await post(hostler, {})).status === 200 ? true : null), patientMs);
  });

  test('while control is paused no picture is taken', async () => {
    expect(await hostler.beside('wine hostler.exe control pause; echo "rc $?"')).toContain('rc 0');
    expect(await post(hostler, {})).toMatchObject({ status: 409, error: expect.stringContaining('Control is paused') });
    await hostler.beside('wine hostler.exe control resume');
    expect((await post(hostler, {})).status).toBe(200);
  });

  test('in an invisible window station, such as that of services, the error says that there is no screen', async () => {
    const text = await user('hidden "C:\\hostler\\hostler.exe doctor"');
    expect(text).toContain('Hostler runs as a service here, which has no desktop');
    expect(await hostler.beside('wine hostler.exe doctor')).not.toContain('which has no desktop');
  });

  test('fifty pictures leak no GDI object', async () => {
    const processes = (await (await hostler.get('/api/data/processes')).json()) as Process[];
    const pid = processes.find(({ name }) => name === 'hostler.exe')?.id;
    const objects = async () => Number(/objects (\d+)/.exec(await user(`objects ${pid}`))?.[1]);
    await pictureOf(hostler);
    const before = await objects();
    expect(before).toBeGreaterThan(0);
    for (let count = 0; count < 50; count += 1) await pictureOf(hostler, { max_width: 64 });
    expect(await objects()).toBeLessThan(before + 10);
  });
});

describe.skipIf(!needs('Xvfb') || !needsWine())('pictures of the Windows build under Wine, at a scale of 200 %', () => {
  let x11: PrivateX11;
  let hostler: WineHostler;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    hostler = await startOn(x11, [registered(['Control Panel', 'Desktop'], 'LogPixels', 192)]);
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  test('are refused until the owner allows them; then they have true pixels, and the user sees a notice', async () => {
    expect(await post(hostler, {})).toMatchObject({
      status: 403,
      error: expect.stringContaining('Pictures of the screen are not allowed on this machine'),
    });
    const seen = async () => Number(/seen (\d+)/.exec(await userOf(hostler)('notice'))?.[1]);
    expect(await seen()).toBe(0);
    await hostler.beside('wine hostler.exe settings set screen.allowed true');
    await paint(hostler, '0 0 1920 1080 5');
    await until(async () => {
      const { status, bytes } = await post(hostler, {});
      if (status !== 200) return null;
      const { width, height, pixels } = await pictureIn(bytes);
      expect([width, height]).toEqual([1920, 1080]);
      // The notice is shown in the upper half.
      const lower = { width, height: 540, pixels: pixels.subarray(540 * width * 3) };
      return wrongPixels(lower, (x, y) => patternOf(5)(x, y + 540)) === 0 ? true : null;
    }, patientMs);
    await until(async () => ((await seen()) > 0 ? true : null), patientMs);
    expect(record(hostler, 'screen.log').every(({ undelivered }) => undelivered === undefined)).toBe(true);
  });

  test.skipIf(!needs('xdotool'))('an agent sees nothing before the user at the screen has allowed it', async () => {
    await hostler.beside('wine taskkill /f /im screen-user.exe');
    // On Windows only the pipe counts as local.
    await hostler.beside('wine hostler.exe settings set mcp.allowRemote true');
    const client = await until(() => connectOverHttp(hostler, 'auto').catch(() => null), patientMs);
    const look = () =>
      client.callTool({ name: 'take_screenshot', arguments: {} }) as Promise<{
        content: { type: string; data?: string }[];
        isError?: boolean;
      }>;
    const pressing = async (key: string) => {
      const asked = look();
      let isDone = false;
      void asked.finally(() => {
        isDone = true;
      });
      await until(async () => {
        // A Yes in the first second does not count.
        await Bun.sleep(1500);
        if (!isDone)
          spawnSync(findProgram('xdotool') ?? '', ['key', key], {
            env: { DISPLAY: x11.display() },
            stdio: 'ignore',
            timeout: 10_000,
          });
        return isDone || null;
      }, patientMs);
      return await asked;
    };
    const { content, isError } = await pressing('y');
    expect([isError ?? false, content[0]?.type]).toEqual([false, 'image']);
    const seen = await pictureIn(Buffer.from(content[0]?.data ?? '', 'base64'));
    expect([seen.width, seen.height]).toEqual([1280, 720]);
    expect(record(hostler, 'screen.log').findLast(({ outcome }) => outcome === 'taken')).toMatchObject({ agent: true });
    const refused = await pressing('Return');
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([
      true,
      expect.stringContaining('The user did not allow take_screenshot'),
    ]);
    await client.close();
  });
});
