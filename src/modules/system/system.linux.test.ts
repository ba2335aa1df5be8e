import { expect, test } from 'bun:test';
import { fakeBus, memoryStorage, noBus } from '../../../test/fake-host.ts';
import { testEachMachine } from '../../../test/machines.ts';
import type { Host } from '../../host/host.ts';
import { systemLinux } from './system.linux.ts';
import { system } from './system.ts';

const logind = fakeBus({
  'org.freedesktop.login1.Manager.ListSessions': () => [
    [['2', 1000, 'ada', 'seat0', '/org/freedesktop/login1/session/_32']],
  ],
  'org.freedesktop.DBus.Properties.GetAll': () => [
    {
      Name: 'ada',
      Active: true,
      Class: 'user',
      State: 'active',
      TTY: 'tty1',
      Leader: 842,
      Timestamp: 1_767_100_050_000_000,
    },
  ],
});

/** What is no file: logind on one machine, what was kept since the first start on another. */
const parts: Record<string, Partial<Host>> = {
  'desktop-after-upgrade': { dbus: { system: logind, session: noBus } },
  container: { storage: memoryStorage({ '/state/machine.json': '{"uuid":"7d0c2a4e-51f3-4b8a-9d5e-2f6b8c1a0e93"}' }) },
};

testEachMachine(import.meta.dirname, system, systemLinux, (machine) => parts[machine] ?? {});

test('the empty payload keeps to the schema', async () => {
  expect((await system.schema()).parse(system.empty)).toEqual(system.empty);
});
