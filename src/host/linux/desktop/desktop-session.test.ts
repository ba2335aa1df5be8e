import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Bus } from '@hostler/dbus/dbus.ts';
import { type ConnectLocal, PeerRefusal } from '@hostler/io/local-socket.ts';
import { fakeBus, fakeClock, noBus } from '../../../../test/doubles/fake-host.ts';
import { until } from '../../../../test/harness/until.ts';
import { createClock } from '../../clock.ts';
import { connectVerified } from '../verified-local.ts';
import { parseGraphical } from './desktop-session.logind.ts';
import { parseAssignments } from './desktop-session.manager.ts';
import { createDesktopSession, findForUse, localDisplay } from './desktop-session.ts';
import { watchPlaces } from './desktop-session.watch.ts';

const servers = new Set<net.Server>();
let runtime = '';

beforeEach(() => {
  runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-session-'));
});
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
  fs.rmSync(runtime, { recursive: true, force: true });
});

async function listen(name: string): Promise<net.Server> {
  const server = net.createServer((peer) => peer.on('error', () => {}).end());
  servers.add(server);
  await new Promise<void>((listening) => server.listen(path.join(runtime, name), () => listening()));
  return server;
}

function session({ variables = {}, user = noBus, system = noBus, connectLocal = connectVerified }: Given = {}) {
  return createDesktopSession({
    environment: { variable: (name) => variables[name] ?? null, uid: 1000, home: runtime },
    paths: { runtime },
    dbus: { session: user, system },
    connectLocal,
    clock: createClock(),
  });
}

interface Given {
  variables?: Record<string, string>;
  user?: Bus;
  system?: Bus;
  connectLocal?: ConnectLocal;
}

const manager = (environment: string[]) =>
  fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.Properties.Get': () => [environment],
  });

describe('a session is found', () => {
  test('by our own environment, without a query', async () => {
    await listen('wayland-5');
    const user = manager(['WAYLAND_DISPLAY=wayland-9']);
    const found = await session({ variables: { WAYLAND_DISPLAY: 'wayland-5', LANG: 'C' }, user }).find();
    expect(found.wayland).toBe(path.join(runtime, 'wayland-5'));
    expect(found.variables).toEqual({
      XDG_RUNTIME_DIR: runtime,
      XDG_SESSION_TYPE: 'wayland',
      WAYLAND_DISPLAY: 'wayland-5',
      LANG: 'C',
    });
    expect(user.calls).toEqual([]);
  });

  test('by the variables in systemd, where ours are outdated', async () => {
    await listen('wayland-7');
    const user = manager(['WAYLAND_DISPLAY=wayland-7', 'XDG_CURRENT_DESKTOP=sway', 'SECRET=x', 'PATH=/evil']);
    const found = await session({ variables: { WAYLAND_DISPLAY: 'wayland-0' }, user }).find();
    expect(found.wayland).toBe(path.join(runtime, 'wayland-7'));
    expect(found.variables).toMatchObject({ WAYLAND_DISPLAY: 'wayland-7', XDG_CURRENT_DESKTOP: 'sway' });
    expect(Object.keys(found.variables)).not.toContain('SECRET');
    expect(Object.keys(found.variables)).not.toContain('PATH');
  });

  test('by its socket, where systemd has no variables; a socket without a listener does not count', async () => {
    await listen('wayland-1');
    fs.writeFileSync(path.join(runtime, 'wayland-2'), '');
    fs.writeFileSync(path.join(runtime, 'wayland-1.lock'), '');
    await listen('bus');
    const { wayland, variables } = await session().find();
    expect(wayland).toBe(path.join(runtime, 'wayland-1'));
    expect(variables.DBUS_SESSION_BUS_ADDRESS).toBe(`unix:path=${path.join(runtime, 'bus')}`);
  });

  test('and the result is empty without a session', async () => {
    expect(await session({ variables: { DISPLAY: ':65535' } }).find()).toEqual({
      wayland: null,
      x11: null,
      variables: { XDG_RUNTIME_DIR: runtime },
    });
  });
});

describe('servers of another user are not used', () => {
  /** A machine on which these sockets answer; the marked ones belong to another user. */
  const machine = (sockets: Record<string, 'ours' | 'foreign'>) => {
    const connectLocal: ConnectLocal = async (socket) => {
      const owner = sockets[socket];
      if (owner === undefined) throw new Error('ECONNREFUSED');
      if (owner === 'foreign') throw new PeerRefusal(`the server at ${socket.replace('\0', '@')} belongs to user eve`);
      return { send: () => {}, close: () => {} };
    };
    return (variables: Record<string, string>) => session({ variables, connectLocal }).find();
  };
  const file = '/tmp/.X11-unix/X65535';
  const name = `\0${file}`;

  test('neither the display nor its key is passed on', async () => {
    const find = machine({ [file]: 'foreign' });
    const { x11, variables, refused } = await find({ DISPLAY: ':65535', XAUTHORITY: '/etc/passwd' });
    expect({ x11, refused }).toEqual({ x11: null, refused: [`the server at ${file} belongs to user eve`] });
    expect(Object.keys(variables)).not.toContain('DISPLAY');
    expect(Object.keys(variables)).not.toContain('XAUTHORITY');
  });

  test('a display is not used where another user has taken its abstract name, which programs try first', async () => {
    expect((await machine({ [file]: 'ours', [name]: 'foreign' })({ DISPLAY: ':65535' })).x11).toBeNull();
    expect((await machine({ [file]: 'ours', [name]: 'ours' })({ DISPLAY: ':65535' })).x11?.socket).toBe(file);
    expect((await machine({ [name]: 'ours' })({ DISPLAY: ':65535' })).x11?.socket).toBe(name);
  });

  test('of several bus addresses only the one of this user is passed on, and none that cannot be verified', async () => {
    const find = machine({ '/run/a': 'foreign', '/run/b': 'ours' });
    const address = 'tcp:host=far,port=1;unix:path=/run/a;unix:path=/run/b,guid=ab';
    const { variables, refused } = await find({ DBUS_SESSION_BUS_ADDRESS: address });
    expect(variables.DBUS_SESSION_BUS_ADDRESS).toBe('unix:path=/run/b,guid=ab');
    expect(refused).toEqual(['the server at /run/a belongs to user eve']);
    const unverified = await find({ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=far,port=1' });
    expect(Object.keys(unverified.variables)).not.toContain('DBUS_SESSION_BUS_ADDRESS');
  });

  test('a compositor', async () => {
    const socket = path.join(runtime, 'wayland-5');
    const { wayland, variables } = await machine({ [socket]: 'foreign' })({ WAYLAND_DISPLAY: 'wayland-5' });
    expect(wayland).toBeNull();
    expect(Object.keys(variables)).not.toContain('WAYLAND_DISPLAY');
  });

  test('a runtime directory that others may write to', async () => {
    const open = path.join(runtime, 'open');
    fs.mkdirSync(open);
    fs.chmodSync(open, 0o777);
    const { variables, refused } = await machine({})({ XDG_RUNTIME_DIR: open });
    expect(variables.XDG_RUNTIME_DIR).toBe(runtime);
    expect(refused).toEqual([`the runtime directory ${open} (XDG_RUNTIME_DIR) is not used: any user may write to it`]);
  });
});

test('calls within a second share the result', async () => {
  const asked = session();
  expect(asked.find()).toBe(asked.find());
});

test('an action finds a session that has just started, also after a recent search without a result', async () => {
  const asked = session();
  expect((await asked.find()).wayland).toBeNull();
  await listen('wayland-7');
  expect((await findForUse(asked)).wayland).toBe(path.join(runtime, 'wayland-7'));
});

test('the start, end and restart of a session are reported', async () => {
  const watched = session();
  let calls = 0;
  const stop = watched.watch(() => calls++);
  expect((await watched.find()).wayland).toBeNull();
  const server = await listen('wayland-3');
  await until(() => calls > 0, 'the start is reported');
  expect((await watched.find()).wayland).toBe(path.join(runtime, 'wayland-3'));
  calls = 0;
  server.close();
  await until(() => calls > 0, 'the end is reported');
  // A logout removes the whole directory, a login creates it again.
  fs.rmSync(runtime, { recursive: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  fs.mkdirSync(runtime);
  await until(async () => {
    calls = 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
    fs.writeFileSync(path.join(runtime, 'bus'), '');
    fs.rmSync(path.join(runtime, 'bus'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    return calls > 0;
  }, 'the new directory is watched');
  stop();
});

test('names that other users create often neither prevent a report nor cause one each', async () => {
  const x11Sockets = path.join(runtime, 'x11');
  fs.mkdirSync(x11Sockets);
  const clock = fakeClock();
  let events = 0;
  let calls = 0;
  const noting = {
    ...clock,
    after(ms: number, callback: () => void) {
      if (ms === 1500) events++;
      return clock.after(ms, callback);
    },
  };
  const stop = watchPlaces({ runtime: null, buses: [], x11Sockets, clock: noting, changed: () => calls++ });
  const burst = async (count: number, pauseMs: number) => {
    for (let round = 0; round < count; round++) {
      const before = events;
      fs.writeFileSync(path.join(x11Sockets, `X${events}`), '');
      await until(() => events > before, 'the name is noticed');
      clock.advance(pauseMs);
    }
  };
  await burst(10, 20);
  expect(calls).toBe(1);
  await burst(10, 100);
  expect(calls).toBe(2);
  clock.advance(1500);
  expect(calls).toBe(3);
  stop();
});

test('only displays of this machine count', () => {
  expect([':0', ':12.1', 'unix:1'].map(localDisplay)).toEqual([0, 12, 1]);
  expect(['localhost:10.0', 'far:0', '', ':x', undefined].map(localDisplay)).toEqual([null, null, null, null, null]);
});

test('only assignments of known variables are accepted from a manager', () => {
  expect(parseAssignments(['DISPLAY=:1', 'LANG=a=b', '=x', 'nothing', 7, null])).toEqual({
    DISPLAY: ':1',
    LANG: 'a=b',
  });
  expect(parseAssignments('DISPLAY=:1')).toEqual({});
});

test('the display of X11 comes from logind', () => {
  const answer = new Map<string, unknown>([
    ['Display', ':0'],
    ['Type', 'x11'],
    ['Id', 'c2'],
    ['Desktop', ''],
  ]);
  expect(parseGraphical(answer)).toEqual({ DISPLAY: ':0', XDG_SESSION_TYPE: 'x11', XDG_SESSION_ID: 'c2' });
});
