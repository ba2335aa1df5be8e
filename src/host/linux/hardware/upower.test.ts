import { expect, test } from 'bun:test';
import type { Bus, Signal, SignalMatch } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { parseUpowerDevice, readUpower, watchUpower } from './upower.ts';

test.each([
  [0, null],
  [1, 'charging'],
  [2, 'discharging'],
  [3, 'idle'],
  [4, 'idle'],
  [5, 'idle'],
  [6, 'idle'],
  [99, null],
] as const)('state %p of UPower is %p', (State, state) => {
  expect(parseUpowerDevice({ IsPresent: true, State, Percentage: 40 })?.state).toBe(state);
});

test('a time of 0 is unknown, and an absent device is not a battery', () => {
  expect(parseUpowerDevice({ IsPresent: true, State: 2, Percentage: 40, TimeToEmpty: 0 })?.seconds).toBeNull();
  expect(parseUpowerDevice({ IsPresent: false, State: 2, Percentage: 0 })).toBeNull();
  expect(parseUpowerDevice(undefined)).toBeNull();
});

test('without a bus there is no UPower, and nothing to follow', async () => {
  expect(await readUpower(noBus)).toBeNull();
  const stop = watchUpower({ ...noBus, subscribe: () => Promise.reject(new Error('no bus')) }, () => {});
  await Promise.resolve();
  stop();
});

/** A bus whose signals the test sends. */
function signalling(): { bus: Bus; send(member: string, body: unknown[]): void; matches(): SignalMatch[] } {
  const subscribed = new Map<SignalMatch, (signal: Signal) => void>();
  return {
    bus: {
      ...fakeBus({}),
      async subscribe(match, onSignal) {
        subscribed.set(match, onSignal);
        return () => subscribed.delete(match);
      },
    },
    send(member, body) {
      for (const [match, onSignal] of subscribed) {
        if (match.member === member) onSignal({ sender: ':1.5', path: '/', interface: match.interface, member, body });
      }
    },
    matches: () => [...subscribed.keys()],
  };
}

test('changes of shown properties are reported, others are not', async () => {
  const { bus, send } = signalling();
  let changes = 0;
  watchUpower(bus, () => {
    changes += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  // Once at the start of the subscription: earlier changes were missed.
  expect(changes).toBe(1);
  send('PropertiesChanged', ['org.freedesktop.UPower.Device', { UpdateTime: 5, EnergyRate: 3 }, []]);
  expect(changes).toBe(1);
  send('PropertiesChanged', ['org.freedesktop.UPower.Device', { Percentage: 5 }, []]);
  send('PropertiesChanged', ['org.freedesktop.UPower.Device', {}, ['State']]);
  send('NameOwnerChanged', ['org.freedesktop.UPower', '', ':1.7']);
  expect(changes).toBe(4);
});

test('stopping before the bus has answered leaves no subscription', async () => {
  const { bus, matches } = signalling();
  watchUpower(bus, () => {})();
  await new Promise((resolve) => setImmediate(resolve));
  expect(matches()).toEqual([]);
  const stop = watchUpower(bus, () => {});
  await new Promise((resolve) => setImmediate(resolve));
  expect(matches()).toHaveLength(4);
  stop();
  expect(matches()).toEqual([]);
});
