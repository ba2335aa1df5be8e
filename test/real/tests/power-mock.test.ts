import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Bus } from '@hostler/dbus/dbus.ts';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createClock } from '../../../src/host/clock.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { holdPipe } from '../../../src/host/linux/login/hold-pipe.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { needs } from '../harness/parts.ts';
import { postJson, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

const python = '/usr/bin/python3';
const hasMocks = () =>
  needs('dbus-daemon', python) &&
  (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));
const logind = 'org.freedesktop.login1';
const manager = `${logind}.Manager`;

/** What a real logind does not do: fail in every way, or never answer. On private buses, which do not control this machine. */
describe.skipIf(!hasMocks())('power with a logind that misbehaves', () => {
  let system: PrivateBus;
  let session: PrivateBus;
  let mocks: ChildProcess[] = [];
  let hostler: RunningHostler;
  let bus: Bus;

  const variables = (): Record<string, string> => ({
    DBUS_SYSTEM_BUS_ADDRESS: system.address,
    DBUS_SESSION_BUS_ADDRESS: session.address,
  });
  const environment = { variable: (name: string) => variables()[name] ?? null };

  async function startMock(template: string, name: string): Promise<ChildProcess> {
    const mock = spawn(python, ['-m', 'dbusmock', '--template', template], {
      env: { PATH: process.env.PATH ?? '', ...variables() },
      stdio: 'ignore',
    });
    const on = connectBuses(environment);
    const call = { destination: 'org.freedesktop.DBus', path: '/', interface: 'org.freedesktop.DBus' };
    await until(async () => {
      const buses = [on.system, on.session];
      const owned = buses.map((each) =>
        each.call({ ...call, member: 'NameHasOwner', signature: 's', body: [name] }).catch(() => [false]),
      );
      return (await Promise.all(owned)).flat().includes(true) ? true : null;
    });
    on.system.close();
    on.session.close();
    mocks.push(mock);
    return mock;
  }

  const tellMock = (member: string, signature: string, body: unknown[]) =>
    bus.call({
      destination: logind,
      path: '/org/freedesktop/login1',
      interface: 'org.freedesktop.DBus.Mock',
      member,
      signature,
      body,
    });

  /** Replaces this method, in Python. */
  const redefine = (method: string, input: string, output: string, code: string) =>
    tellMock('AddMethod', 'sssss', [manager, method, input, output, code]);
  const raise = (name: string) => `raise dbus.exceptions.DBusException("it said no", name="${name}")`;

  const order = async (verb: string, body: unknown = {}) => {
    const response = await postJson(hostler, `/api/power/${verb}`, body);
    return { status: response.status, body: (await response.json()) as { error?: string; message?: string } };
  };

  beforeAll(async () => {
    system = createPrivateBus();
    session = createPrivateBus();
    await Promise.all([system.start(), session.start()]);
    await startMock('logind', logind);
    hostler = await startHostler({ env: variables() });
    bus = connectBuses(environment).system;
    await tellMock('AddSession', 'ssusb', ['c7', 'seat0', process.getuid?.() ?? 0, 'alice', true]);
  });
  beforeEach(async () => {
    await redefine('Suspend', 'b', '', '');
    await redefine('CanSuspend', '', 's', 'ret = "yes"');
    await redefine('LockSession', 's', '', '');
  });
  afterAll(async () => {
    await hostler?.stop();
    bus?.close();
    for (const mock of mocks) mock.kill('SIGKILL');
    mocks = [];
    await Promise.all([system?.remove(), session?.remove()]);
  });

  const calls = async (method: string) => {
    const [list] = await tellMock('GetMethodCalls', 's', [method]);
    return Array.isArray(list) ? list.length : 0;
  };

  test('an action reaches it through the methods that old versions have', async () => {
    expect((await order('sleep')).status).toBe(200);
    expect(await calls('Suspend')).toBe(1);
  });

  test('each error of an action has its reply', async () => {
    const table: [string, number][] = [
      ['org.freedesktop.DBus.Error.Failed', 502],
      ['org.freedesktop.login1.SleepVerbNotSupported', 501],
      ['org.freedesktop.login1.OperationInProgress', 409],
      ['org.freedesktop.DBus.Error.AccessDenied', 403],
    ];
    for (const [name, status] of table) {
      await redefine('Suspend', 'b', '', raise(name));
      const answer = await order('sleep');
      expect([name, answer.status]).toEqual([name, status]);
      expect(answer.body.error).toContain('power.sleep');
    }
  });

  test('an error of the check before the action prevents the action', async () => {
    await redefine('CanSuspend', '', 's', raise('org.freedesktop.DBus.Error.Failed'));
    const before = await calls('Suspend');
    const { status, body } = await order('sleep');
    expect([status, body.error]).toEqual([502, 'power.sleep failed: it said no']);
    expect(await calls('Suspend')).toBe(before);
  });

  test('a refused lock is an error, a lock without confirmation is not', async () => {
    await redefine('LockSession', 's', '', raise('org.freedesktop.DBus.Error.AccessDenied'));
    expect((await order('lock')).status).toBe(403);
    await redefine('LockSession', 's', '', '');
    const { status, body } = await order('lock');
    expect([status, body.message]).toEqual([200, expect.stringContaining('this was not confirmed within 2 s')]);
  });

  test('a desktop that ignores logind locks when it is called directly', async () => {
    const saver = await startMock('gnome_screensaver', 'org.gnome.ScreenSaver');
    const { status, body } = await order('lock');
    expect([status, body.message]).toEqual([200, 'The session of alice is locked']);
    saver.kill('SIGKILL');
  });

  test('sleep waits for the reply: an inhibitor is held while an action runs', async () => {
    await order('sleep');
    const [list] = await bus.call({
      destination: logind,
      path: '/org/freedesktop/login1',
      interface: manager,
      member: 'ListInhibitors',
    });
    expect(JSON.stringify(list)).toContain('["sleep","Hostler","Clients get their answer and a last update","delay"');
  });

  test('an inhibitor ends when it is released, and a reply without a descriptor is an error', async () => {
    const call = { destination: logind, path: '/org/freedesktop/login1', interface: manager };
    const inhibit = { ...call, member: 'Inhibit', signature: 'ssss' };
    const held = async () => JSON.stringify(await bus.call({ ...call, member: 'ListInhibitors' }));
    const descriptors = () => fs.readdirSync('/proc/self/fd').length;
    const before = descriptors();
    for (let times = 0; times < 20; times++) {
      const release = await holdPipe(
        { environment, startThread, clock: createClock() },
        { ...inhibit, body: ['sleep', 'test', 'why', 'delay'] },
      );
      expect(await held()).toContain('"test"');
      release();
      release();
      await until(async () => ((await held()).includes('"test"') ? null : true));
    }
    await expect(
      holdPipe({ environment, startThread, clock: createClock() }, { ...call, member: 'CanSuspend' }),
    ).rejects.toThrow(/without a (?:descriptor|pipe)/);
    await expect(
      holdPipe({ environment, startThread, clock: createClock() }, { ...call, member: 'NoSuchThing' }),
    ).rejects.toThrow();
    expect(descriptors()).toBeLessThanOrEqual(before);
  });

  test('the command socket is for the owner alone, and its file contains no token', async () => {
    const state = path.join(hostler.directory, 'state');
    const info = JSON.parse(fs.readFileSync(path.join(state, 'service.json'), 'utf8'));
    expect(fs.statSync(info.socket).mode & 0o777).toBe(0o600);
    expect(Object.keys(info).sort()).toEqual(['host', 'pid', 'port', 'socket', 'started']);
    const local = async (route: string, method: string) =>
      (await fetch(`http://localhost${route}`, { unix: info.socket, method })).status;
    expect(await local('/actions/power.nothing', 'POST')).toBe(404);
    expect(await local('/actions/power.lock', 'GET')).toBe(405);
    expect(await local('/actions/power.cancel', 'POST')).toBe(409);
    const { directory } = hostler;
    const locked = await runHostler(['power', 'lock', '--json'], { directory });
    expect(JSON.parse(locked.stdout)).toMatchObject({ data: { action: 'lock' } });
    const wrong = await runHostler(['power', 'lock', '--delay', '-1'], { directory });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--delay must be a number of seconds')]);
    const log = await runHostler(['power', 'log'], { directory });
    expect(log.stdout).toMatch(/lock +command line +127\.0\.0\.1 +done/);
  });

  test('a logind that never answers is an error, and everything else continues', async () => {
    await redefine('Suspend', 'b', '', 'import time; time.sleep(1000)');
    const silent = order('sleep');
    const health = await hostler.get('/api/health');
    expect(health.status).toBe(200);
    const { status, body } = await silent;
    expect([status, body.error]).toEqual([502, expect.stringContaining('did not answer')]);
  });
});

test('without a service an action says so', async () => {
  const { code, stderr, directory } = await runHostler(['power', 'shutdown']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('The service is not running')]);
  fs.rmSync(directory, { recursive: true, force: true });
});
