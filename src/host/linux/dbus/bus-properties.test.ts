import { expect, test } from 'bun:test';
import { type Bus, BusError, type Signal, type SignalMatch } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { busValues } from './bus-properties.ts';

const place = { destination: 'org.example.Lamp', path: '/lamp', interface: 'org.example.Lamp' };
const names = ['On'];
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A bus on which the test plays the lamp. */
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
    for (const [listener, match] of subscribed)
      if (match.member === member) listener({ sender: ':1.2', path: match.path ?? '/', interface: '', member, body });
  };
  const asked = () => calls.calls.filter(({ member }) => member === 'GetAll').length;
  return { now, bus, send, asked, subscribed, reconnect: () => reconnected() };
}

test('while it is followed the properties are read once, and announced changes need no further read', async () => {
  const { bus, send, asked, now, subscribed, reconnect } = lamp();
  const values = busValues(bus, place, { names });
  let calls = 0;
  const stop = values.watch(() => calls++);
  await tick();
  expect((await values.read())?.get('On')).toBe(false);
  await values.read();
  expect(asked()).toBe(1);
  calls = 0;
  send('PropertiesChanged', ['org.example.Lamp', { Colour: 'blue' }, []]);
  expect(calls).toBe(0);
  send('PropertiesChanged', ['org.example.Lamp', { On: true }, []]);
  expect(calls).toBe(1);
  expect((await values.read())?.get('On')).toBe(true);
  expect(asked()).toBe(1);
  send('PropertiesChanged', ['org.example.Lamp', {}, ['On']]);
  await values.read();
  expect([calls, asked()]).toEqual([2, 2]);
  now.owned = false;
  send('NameOwnerChanged', ['org.example.Lamp', ':1.2', '']);
  expect(await values.read()).toBeNull();
  reconnect();
  expect(calls).toBe(4);
  stop();
  expect(subscribed.size).toBe(0);
});

test('without a listener every read queries the bus, and a missing bus means no owner', async () => {
  const { bus, asked, subscribed } = lamp();
  const values = busValues(bus, place, { names });
  await values.read();
  await values.read();
  expect([asked(), subscribed.size]).toEqual([2, 0]);
  expect(await busValues(noBus, place, { names }).read()).toBeNull();
});

test('a bus that starts later is followed then', async () => {
  const { bus, now, subscribed } = lamp();
  now.hasBus = false;
  const values = busValues(bus, place, { names });
  const stop = values.watch(() => {});
  await tick();
  expect(subscribed.size).toBe(0);
  now.hasBus = true;
  await values.read();
  await tick();
  expect(subscribed.size).toBe(2);
  stop();
  expect(subscribed.size).toBe(0);
});

test('stopping before the bus has answered leaves no subscription', async () => {
  const { bus, subscribed } = lamp();
  busValues(bus, place, { names }).watch(() => {})();
  await tick();
  expect(subscribed.size).toBe(0);
});

test('a hanging or invalid owner rejects its own read only', async () => {
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

test('a read that finds no bus does not subscribe in addition', async () => {
  const error = new BusError('Client.NoBus', 'There is no bus');
  let resting: BusError | null = null;
  let attempts = 0;
  const fail = async () => {
    resting = error;
    throw error;
  };
  const bus: Bus = {
    ...noBus,
    call: fail,
    subscribe() {
      attempts += 1;
      return fail();
    },
    unreachable: () => resting,
  };
  const values = busValues(bus, place, { names });
  values.watch(() => {});
  await tick();
  const before = attempts;
  resting = null;
  expect(await values.read()).toBeNull();
  await tick();
  expect(attempts).toBe(before);
});
