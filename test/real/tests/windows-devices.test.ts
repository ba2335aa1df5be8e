// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Reason } from '../../../src/core/reasons.ts';
import type { Battery } from '../../../src/features/battery/battery.schema.ts';
import type { Disks } from '../../../src/features/disks/disks.schema.ts';
import type { Networks } from '../../../src/features/networks/networks.schema.ts';
import { unexplained } from '../../harness/machines.ts';
import { until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineDriver, wineLibrary } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

const classKey = 'System\\ControlSet001\\Control\\Class\\{4d36e972-e325-11ce-bfc1-08002be10318}';
/** The interfaces of this machine but the loopback: to Wine all of them are hardware. */
const interfaces = fs
  .readdirSync('/sys/class/net')
  .filter((name) => name !== 'lo' && fs.existsSync(`/sys/class/net/${name}/ifindex`))
  .map((name) => ({ name, index: Number(fs.readFileSync(`/sys/class/net/${name}/ifindex`, 'utf8')) }));

/** Drivers of network cards, as in the registry of Windows, in the format of Wine. */
function driversText(): string {
  const drivers = interfaces.map(({ index }) => {
    // The identifier that Wine generates for each interface.
    const id = `{${index.toString(16).padStart(8, '0')}-0000-0000-0000-4E6574446576}`;
    return [
      `[${classKey}\\${String(index).padStart(4, '0')}] 1700000000`,
      `"NetCfgInstanceId"="${id}"`,
      '"DeviceInstanceID"="PCI\\VEN_8086&DEV_15B8\\3&11583659&0&FE"',
      '"*WakeOnMagicPacket"="1"',
      '"*WakeOnPattern"="1"',
      // The user allows only a magic packet.
      '"PnPCapabilities"=dword:00000100',
      '',
    ];
  });
  return ['', ...drivers.flat()].join('\n').replaceAll('\\', '\\\\');
}

describe.skipIf(!needsWine())('devices of Windows, with stand-ins for two libraries and a driver', () => {
  let hostler: WineHostler;
  let folder = '';
  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-windows-devices-'));
    fs.writeFileSync(path.join(folder, 'drivers.reg'), driversText());
    const parts = [
      wineLibrary('fake-devices', 'cfgmgr32.dll'),
      wineLibrary('fake-devices', 'xinput1_4.dll'),
      wineDriver('fake-driver'),
    ];
    hostler = await startWineHostler({
      mounts: [
        ...parts.flatMap(({ mounts = [] }) => mounts),
        `cat ${JSON.stringify(path.join(folder, 'drivers.reg'))} >> "$0/w/pfx/system.reg"`,
      ],
      environment: { WINEDLLOVERRIDES: 'cfgmgr32,xinput1_4=n' },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const data = async <T>(name: string) => (await (await hostler.get(`/api/data/${name}`)).json()) as T;
  const reasonsOf = async (name: string) => {
    const modules = (await (await hostler.get('/api/modules')).json()) as { name: string; reasons: Reason[] }[];
    return modules.find((module) => module.name === name)?.reasons ?? [];
  };

  test('batteries of Bluetooth devices, of controllers, and of a UPS', async () => {
    const { devices } = await until(async () => {
      const battery = await data<Battery>('battery');
      // The driver starts in parallel with the service.
      return battery.devices.some(({ kind }) => kind === 'ups') ? battery : null;
    }, 180_000);
    expect(devices).toEqual([
      {
        id: 'battery_hostlerups',
        name: 'Back-UPS',
        kind: 'ups',
        percentage: 93,
        level: null,
        is_charging: true,
      },
      {
        id: 'bluetooth_00:11:22:33:44:aa',
        name: 'WH-1000XM4',
        kind: 'headset',
        percentage: 70,
        level: null,
        is_charging: null,
      },
      {
        id: 'bluetooth_00:11:22:33:44:cc',
        name: 'Tastatur ü €',
        kind: 'keyboard',
        percentage: 100,
        level: null,
        is_charging: null,
      },
      {
        id: 'controller_2',
        name: 'Game controller 2',
        kind: 'game_controller',
        percentage: null,
        level: 'low',
        is_charging: null,
      },
    ]);
    expect(unexplained({ devices }, await reasonsOf('battery'))).toEqual([]);
  });

  test('drives report their health to an unprivileged user, and those that do not are named', async () => {
    const healthOf = async () => {
      const { devices } = await data<Disks>('disks');
      return new Map(devices.map(({ name, health }) => [name, health]));
    };
    const health = await until(async () => {
      const found = await healthOf();
      return found.has('PhysicalDrive4') ? found : null;
    }, 120_000);
    expect(health.get('PhysicalDrive1')).toMatchObject({
      passed: false,
      percentage_used: 101,
      power_on_hours: 12_345,
      temperature: 38,
      media_errors: 3,
      reallocated: null,
      pending: null,
      critical_warnings: ['spare'],
    });
    expect(health.get('PhysicalDrive2')).toMatchObject({
      passed: false,
      percentage_used: null,
      power_on_hours: 10_000,
      temperature: 44,
      media_errors: 1,
      reallocated: 7,
      pending: 2,
      critical_warnings: [],
    });
    expect([health.get('PhysicalDrive3'), health.get('PhysicalDrive4')]).toEqual([null, null]);
    const reasons = await reasonsOf('disks');
    const ofHealth = reasons.filter(({ field }) => field === 'devices[].health');
    expect(ofHealth.find(({ mendable }) => mendable)?.reason).toStartWith('PhysicalDrive3: Windows lets only admin');
    expect(ofHealth.find(({ mendable }) => !mendable)?.reason).toStartWith('PhysicalDrive0, PhysicalDrive4: does not');
    expect(unexplained(await data('disks'), reasons)).toEqual([]);
  });

  test('cards wake the machine as their drivers and the user configured, and not where the device cannot', async () => {
    expect(interfaces.length).toBeGreaterThan(0);
    const { networks } = await data<Networks>('networks');
    const wakes = { supported: ['magic', 'filter'], active: ['magic'] };
    for (const { name } of interfaces)
      expect(networks.find((each) => each.name === name)).toMatchObject({ wake_on_lan: true, wake_modes: wakes });
    expect(networks.find(({ name }) => name === 'lo')).not.toHaveProperty('wake_on_lan');
    const [first = { name: '', index: 0 }] = interfaces;
    const key = `HKLM\\${classKey}\\${String(first.index).padStart(4, '0')}`;
    await hostler.beside(`wine reg add '${key}' /v DeviceInstanceID /d 'USB\\VID_0BDA&PID_8153\\000001' /f`);
    const later = await until(async () => {
      const all = (await data<Networks>('networks')).networks;
      const card = all.find(({ name }) => name === first.name);
      return card?.wake_on_lan === true ? null : card;
    }, 150_000);
    expect(later).toMatchObject({ wake_on_lan: null, wake_modes: null });
    expect((await reasonsOf('networks')).map(({ field }) => field)).toContain('networks[].wake_on_lan');
  });
});
