import { expect, test } from 'bun:test';
import { fakeBus, fakeClock, noBus } from '../../../../test/doubles/fake-host.ts';
import { createFailedUnits, parseUnits } from './failed-units.ts';

const unit = (name: string) => [name, 'What it is', 'loaded', 'failed', 'failed', '', '/org/…', 0, '', '/'];
const managing = (...names: string[]) =>
  fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.systemd1.Manager.ListUnitsFiltered': () => [names.map(unit)],
  });
const unmanaged = () => fakeBus({ 'org.freedesktop.DBus.NameHasOwner': () => [false] });

test('the failed units of the system and of the user are distinguished', async () => {
  const system = managing('nginx.service', 'backup.timer');
  const read = createFailedUnits({ dbus: { system, session: managing('sync.service') }, clock: fakeClock() });
  expect(await read()).toEqual({
    units: ['backup.timer', 'nginx.service', 'sync.service (user)'],
    reasons: [],
  });
  expect(system.calls.at(-1)).toMatchObject({ signature: 'as', body: [['failed']] });
});

test('a manager that cannot be queried gives a reason, and the other one still counts', async () => {
  const read = createFailedUnits({ dbus: { system: managing('a.service'), session: noBus }, clock: fakeClock() });
  expect(await read()).toEqual({
    units: ['a.service'],
    reasons: ['The failed units of the user are unknown: There is no bus here'],
  });
});

test('without systemd no call tries to start it, and the result is unknown', async () => {
  const system = unmanaged();
  const read = createFailedUnits({ dbus: { system, session: noBus }, clock: fakeClock() });
  const { units, reasons } = await read();
  expect(units).toBeNull();
  expect(reasons[0]).toContain('systemd does not manage it');
  expect(system.calls.map(({ member }) => member)).toEqual(['NameHasOwner']);
});

test('calls within a few seconds share one query', async () => {
  const system = managing();
  const clock = fakeClock();
  const read = createFailedUnits({ dbus: { system, session: noBus }, clock });
  await Promise.all([read(), read()]);
  clock.advance(4000);
  await read();
  expect(system.calls).toHaveLength(2);
  clock.advance(2000);
  await read();
  expect(system.calls).toHaveLength(4);
});

test.each([[null], ['units'], [[null, [], [7]]]])('%j is no list of units', (list) => {
  expect(parseUnits(list)).toEqual([]);
});
