import { expect, test } from 'bun:test';
import { fakeBus } from '@hostler/dbus/testing/fake-bus.ts';
import { until } from '../../../../test/harness/until.ts';
import { connectBuses } from './connect-buses.ts';

const getId = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
  member: 'GetId',
};

test('without a session bus a call fails at once and says what to do', async () => {
  const { session } = connectBuses({ variable: () => null });
  const call = session.call(getId);
  await expect(call).rejects.toMatchObject({ errorName: 'Client.NoBus' });
  await expect(call).rejects.toThrow('Start Hostler as the user');
});

test('the session bus is the one that the environment names', async () => {
  const fake = await fakeBus({ answer: (peer) => peer.end() });
  const { session } = connectBuses({
    variable: (name) => (name.includes('SESSION') ? `unix:path=${fake.socket}` : null),
  });
  await expect(session.call(getId)).rejects.toMatchObject({ errorName: 'Client.NoBus' });
  await until(() => fake.connections() === 1, 'a connection');
  session.close();
  fake.remove();
});
