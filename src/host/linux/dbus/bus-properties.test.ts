import { expect, test } from 'bun:test';
import { type Bus, BusError, type Signal, type SignalMatch } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { busValues } from './bus-properties.ts';

const place = { destination: 'org.example.Lamp', path: '/lamp', interface: 'org.example.Lamp' };
const names = ['On'];
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A bus on which the test is the lamp. */
function lamp(values: Record<string, unknown> = { On: false, Colour: 'red' }) {
  const now = { owned: true, values, hasBus: true };
  const subscribed = new Map<(signal: Signal) => void, SignalMatch>();
  const calls = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [now.owned],
    'org.freedesktop.DBus.Properties.GetAll': () => [now.values],
  });
  let reconnected = () => {};
  const bus: Bus = {
    ...calls,
    async subscribe(match, onSignal) {
      if (!now.hasBus) throw new BusError('Client.NoBus', 'There is no bus');
      subscribed.set(onSignal, match);
      return () => subscribed.delete(onSignal);
    },
    onReconnected(callback) {
      reconnected = callback;
      return () => {};
    },
  };
  const send = (member: string, body: unknown[]) => {
    for (const [heard, match] of subscribed)
      if (match.member === member) heard({ sender: ':1.2', path: match.path ?? '/', interface: '', member, body });
  };
  const asked = () => calls.calls.filter(({ member }) => member === 'GetAll').length;
  return { now, bus, send, asked, subscribed, reconnect: () => reconnected() };
}

test('while it is followed it is asked once, and what is announced is known without asking', async () => {
  const { bus, send, asked, now, subscribed, reconnect } = lamp();
  const values = busValues(bus, place, { names });
  let told = 0;
  const stop = values.watch(() => told++);
  await turn();
  expect((await values.read())?.get('On')).toBe(false);
  await values.read();
  expect(asked()).toBe(1);
  told = 0;
  send('PropertiesChanged', ['org.example.Lamp', { Colour: 'blue' }, []]);
  expect(told).toBe(0);
  send('PropertiesChanged', ['org.example.Lamp', { On: true }, []]);
  expect(told).toBe(1);
  expect((await values.read())?.get('On')).toBe(true);
  expect(asked()).toBe(1);
  send('PropertiesChanged', ['org.example.Lamp', {}, ['On']]);
  await values.read();
  expect([told, asked()]).toEqual([2, 2]);
  now.owned = false;
  send('NameOwnerChanged', ['org.example.Lamp', ':1.2', '']);
  expect(await values.read()).toBeNull();
  reconnect();
  expect(told).toBe(4);
  stop();
  expect(subscribed.size).toBe(0);
});

test('without a listener every read asks, and a bus that is not there is nobody', async () => {
  const { bus, asked, subscribed } = lamp();
  const values = busValues(bus, place, { names });
  await values.read();
  await values.read();
  expect([asked(), subscribed.size]).toEqual([2, 0]);
  expect(await busValues(noBus, place, { names }).read()).toBeNull();
});

test('a bus that comes later is followed then', async () => {
  const { bus, now, subscribed } = lamp();
  now.hasBus = false;
  const values = busValues(bus, place, { names });
  const stop = values.watch(() => {});
  await turn();
  expect(subscribed.size).toBe(0);
  now.hasBus = true;
  await values.read();
  await turn();
  expect(subscribed.size).toBe(2);
  stop();
  expect(subscribed.size).toBe(0);
});

test('who stops before the bus has answered leaves nothing behind', async () => {
  const { bus, subscribed } = lamp();
  busValues(bus, place, { names }).watch(() => {})();
  await turn();
  expect(subscribed.size).toBe(0);
});

test('one that hangs or answers nonsense costs a sentence, not the read of others', async () => {
  const late = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.Properties.GetAll': () => {
      throw new BusError('Client.Timeout', 'It did not answer within 600 ms');
    },
  });
  await expect(busValues(late, place, { names }).read()).rejects.toThrow('did not answer');
  const { bus, now } = lamp();
  now.values = null as never;
  expect((await busValues(bus, place, { names }).read())?.size).toBe(0);
});
