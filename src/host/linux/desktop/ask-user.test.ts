import { describe, expect, test } from 'bun:test';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Signal } from '../../../protocols/dbus/dbus.ts';
import { askUserLinux } from './ask-user.ts';
import type { FoundSession } from './desktop-session.ts';

const question = { title: '"agent" asks for power_action', text: 'Restart? Its reason: "<b>now</b> & here"' };
const nobody: FoundSession = { wayland: null, x11: null, variables: {} };
const somebody: FoundSession = { ...nobody, wayland: '/run/user/1000/wayland-0' };

function desktop(capabilities: string[]) {
  let tell: (signal: Signal) => void = () => {};
  const bus = fakeBus({
    'org.freedesktop.Notifications.GetCapabilities': () => [capabilities],
    'org.freedesktop.Notifications.Notify': () => [7],
    'org.freedesktop.Notifications.CloseNotification': () => [],
  });
  const session = {
    ...bus,
    subscribe: async (match: { sender?: string }, listener: (signal: Signal) => void) => {
      if (match.sender === 'org.freedesktop.Notifications') tell = listener;
      return () => {};
    },
  };
  const say = (member: string, ...body: unknown[]) =>
    tell({
      sender: 'org.freedesktop.Notifications',
      path: '/org/freedesktop/Notifications',
      interface: 'org.freedesktop.Notifications',
      member,
      body,
    });
  return { bus, say, dbus: { system: noBus, session } };
}

const finding = (found: FoundSession) => ({ find: async () => found, watch: () => () => {} });
const asked = async ({ calls }: ReturnType<typeof fakeBus>) => {
  await until(() => calls.some(({ member }) => member === 'Notify'), 'the question is shown');
  // Its number is known a moment later.
  await Bun.sleep(1);
};
const never = new AbortController().signal;

test.each([
  ['Allow is yes', 'ActionInvoked', 'hostler-allow', 'allowed'],
  ['Deny is no', 'ActionInvoked', 'hostler-deny', 'denied'],
  ['the notification itself is no', 'ActionInvoked', 'default', 'denied'],
  ['closing is no', 'NotificationClosed', 2, 'denied'],
  ['expiry is no', 'NotificationClosed', 1, 'denied'],
] as const)('%s', async (_name, member, detail, expected) => {
  const { bus, say, dbus } = desktop(['actions', 'body', 'body-markup']);
  const answer = askUserLinux({ dbus, session: finding(somebody) }, question, never);
  await asked(bus);
  say(member, 7, detail);
  expect(await answer).toBe(expected);
  const notify = bus.calls.find((call) => call.member === 'Notify');
  expect(notify?.body?.slice(3, 6)).toEqual([
    question.title,
    'Restart? Its reason: "&lt;b&gt;now&lt;/b&gt; &amp; here"',
    ['hostler-allow', 'Allow', 'hostler-deny', 'Deny'],
  ]);
  expect(bus.calls.at(-1)).toMatchObject({ member: 'CloseNotification', body: [7] });
});

test('what takes too long is no, and is taken off the screen', async () => {
  const { bus, dbus } = desktop(['actions']);
  const control = new AbortController();
  const answer = askUserLinux({ dbus, session: finding(somebody) }, question, control.signal);
  await asked(bus);
  control.abort();
  expect(await answer).toBe('denied');
  expect(bus.calls.at(-1)?.member).toBe('CloseNotification');
});

describe('where nobody can be asked', () => {
  test('there is no desktop', async () => {
    const dbus = { system: noBus, session: noBus };
    expect(await askUserLinux({ dbus, session: finding(nobody) }, question, never)).toBe('no_desktop');
  });

  test('a desktop without notifications is no reason to ask somebody else', async () => {
    const dbus = { system: noBus, session: noBus };
    await expect(askUserLinux({ dbus, session: finding(somebody) }, question, never)).rejects.toThrow(
      'no notifications',
    );
  });

  test('one without buttons neither', async () => {
    const { dbus } = desktop(['body']);
    await expect(askUserLinux({ dbus, session: finding(somebody) }, question, never)).rejects.toThrow('no buttons');
  });
});
