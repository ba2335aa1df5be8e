import { expect, test } from 'bun:test';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import type { Adapter } from '../../host/windows/native/iphlpapi.adapters.ts';
import { system } from './system.ts';
import { readUsage, systemWindows } from './system.windows.ts';
import { bestAddresses } from './windows/system.addresses.ts';
import { parseChassis } from './windows/system.device.ts';
import { platformName } from './windows/system.names.ts';

testEachMachine('windows', import.meta.dirname, system.module, systemWindows);

test.each([
  ['Windows 10 Pro', 19_045, false, 'Windows 10 Pro'],
  ['Windows 10 Pro', 22_631, false, 'Windows 11 Pro'],
  ['Windows Server 2025 Standard', 26_100, true, 'Windows Server 2025 Standard'],
])('%s of build %i has the name %s', (name, build, isServer, called) => {
  expect(platformName(name, build, isServer)).toBe(called);
});

test('the chassis type is the third structure of the firmware, after texts of any length', () => {
  const bios = [0, 6, 0, 0, 1, 2, ...Buffer.from('Maker\0Version 1\0\0')];
  const systemPart = [1, 4, 1, 0, 0, 0];
  const chassis = [3, 9, 2, 0, 1, 0x80 | 10, 0, 0, 0, ...Buffer.from('Maker\0\0')];
  const header = Array.from({ length: 8 }, () => 0);
  expect(parseChassis(Uint8Array.from([...header, ...bios, ...systemPart, ...chassis]))).toBe('Notebook');
  expect(parseChassis(Uint8Array.from([...header, ...bios, 127, 4, 9, 0, 0, 0]))).toBeNull();
  expect(parseChassis(Uint8Array.from([...header, 0, 0, 0, 0]))).toBeNull();
  expect(parseChassis(new Uint8Array())).toBeNull();
});

test('a microphone is in use by programs that started and have not stopped', () => {
  const key = 'Software\\Microsoft\\Windows\\CurrentVersion\\CapabilityAccessManager\\ConsentStore\\microphone';
  const times: Record<string, [number, number]> = {
    [`${key}\\Microsoft.WindowsCamera_8wekyb3d8bbwe`]: [133, 0],
    [`${key}\\Other_8wekyb3d8bbwe`]: [133, 134],
    [`${key}\\NonPackaged\\C:#Program Files#Call#call.exe`]: [135, 0],
    [`${key}\\NonPackaged\\C:#never.exe`]: [0, 0],
  };
  const children = (parent: string) => [
    ...new Set(
      Object.keys(times).flatMap(
        (name) => (name.startsWith(`${parent}\\`) ? name.slice(parent.length + 1).split('\\')[0] : undefined) ?? [],
      ),
    ),
  ];
  const advapi32 = {
    keys: (_root: string, parent: string) => children(parent),
    bigValue: (_root: string, at: string, name: string) => times[at]?.[name === 'LastUsedTimeStart' ? 0 : 1] ?? null,
  };
  expect(readUsage(advapi32, 'microphone')).toEqual(['Microsoft.WindowsCamera', 'call.exe']);
});

const card = (index: number, metric: number, hasGateway: boolean, address: string): Adapter => ({
  index,
  name: `card ${index}`,
  mac: `02:00:00:00:00:0${index}`,
  mtu: 1500,
  speed: 1e9,
  type: 6,
  isUp: true,
  canMulticast: true,
  addresses: [{ family: 4, address, prefix: 24 }],
  gateways: new Set(hasGateway ? [4] : []),
  metric: { 4: metric, 6: metric },
});

test('the address is that of the card with the default route and the lowest metric', () => {
  const { reasons } = collectReasons();
  const cards = [card(1, 5, false, '172.17.0.1'), card(2, 50, true, '10.0.0.2'), card(3, 25, true, '192.168.1.5')];
  expect(bestAddresses(cards, reasons)).toEqual({
    ip_address_4: '192.168.1.5',
    ip_address_6: '',
    mac_address: '02:00:00:00:00:03',
  });
});
