import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeDconf } from '../../../src/features/session/linux/dconf.ts';
import { sessionActions } from '../../../src/features/session/session.actions.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { fakeActionContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { createPrivateBus } from '../harness/bus.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { startPrivateDunst } from '../harness/private-dunst.ts';
import { hostIn } from '../harness/session-host.ts';
import { listenToSession, startProgram } from '../harness/session-listener.ts';
import { createPrivateWayland } from '../harness/wayland.ts';

setDefaultTimeout(120_000);

const [silence, light] = sessionActions;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function orders(variables: Record<string, string>) {
  const host = hostIn(variables);
  closing.push(host.close);
  return fakeActionContext(host).context;
}

describe.skipIf(!needs('dbus-daemon', 'Xvfb', 'dunst', 'dunstctl'))('do not disturb of dunst', () => {
  test('is switched, pushed to listeners, and refused with an error message while dunst hangs', async () => {
    const desktop = await startPrivateDunst();
    closing.push(desktop.remove);
    const isPaused = () =>
      execFileSync(findProgram('dunstctl') ?? '', ['is-paused'], {
        env: desktop.variables,
        encoding: 'utf8',
        timeout: 30_000,
      }).trim();
    const { has, close } = listenToSession(desktop.variables);
    closing.push(close);
    await has('dunst', ({ do_not_disturb }) => do_not_disturb === false);
    const context = orders(desktop.variables);
    expect(await silence.unavailable(context)).toBeNull();
    expect(await silence.run({ on: true }, context)).toMatchObject({
      message: 'Do not disturb is on (dunst)',
      data: { confirmed: true },
    });
    expect(isPaused()).toBe('true');
    await has('silent', ({ do_not_disturb }) => do_not_disturb === true);
    await silence.run({ on: false }, context);
    expect(isPaused()).toBe('false');
    await has('no longer', ({ do_not_disturb }) => do_not_disturb === false);
    desktop.freeze();
    await expect(silence.run({ on: true }, context)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('The desktop did not answer'),
    });
    desktop.thaw();
    // A request that timed out may still arrive; the next one counts.
    await until(
      async () => (await silence.run({ on: false }, context).catch(() => null))?.data.confirmed === true,
      'it answers again',
    );
    expect(isPaused()).toBe('false');
  });

  test('a desktop without a night light names programs that have one', async () => {
    const bus = createPrivateBus();
    closing.push(() => bus.remove());
    await bus.start();
    const context = orders({ DBUS_SESSION_BUS_ADDRESS: bus.address });
    await expect(light.run({ on: true }, context)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Neither GNOME nor Plasma'),
    });
    await expect(silence.run({ on: true }, context)).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe.skipIf(!needs('sway', 'swaymsg', 'mako', 'makoctl'))('do not disturb of mako', () => {
  test('is a mode of it, and the other modes stay', async () => {
    const wayland = createPrivateWayland('sway');
    closing.push(wayland.remove);
    await wayland.start();
    const variables = { ...wayland.variables, WAYLAND_DISPLAY: 'wayland-1' };
    const makoctl = (...args: string[]) =>
      execFileSync(findProgram('makoctl') ?? '', args, { env: variables, encoding: 'utf8', timeout: 30_000 });
    const mako = startProgram('mako', ['-c', '/dev/null'], variables);
    closing.push(mako.kill);
    const context = orders(variables);
    await until(async () => (await silence.unavailable(context)) === null, 'mako answers');
    makoctl('mode', '-a', 'work');
    expect(await silence.run({ on: true }, context)).toMatchObject({ data: { by: 'mako', confirmed: true } });
    expect(makoctl('mode').split('\n')).toEqual(expect.arrayContaining(['do-not-disturb', 'work']));
    await silence.run({ on: false }, context);
    expect(makoctl('mode')).not.toContain('do-not-disturb');
    expect(makoctl('mode')).toContain('work');
  });
});

const dconfService = '/usr/libexec/dconf-service';

describe.skipIf(!needs('dbus-daemon', 'dconf', dconfService))('settings of GNOME', () => {
  test('are written by the real dconf, and read back by its own command', async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler dconf-'));
    closing.push(() => fs.rmSync(home, { recursive: true, force: true }));
    const bus = createPrivateBus();
    closing.push(() => bus.remove());
    await bus.start();
    const variables = {
      DBUS_SESSION_BUS_ADDRESS: bus.address,
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      XDG_RUNTIME_DIR: home,
    };
    const { session, system } = connectBuses({
      variable: (name) => (variables as Record<string, string>)[name] ?? null,
    });
    closing.push(session.close, system.close);
    const key = '/org/gnome/desktop/notifications/show-banners';
    await expect(writeDconf(session, key, false)).rejects.toThrow('install dconf-service');
    closing.push(startProgram(dconfService, [], variables).kill);
    const read = () =>
      execFileSync(findProgram('dconf') ?? '', ['read', key], {
        env: { PATH: process.env.PATH ?? '', ...variables },
        encoding: 'utf8',
        timeout: 30_000,
      }).trim();
    await until(
      () =>
        writeDconf(session, key, false).then(
          () => true,
          () => false,
        ),
      'dconf answers',
    );
    expect(read()).toBe('false');
    await writeDconf(session, key, true);
    expect(read()).toBe('true');
  });
});
