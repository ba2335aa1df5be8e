import type { Bus } from '@hostler/dbus/dbus.ts';
import { BusError } from '@hostler/dbus/dbus.ts';
import { nameHasOwner } from './bus-names.ts';
import { foundUpdates, type ManagerState, type PackageUpdate, silentManager } from './manager-state.ts';

export const fwupdName = 'org.freedesktop.fwupd';
export const fwupdObject = { path: '/', interface: fwupdName };

/** Bit 1 of the flags of a device: it can be updated at all. */
const updatable = 2n;
/** A server has some dozens. */
const mostDevices = 100;

/** Firmware that can be updated; null: fwupd is not running, and is not started for this. */
export async function readFwupd(system: Bus): Promise<ManagerState | null> {
  if (!(await nameHasOwner(system, fwupdName))) return null;
  try {
    const [devices] = await system.call({ destination: fwupdName, ...fwupdObject, member: 'GetDevices' });
    const found: PackageUpdate[] = [];
    for (const device of Array.isArray(devices) ? devices.slice(0, mostDevices) : []) {
      const { DeviceId: id, Name: name, Version: version, Flags: flags } = Object(device);
      if (typeof id !== 'string' || (bitsOf(flags) & updatable) === 0n) continue;
      const upgrade = await firstUpgrade(system, id);
      if (upgrade === null) continue;
      const { Version: candidate, Urgency: urgency } = upgrade;
      // 4: critical, which usually means security; other levels do not say.
      found.push({
        name: textOf(name) || id,
        current: textOf(version),
        candidate: textOf(candidate),
        security: urgency === 4 ? true : null,
      });
    }
    return foundUpdates('fwupd', found, { reportsSecurity: false, checkedAtMs: null, problem: null });
  } catch (error) {
    return silentManager(
      'fwupd',
      `fwupd does not answer: ${error instanceof Error ? error.message : 'no reason given'}`,
    );
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const bitsOf = (value: unknown) => (typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : 0n);

async function firstUpgrade(system: Bus, id: string): Promise<Record<string, unknown> | null> {
  const call = { destination: fwupdName, ...fwupdObject, member: 'GetUpgrades', signature: 's', body: [id] };
  try {
    const [releases] = await system.call(call);
    return Array.isArray(releases) && releases.length > 0 ? { ...Object(releases[0]) } : null;
  } catch (error) {
    // No upgrade is reported as an error.
    if (error instanceof BusError && error.errorName.startsWith('org.freedesktop.fwupd.')) return null;
    throw error;
  }
}
