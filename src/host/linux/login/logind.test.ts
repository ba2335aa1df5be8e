import { expect, test } from 'bun:test';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { parseSession, readSessions } from './logind.ts';

const list = 'org.freedesktop.login1.Manager.ListSessions';
const getAll = 'org.freedesktop.DBus.Properties.GetAll';
const entry = (id: string) => [id, 1000, 'ada', 'seat0', `/org/freedesktop/login1/session/${id}`];

test('the properties of each session are read', async () => {
  const bus = fakeBus({
    [list]: () => [[entry('_31'), entry('_32')]],
    [getAll]: ({ path }) => [
      { Name: path.endsWith('_31') ? 'ada' : 'grace', Class: 'user', State: 'online', Active: false },
    ],
  });
  expect((await readSessions(bus, 400)).map(({ user, active }) => ({ user, active }))).toEqual([
    { user: 'ada', active: false },
    { user: 'grace', active: false },
  ]);
  expect(bus.calls.every(({ timeoutMs }) => timeoutMs === 400)).toBe(true);
});

test('a session that ends meanwhile is left out', async () => {
  const bus = fakeBus({
    [list]: () => [[entry('_31'), entry('_32')]],
    [getAll]: ({ path }) => {
      if (path.endsWith('_31')) throw new Error('Unknown object');
      return [{ Name: 'grace' }];
    },
  });
  expect((await readSessions(bus, 400)).map(({ user }) => user)).toEqual(['grace']);
});

test('without a bus the error is the caller’s to handle', async () => {
  await expect(readSessions(noBus, 400)).rejects.toThrow('There is no bus here');
});

test('times are microseconds, also as bigint, and the display replaces a missing terminal', () => {
  const session = parseSession({
    Name: 'ada',
    TTY: '',
    Display: ':0',
    Timestamp: 1_767_100_050_123_456n,
    Leader: 842,
    Active: true,
  });
  expect(session).toMatchObject({ terminal: ':0', started: 1_767_100_050, leader: 842, active: true });
});

test('a reply without properties is a session without a user', () => {
  expect(parseSession(undefined)).toMatchObject({ user: '', active: false, class: '', started: 0, leader: 0 });
});
