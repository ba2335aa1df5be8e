import { describe, expect, test } from 'bun:test';
import type { Bus, Signal } from '@hostler/dbus/dbus.ts';
import { fakeActionContext, fakeBus, fakeHost, noBus, noLaunch } from '../../../test/doubles/fake-host.ts';
import type { DesktopSession } from '../../host/linux/desktop/desktop-session.ts';
import type { LaunchOptions } from '../../host/processes/launch.ts';
import { desktopOpen } from './open.ts';

const x11 = { display: ':7', number: 7, socket: '/tmp/.X11-unix/X7', authorities: [] };
const inSession: DesktopSession = {
  find: async () => ({ variables: { DISPLAY: ':7', XDG_CURRENT_DESKTOP: 'X' }, wayland: null, x11 }),
  watch: () => () => {},
};
const noSession: DesktopSession = {
  find: async () => ({ variables: {}, wayland: null, x11: null }),
  watch: () => () => {},
};

interface Machine {
  session?: DesktopSession;
  bus?: Bus;
  xdgOpen?: boolean;
  exitCode?: number | null;
}

function machine({ session = inSession, bus = noBus, xdgOpen = true, exitCode = 0 }: Machine = {}) {
  const started: { program: string; args: string[]; options: LaunchOptions }[] = [];
  const launch = {
    ...noLaunch,
    searchPath: () => '/p',
    find: (name: string) => (xdgOpen ? `/usr/bin/${name}` : null),
    start: async (program: string, args: string[], options: LaunchOptions) => {
      started.push({ program, args, options });
      return exitCode;
    },
  };
  const environment = { variables: { PATH: '/other', SECRET: 'x', BROWSER: '/b' } };
  const host = fakeHost({ session, launch, environment, dbus: { system: noBus, session: bus } });
  return { started, host, context: fakeActionContext(host).context };
}

const url = 'https://example.test/?a=1&b=2';

test('xdg-open gets the address and the variables of the session, and no others', async () => {
  const { started, context } = machine();
  expect(await desktopOpen.run({ url }, context)).toEqual({
    message: 'The address was opened',
    data: { path: null, url },
  });
  expect(started).toMatchObject([{ program: '/usr/bin/xdg-open', args: [url], options: { cwd: '/home/tester' } }]);
  expect(started[0]?.options.env).toEqual({
    PATH: '/p',
    BROWSER: '/b',
    HOME: '/home/tester',
    USER: 'tester',
    LOGNAME: 'tester',
    DISPLAY: ':7',
    XDG_CURRENT_DESKTOP: 'X',
  });
});

test('a token opens a limited number of targets, and other tokens have their own limit', async () => {
  const { started, context } = machine();
  for (let count = 0; count < 10; count++) await desktopOpen.run({ url }, context);
  await expect(desktopOpen.run({ url }, context)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2 });
  await desktopOpen.run({ url }, { ...context, caller: { ...context.caller, tokenId: 'other' } });
  expect(started).toHaveLength(11);
});

test('a program that keeps running counts as opened', async () => {
  const { context } = machine({ exitCode: null });
  expect((await desktopOpen.run({ url }, context)).data.url).toBe(url);
});

test('forbidden targets are refused before the desktop is queried', async () => {
  const { context } = fakeActionContext(fakeHost());
  await expect(desktopOpen.run({}, context)).rejects.toMatchObject({ code: 'invalid', subtype: 'MISSING_PATH_URL' });
  await expect(desktopOpen.run({ path: '', url: '' }, context)).rejects.toMatchObject({ subtype: 'MISSING_PATH_URL' });
  await expect(desktopOpen.run({ url: 'file:///etc/passwd' }, context)).rejects.toMatchObject({ code: 'forbidden' });
});

test.each<[string, Machine, string, string]>([
  ['no session', { session: noSession }, 'unsupported', 'no desktop session'],
  ['no xdg-open', { xdgOpen: false }, 'unsupported', 'xdg-utils'],
  ['no browser', { exitCode: 3 }, 'failed', 'no program for it is installed'],
  ['a browser that fails', { exitCode: 127 }, 'failed', 'ended with 127'],
])('%s is reported', async (_name, parts, code, sentence) => {
  const { context } = machine(parts);
  await expect(desktopOpen.run({ url }, context)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(sentence),
  });
});

test('the action is unavailable with the reason why nothing can be opened', async () => {
  const reason = (parts: Machine) => desktopOpen.unavailable(machine(parts).context);
  expect(await reason({})).toBeNull();
  expect(await reason({ session: noSession })).toContain('no desktop session');
  expect(await reason({ xdgOpen: false })).toContain('xdg-utils');
  expect(await reason({ xdgOpen: false, bus: portal(0).bus })).toBeNull();
});

describe('with a portal', () => {
  test.each<[string, number, boolean]>([
    ['before the reply', 0, true],
    ['after the reply', 0, false],
  ])('the desktop opens it, with the signal %s', async (_when, code, early) => {
    const { bus, requests, subscribers } = portal(code, early);
    const { started, context } = machine({ bus, xdgOpen: false, session: noSession });
    expect((await desktopOpen.run({ url }, context)).data.url).toBe(url);
    expect(requests).toEqual([['', url, {}]]);
    expect(started).toEqual([]);
    expect(subscribers.size).toBe(0);
  });

  test('a user who cancels the choice of a program is a refusal', async () => {
    const { started, context } = machine({ bus: portal(1).bus });
    await expect(desktopOpen.run({ url }, context)).rejects.toThrow('the user chose no program');
    expect(started).toEqual([]);
  });

  test('a portal that fails falls back to xdg-open', async () => {
    const { started, context } = machine({ bus: portal(2).bus });
    await desktopOpen.run({ url }, context);
    expect(started).toHaveLength(1);
  });
});

/** A portal that answers every request with this code. */
function portal(code: number, early = true) {
  const subscribers = new Set<(signal: Signal) => void>();
  const requests: unknown[][] = [];
  const path = '/org/freedesktop/portal/desktop/request/1_5/t';
  const respond = () => {
    const signal = { sender: ':1.2', path, interface: 'org.freedesktop.portal.Request', member: 'Response' };
    for (const listener of subscribers) listener({ ...signal, body: [code, {}] });
  };
  const bus: Bus = {
    ...fakeBus({
      'org.freedesktop.DBus.NameHasOwner': () => [true],
      'org.freedesktop.DBus.Properties.Get': () => [4],
      'org.freedesktop.portal.OpenURI.OpenURI': ({ body = [] }) => {
        requests.push(body);
        if (early) respond();
        else setTimeout(respond, 20);
        return [path];
      },
    }),
    subscribe: async (_match, listener) => {
      subscribers.add(listener);
      return () => void subscribers.delete(listener);
    },
  };
  return { bus, requests, subscribers };
}
