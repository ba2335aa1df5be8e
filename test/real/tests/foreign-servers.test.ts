import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { holdPipe } from '../../../src/host/linux/login/hold-pipe.ts';
import { exposureAbove } from '../../../src/host/linux/storage/exposure.ts';
import { anotherUser, asAnotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { hostIn } from '../harness/session-host.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

/** The message about a server of another user. */
const foreign = (socket: string) =>
  `the server at ${socket} belongs to user nobody (${anotherUser}), not to this user (root)`;

const canBeTwo = canBeAnotherUser();

describe.skipIf(!canBeTwo || !needs('dbus-daemon'))('a session bus of another user', () => {
  let bus: PrivateBus;
  let hostler: RunningHostler;
  beforeAll(async () => {
    bus = createPrivateBus({ forEverybody: true, user: anotherUser });
    await bus.start();
    hostler = await startHostler({ env: { DBUS_SESSION_BUS_ADDRESS: bus.address } });
  });
  afterAll(async () => {
    await hostler?.stop();
    await bus.remove();
  });

  test('is not used, and the reason names both users', async () => {
    await hostler.get('/api/data/media');
    const modules = (await (await hostler.get('/api/modules')).json()) as {
      name: string;
      reasons: { reason: string }[];
    }[];
    const [reason] = modules.find(({ name }) => name === 'media')?.reasons ?? [];
    expect(reason?.reason).toContain(foreign(bus.socket));
  });

  test('is reported by the doctor', async () => {
    const { directory } = hostler;
    const { stdout } = await runHostler(['doctor'], { directory, env: { DBUS_SESSION_BUS_ADDRESS: bus.address } });
    expect(stdout).toMatch(/✗ problem +The server at /);
    expect(stdout).toContain(`T${foreign(bus.socket).slice(1)}; it is not used`);
  });

  test('is not passed on to programs', async () => {
    const host = hostIn({ DBUS_SESSION_BUS_ADDRESS: bus.address });
    const { variables } = await host.session.find();
    await host.close();
    expect(Object.keys(variables)).not.toContain('DBUS_SESSION_BUS_ADDRESS');
  });
});

/** Listens, and prints everything it receives. */
const listener = `
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1].replace("@", "\\0"))
server.listen()
print("listening", flush=True)
while True:
    client, _ = server.accept()
    print("sent", len(client.recv(65536)), flush=True)
    client.close()
`;

describe.skipIf(!canBeTwo)('a listener of another user', () => {
  const places: string[] = [];
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
    for (const place of places.splice(0)) fs.rmSync(place, { recursive: true, force: true });
  });
  const listenIn = async (place: (directory: string) => string) => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-foreign-'));
    places.push(directory);
    fs.chownSync(directory, anotherUser, anotherUser);
    const socket = place(directory);
    const { child, output } = asAnotherUser(listener, [socket]);
    stops.push(() => child.kill());
    await until(() => (output().includes('listening') ? true : null));
    return { directory, socket, output };
  };
  const inside = (name: string) => (directory: string) => path.join(directory, name);

  test('receives no byte of D-Bus, by a path or by an abstract name', async () => {
    for (const place of [inside('bus'), (directory: string) => `@${directory}`]) {
      const { socket, output } = await listenIn(place);
      const address = socket.startsWith('@') ? `abstract=${socket.slice(1)}` : `path=${socket}`;
      const host = hostIn({ DBUS_SESSION_BUS_ADDRESS: `unix:${address}`, DBUS_SYSTEM_BUS_ADDRESS: `unix:${address}` });
      const daemon = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' };
      const call = { ...daemon, interface: 'org.freedesktop.DBus', member: 'GetId', timeoutMs: 30_000 };
      await expect(host.dbus.session.call(call)).rejects.toThrow(foreign(socket));
      await expect(host.dbus.system.call(call)).rejects.toThrow(foreign(socket));
      await expect(holdPipe(host, call)).rejects.toThrow(foreign(socket));
      await until(() => (output().split('sent').length > 3 ? true : null));
      expect(output().match(/sent \d+/g)).toEqual(['sent 0', 'sent 0', 'sent 0']);
      await host.close();
    }
  });

  test('is not used as bus, compositor or sound server of a runtime directory owned by another user', async () => {
    const { directory, output } = await listenIn(inside('bus'));
    const host = hostIn({ XDG_RUNTIME_DIR: directory });
    expect(host.paths.runtime).toBe('/run/user/0');
    const { variables, refused = [] } = await host.session.find();
    await host.close();
    expect(variables.XDG_RUNTIME_DIR).not.toBe(directory);
    expect(refused).toContain(`the runtime directory ${directory} (XDG_RUNTIME_DIR) is not used: it belongs to nobody`);
    expect(output()).toBe('listening\n');
  });

  test('is not used as the sound server that PULSE_SERVER names', async () => {
    const { socket, output } = await listenIn(inside('native'));
    const host = hostIn({ PULSE_SERVER: `unix:${socket}` });
    const { openPulse } = await import('../../../src/host/linux/sound/pulse.ts');
    await expect(openPulse(host, 30_000)).rejects.toThrow(foreign(socket));
    await host.close();
    await until(() => (output().includes('sent') ? true : null));
    expect(output()).toContain('sent 0');
  });
});

test.skipIf(!canBeTwo)('a world-writable socket is trusted according to the directories above it', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-above-'));
  const socket = path.join(directory, 'X0');
  fs.writeFileSync(socket, '');
  fs.chmodSync(socket, 0o777);
  const seen = (owner: number, mode: number) => {
    fs.chownSync(directory, owner, owner);
    fs.chmodSync(directory, mode);
    return exposureAbove(socket)?.problem ?? null;
  };
  expect(seen(0, 0o1777)).toBeNull();
  expect(seen(0, 0o755)).toBeNull();
  expect(seen(0, 0o777)).toBe(`any user may write to ${directory}, in which it lies`);
  expect(seen(anotherUser, 0o1777)).toBe(`${directory}, in which it lies, belongs to nobody`);
  fs.rmSync(directory, { recursive: true });
});

describe.skipIf(!canBeTwo || !needs('Xvfb', 'xclip'))('an X server of another user', () => {
  let x11: PrivateX11;
  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb', anotherUser);
    // It accepts every client, as a malicious one would.
    await x11.start('-ac');
  });
  afterAll(() => x11.remove());
  const socketOf = (display: string) => `/tmp/.X11-unix/X${display.slice(1)}`;

  test('is not used as our display, and is not passed on to programs', async () => {
    const host = hostIn({ DISPLAY: x11.display() });
    const { x11: found, variables, refused = [] } = await host.session.find();
    await host.close();
    expect(found).toBeNull();
    expect(Object.keys(variables)).not.toContain('DISPLAY');
    expect(refused.join('\n')).toContain(foreign(socketOf(x11.display())));
  });

  test('receives neither the text of clipboard.set nor that of keyboard.text', async () => {
    await using hostler = await startHostler({ env: { DISPLAY: x11.display() } });
    const headers = { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' };
    for (const [route, body] of [
      ['clipboard/set', { text: 'a secret' }],
      ['keyboard/text', { text: 'a secret' }],
    ] as const) {
      const answer = await fetch(`${hostler.base}/api/${route}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(answer.ok).toBeFalse();
      expect(await answer.text()).toContain(foreign(socketOf(x11.display())));
    }
    expect(() =>
      execFileSync(findProgram('xclip') ?? 'xclip', ['-o', '-selection', 'clipboard'], {
        env: { PATH: process.env.PATH ?? '', DISPLAY: x11.display() },
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 30_000,
      }),
    ).toThrow();
  });

  test('is detected also where only the abstract name of our own display belongs to it', async () => {
    const own = createPrivateX11('Xvfb');
    await own.start('-nolisten', 'local');
    const host = hostIn({ DISPLAY: own.display() });
    try {
      expect((await host.session.find()).x11?.socket).toBe(socketOf(own.display()));
      const { child, output } = asAnotherUser(listener, [`@${socketOf(own.display())}`]);
      await until(() => (output().includes('listening') ? true : null));
      const { x11: found, refused = [] } = await host.session.find(true);
      child.kill();
      expect(found).toBeNull();
      expect(refused.join('\n')).toContain(foreign(`@${socketOf(own.display())}`));
    } finally {
      await host.close();
      await own.remove();
    }
  });
});
