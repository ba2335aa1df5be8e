import { expect, test } from 'bun:test';
import { fakeBus, fakeContext, memoryStorage, noBus } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { machineHost, readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { InterfaceAddress } from '../../host/network.ts';
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

/** Parts that are not files: logind on one machine, state since the first start on another. */
const parts: Record<string, Partial<LinuxHost>> = {
  'desktop-after-upgrade': { dbus: { system: logind, session: noBus } },
  container: { storage: memoryStorage({ '/state/machine.json': '{"uuid":"7d0c2a4e-51f3-4b8a-9d5e-2f6b8c1a0e93"}' }) },
};

testEachMachine('linux', import.meta.dirname, system.module, systemLinux, (machine) => parts[machine] ?? {});

test('the empty payload matches the schema', async () => {
  expect((await system.module.schema()).parse(system.module.empty)).toEqual(system.module.empty);
});

test('values are cached for seconds or half a minute by how often they change, and their reasons are returned each time', async () => {
  const files = machineFiles({ '/proc/uptime': '100.5 80\n', '/proc/stat': 'btime 1767100000\n' });
  const addresses: InterfaceAddress[] = [];
  const host = machineHost(import.meta.dirname, {
    files,
    network: { addresses: () => addresses, searchDomains: () => [] },
  });
  const source = systemLinux(host, fakeContext());
  const readSome = async () => {
    const { payload, reasons } = await readOnce(source, host.clock);
    return {
      address: payload?.ip_address_4,
      reboot: payload?.pending_reboot,
      uptime: payload?.uptime,
      explained: reasons.some(({ field }) => field === 'ip_address_4'),
    };
  };

  expect(await readSome()).toEqual({ address: '', reboot: false, uptime: 100.5, explained: true });
  addresses.push({ interface: 'eth0', family: 4, address: '192.0.2.7', mac: '', internal: false, scopeId: null });
  files.write('/run/reboot-required', '');
  files.write('/proc/uptime', '104.5 80\n');
  host.clock.advance(4000);
  expect(await readSome()).toEqual({ address: '', reboot: false, uptime: 104.5, explained: true });
  host.clock.advance(1000);
  expect(await readSome()).toEqual({ address: '192.0.2.7', reboot: false, uptime: 104.5, explained: false });
  host.clock.advance(25_000);
  expect(await readSome()).toEqual({ address: '192.0.2.7', reboot: true, uptime: 104.5, explained: false });
});
