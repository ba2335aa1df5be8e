import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Bus } from '@hostler/dbus/dbus.ts';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { until as become } from '../../harness/until.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { switchDisplaysIn } from '../harness/display-desk.ts';
import { needs } from '../harness/parts.ts';
import { postJson, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { type Compositor, createPrivateWayland } from '../harness/wayland.ts';
import { createPrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

const python = '/usr/bin/python3';
const hasMocks = () =>
  needs('dbus-daemon', python) &&
  (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));
const logind = 'org.freedesktop.login1';

/** Test machines have no backlight: its files are created, and logind is a stand-in that writes them. */
describe.skipIf(!hasMocks())('brightness with a stand-in for logind', () => {
  let system: PrivateBus;
  let mock: ChildProcess;
  let hostler: RunningHostler;
  let bus: Bus;
  const sys = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler sys-'));
  const lamp = path.join(sys, 'class/backlight/intel_backlight');
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(sys, file)), { recursive: true });
    fs.writeFileSync(path.join(sys, file), text);
  };
  const session = '/org/freedesktop/login1/session/c7';
  const tellMock = (at: string, member: string, signature: string, body: unknown[]) =>
    bus.call({
      destination: logind,
      path: at,
      interface: 'org.freedesktop.DBus.Mock',
      member,
      signature,
      body,
    });
  const setBrightness = (code: string) =>
    tellMock(session, 'AddMethod', 'sssss', [`${logind}.Session`, 'SetBrightness', 'ssu', '', code]);
  const obeys = `open(${JSON.stringify(path.join(lamp, 'brightness'))}, "w").write(str(args[2]) + "\\n")`;
  const order = async (body: unknown, token = hostler.token) => {
    const response = await postJson(hostler, '/api/display/brightness', body, token);
    return { status: response.status, body: (await response.json()) as { error?: string; message?: string } };
  };
  const brightness = async () => {
    const response = await fetch(`${hostler.base}/api/data/displays`, { headers: { 'X-API-Token': hostler.token } });
    return ((await response.json()) as Displays).map(({ id, brightness: percent }) => [id, percent]);
  };

  beforeAll(async () => {
    write('class/drm/card1/dev', '226:1\n');
    for (const [connector, dpms] of [
      ['eDP-1', 'On'],
      ['DP-1', 'Off'],
    ]) {
      write(`class/drm/card1-${connector}/status`, 'connected\n');
      write(`class/drm/card1-${connector}/enabled`, 'enabled\n');
      write(`class/drm/card1-${connector}/modes`, '1920x1080\n');
      write(`class/drm/card1-${connector}/dpms`, `${dpms}\n`);
    }
    write('class/backlight/intel_backlight/type', 'raw\n');
    write('class/backlight/intel_backlight/max_brightness', '400\n');
    write('class/backlight/intel_backlight/brightness', '200\n');
    system = createPrivateBus();
    await system.start();
    const variables = { DBUS_SYSTEM_BUS_ADDRESS: system.address, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
    mock = spawn(python, ['-m', 'dbusmock', '--template', 'logind'], {
      env: { PATH: process.env.PATH ?? '', ...variables },
      stdio: 'ignore',
    });
    bus = connectBuses({ variable: (name) => ({ ...variables })[name as keyof typeof variables] ?? null }).system;
    await until(() => tellMock('/org/freedesktop/login1', 'GetCalls', '', []).catch(() => null));
    await tellMock('/org/freedesktop/login1', 'AddSession', 'ssusb', [
      'c7',
      'seat0',
      process.getuid?.() ?? 0,
      'a',
      true,
    ]);
    await setBrightness(obeys);
    hostler = await startHostler({ env: { ...variables, HOSTLER_SYS: sys } });
  });
  afterAll(async () => {
    await hostler?.stop();
    bus?.close();
    mock?.kill('SIGKILL');
    await system?.remove();
    fs.rmSync(sys, { recursive: true, force: true });
  });

  test('it is read, and set over HTTP and by the command', async () => {
    expect(await brightness()).toEqual([
      ['DP-1', null],
      ['eDP-1', 50],
    ]);
    expect(await order({ percent: 40 })).toMatchObject({
      status: 200,
      body: { message: 'The brightness of eDP-1 is 40 %' },
    });
    const [calls] = await tellMock(session, 'GetMethodCalls', 's', ['SetBrightness']);
    expect(calls).toMatchObject([[expect.anything(), ['backlight', 'intel_backlight', 160]]]);
    await until(async () => ((await brightness())[1]?.[1] === 40 ? true : null));
    const { stdout, code } = await runHostler(['display', 'brightness', '15%'], { directory: hostler.directory });
    expect([code, stdout.trim()]).toEqual([0, 'The brightness of eDP-1 is 15 %']);
    expect(fs.readFileSync(path.join(lamp, 'brightness'), 'utf8')).toBe('60\n');
    const refused = await runHostler(['display', 'brightness', '1000'], { directory: hostler.directory });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('must be a number from 0 to 100');
  });

  test('invalid values are refused, and change nothing', async () => {
    const before = fs.readFileSync(path.join(lamp, 'brightness'), 'utf8');
    expect((await order({ percent: 1000 })).status).toBe(400);
    expect((await order({ percent: 'bright' })).status).toBe(400);
    expect(await order({ percent: 10, display: 'HDMI-A-7' })).toMatchObject({
      status: 404,
      body: { error: 'There is no display "HDMI-A-7"; connected: DP-1, eDP-1' },
    });
    expect((await order({ percent: 10, display: 'DP-1' })).status).toBe(501);
    expect((await order({ percent: 10 }, 'wrong')).status).toBe(401);
    expect(fs.readFileSync(path.join(lamp, 'brightness'), 'utf8')).toBe(before);
  });

  test('a logind that refuses or dies is bypassed where the file is writable', async () => {
    await setBrightness(
      'raise dbus.exceptions.DBusException("not in front", name="org.freedesktop.DBus.Error.AccessDenied")',
    );
    expect((await order({ percent: 70 })).status).toBe(200);
    expect(fs.readFileSync(path.join(lamp, 'brightness'), 'utf8').trim()).toStartWith('280');
    mock.kill('SIGKILL');
    expect((await order({ percent: 0 })).status).toBe(200);
    await until(async () => ((await brightness())[1]?.[1] === 0 ? true : null));
    // The backlight disappears before the call.
    fs.rmSync(lamp, { recursive: true });
    const gone = await order({ percent: 30 });
    expect([gone.status, gone.body.error]).toEqual([501, expect.stringContaining('/sys/class/backlight is empty')]);
  });
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function deskIn(variables: Record<string, string>) {
  const desk = switchDisplaysIn(variables);
  closing.push(desk.close);
  return desk;
}

describe.each((['sway', 'mutter'] as const).filter((name) => needs(name, 'dbus-daemon')))(
  'with %s',
  (name: Compositor) => {
    test('displays are switched off and on, also after the compositor was killed and restarted', async () => {
      const wayland = createPrivateWayland(name);
      closing.push(wayland.remove);
      for (const _ of ['first', 'again']) {
        await wayland.start();
        const desk = deskIn(wayland.variables);
        await become(() => String(desk.powers()) === 'on,on', 'both are on');
        expect(await desk.unavailable()).toBeNull();
        const { data } = await desk.set(false);
        expect(data).toMatchObject({ displays: [expect.anything(), expect.anything()], power: 'off' });
        if (name === 'sway') {
          // Old versions cannot switch off a headless output; then the reply does not claim it either.
          const lit = wayland
            .swaymsg('-t', 'get_outputs')
            .match(/"(?:power|dpms)": \w+/g)
            ?.map((line) => line.endsWith('true'));
          expect(data.confirmed).toBe(String(lit) === 'false,false');
          console.log(`sway obeys: ${data.confirmed}`);
        } else {
          expect(data.confirmed).toBe(true);
          await become(() => String(desk.powers()) === 'off,off', 'that both are off is pushed');
          await expect(desk.set(true, 'Meta-0')).rejects.toThrow('GNOME switches all displays together');
        }
        expect((await desk.set(true)).data).toMatchObject({ power: 'on', confirmed: true });
        await become(() => String(desk.powers()) === 'on,on', 'both are on again');
        await expect(desk.set(true, 'DP-77')).rejects.toThrow('There is no display "DP-77"');
        await wayland.kill();
        await become(() => desk.powers().length === 0, 'its end is seen');
        expect(await desk.unavailable()).not.toBeNull();
        for (const close of closing.splice(1).reverse()) await close();
      }
    });
  },
);

describe.skipIf(!needs('Xvfb'))('with Xvfb, which cannot switch its display', () => {
  test('the reply says so', async () => {
    const x11 = createPrivateX11('Xvfb');
    closing.push(x11.remove);
    await x11.start();
    const desk = deskIn({ DISPLAY: x11.display() });
    await become(() => desk.powers().length === 1, 'it is found');
    expect(desk.powers()).toEqual([null]);
    expect(await desk.unavailable()).toContain('it lacks DPMS');
    await expect(desk.set(false)).rejects.toMatchObject({ code: 'unsupported' });
  });
});
