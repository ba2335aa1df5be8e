import { expect, test } from 'bun:test';
import { fakeBus, fakeHost, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { checkKeyboard } from './keyboard.backends.ts';

test("the availability of GNOME's remote desktop is checked without starting a session", async () => {
  const session = fakeBus({
    'org.freedesktop.DBus.Properties.Get': () => [1],
    'org.gnome.Mutter.RemoteDesktop.CreateSession': () => ['/session'],
    'org.gnome.Mutter.RemoteDesktop.Session.Stop': () => [],
  });
  const found = { variables: {}, wayland: '/nonexistent/wayland-0', x11: null };
  const host = fakeHost({
    dbus: { session, system: session },
    storage: memoryStorage(),
    paths: { config: '/c', state: '/s', runtime: null },
    session: { find: async () => found, watch: () => () => {} },
  });
  await checkKeyboard(host);
  expect(session.calls.map(({ member }) => member)).toEqual(['Get']);
});
