import { expect, test } from 'bun:test';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { fakeCompositor } from '../../../../test/doubles/fake-compositor.ts';
import { fakeBus, fakeHost, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { checkPointer } from './pointer.backends.ts';

const seatKind = 'wl_seat';
const virtualKind = 'zwlr_virtual_pointer_manager_v1';

const hostWith = (connectLocal: ConnectLocal, session = fakeBus({})) =>
  fakeHost({
    connectLocal,
    dbus: { session, system: session },
    storage: memoryStorage(),
    paths: { config: '/c', state: '/s', runtime: null },
    session: { find: async () => ({ variables: {}, wayland: '/run/wayland-0', x11: null }), watch: () => () => {} },
  });

test('the check for a virtual pointer creates none', async () => {
  const { asked, counts, connectLocal } = fakeCompositor([seatKind, virtualKind]);
  await checkPointer(hostWith(connectLocal));
  expect(asked).toEqual([]);
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test("the availability of GNOME's remote desktop is checked without starting a session", async () => {
  const { counts, connectLocal } = fakeCompositor([seatKind]);
  const session = fakeBus({
    'org.freedesktop.DBus.Properties.Get': () => [1],
    'org.gnome.Mutter.RemoteDesktop.CreateSession': () => ['/session'],
  });
  await checkPointer(hostWith(connectLocal, session));
  expect(session.calls.map(({ member }) => member)).toEqual(['Get']);
  expect(counts.closed).toBe(counts.opened);
});
