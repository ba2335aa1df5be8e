import { expect, test } from 'bun:test';
import { type Bus, BusError, type Signal, type SignalMatch } from '@hostler/dbus/dbus.ts';
import { fakeCompositor } from '../../../../test/doubles/fake-compositor.ts';
import { fakeBus, fakeHost, noBus } from '../../../../test/doubles/fake-host.ts';
import { until } from '../../../../test/harness/until.ts';
import { openWaylandSession } from './session.wayland.ts';

async function open(session: Bus) {
  const { counts, connectLocal } = fakeCompositor([]);
  const host = fakeHost({ connectLocal, dbus: { session, system: noBus } });
  const server = await openWaylandSession(host, '/x', { withheld: false, idleAfterMs: 60_000, lasting: true });
  return { server, counts };
}

test('the current desktop of KWin is reported with its changes, and close() ends all subscriptions', async () => {
  const followed = new Set<{ match: SignalMatch; listener: (signal: Signal) => void }>();
  let current = 'a';
  const { server, counts } = await open({
    ...fakeBus({
      'org.freedesktop.DBus.NameHasOwner': ({ body }) => [body?.[0] === 'org.kde.KWin'],
      'org.freedesktop.DBus.Properties.GetAll': () => [
        {
          desktops: [
            [0, 'a', 'Work'],
            [1, 'b', 'Mail'],
          ],
          current,
        },
      ],
    }),
    async subscribe(match, listener) {
      const one = { match, listener };
      followed.add(one);
      return () => void followed.delete(one);
    },
  });
  expect((await server.read()).desktop).toEqual({ value: { number: 1, name: 'Work', count: 2 } });
  let changes = 0;
  server.follow(
    () => {
      changes += 1;
    },
    () => {},
  );
  // The start of the subscription counts as a change.
  await until(() => changes > 0, 'it is followed');
  expect((await server.read()).desktop).toMatchObject({ value: { number: 1 } });
  const before = changes;
  current = 'b';
  const name = 'org.kde.KWin.VirtualDesktopManager';
  const signal = { sender: ':1.1', path: '/VirtualDesktopManager', interface: name, member: 'currentChanged' };
  for (const { match, listener } of [...followed]) if (match.interface === name) listener({ ...signal, body: ['b'] });
  expect(changes).toBeGreaterThan(before);
  expect((await server.read()).desktop).toMatchObject({ value: { number: 2, name: 'Mail' } });
  server.close();
  expect([followed.size, counts]).toEqual([0, { opened: 1, closed: 1 }]);
});

test('a failing bus affects the current desktop only', async () => {
  const broken: Bus = {
    ...noBus,
    call: async () => {
      throw new BusError('org.freedesktop.DBus.Error.LimitsExceeded', 'too many');
    },
  };
  const { server } = await open(broken);
  const { desktop, window } = await server.read();
  expect([desktop, window]).toMatchObject([
    { why: expect.stringContaining('does not report which workspace is active') },
    { why: expect.stringContaining('does not show windows') },
  ]);
  server.close();
});
