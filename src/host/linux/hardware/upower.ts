import { type Bus, busDaemon, type Signal } from '@hostler/dbus/dbus.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { getProperties, hasOwner, ownersOf } from '../dbus/bus-properties.ts';
import { followSignals } from '../dbus/follow-signals.ts';
import { type AttachedBattery, attachedName, type Charge, mostAttached } from './power-supply.ts';

const upower = 'org.freedesktop.UPower';
/** All batteries of the machine combined, which UPower adds up by their energy. */
const devices = '/org/freedesktop/UPower/devices';
const displayDevice = { path: `${devices}/DisplayDevice` };
const machine = { path: '/org/freedesktop/UPower', interface: upower };
const properties = { interface: 'org.freedesktop.DBus.Properties' };

/** Time limit of both calls: 1.5 s in total. */
const timeoutMs = 600;

export interface UpowerBatteries {
  /** The batteries of the machine; null: none. */
  charge: Charge | null;
  attached: AttachedBattery[];
}

/** null: UPower does not run. https://upower.freedesktop.org/docs/Device.html */
export async function readUpower(system: Bus): Promise<UpowerBatteries | null> {
  try {
    // A call would start UPower, also on machines without a battery.
    if (!(await hasOwner(system, upower, timeoutMs))) return null;
    const [display, paths] = await Promise.all([
      readDevice(system, displayDevice.path),
      // Peripherals matter less than the batteries of the machine: an error gives an empty list.
      system.call({ destination: upower, ...machine, member: 'EnumerateDevices', timeoutMs }).catch(() => [[]]),
    ]);
    const named = Array.isArray(paths[0]) ? paths[0].filter((path) => typeof path === 'string') : [];
    const found = await Promise.all(
      named.slice(0, mostAttached).map(async (path) => {
        const device = await readDevice(system, path).catch(() => null);
        return device === null ? null : parseAttached(path, device);
      }),
    );
    return { charge: parseUpowerDevice(display), attached: found.filter((device) => device !== null) };
  } catch {
    return null;
  }
}

const readDevice = (system: Bus, path: string) =>
  getProperties(system, { destination: upower, path, interface: `${upower}.Device` }, timeoutMs);

const linePower = 1;
/** 1 means that the percentage is exact. */
const levels: Record<number, AttachedBattery['level']> = { 3: 'low', 4: 'critical', 6: 'normal', 7: 'high', 8: 'full' };

/** null: a battery of the machine, or absent. */
function parseAttached(path: string, device: unknown): AttachedBattery | null {
  const values = new Map<string, unknown>(Object.entries(device ?? {}));
  const text = (name: string) => String(values.get(name) ?? '');
  const kind = Number(values.get('Type') ?? 0);
  if (kind === linePower || values.get('PowerSupply') === true || values.get('IsPresent') !== true) return null;
  const level = levels[Number(values.get('BatteryLevel') ?? 1)] ?? null;
  const percentage = Number(values.get('Percentage') ?? Number.NaN);
  const state = states[Number(values.get('State') ?? 0)] ?? null;
  const id = shownText(path.slice(path.lastIndexOf('/') + 1), 80);
  return {
    id,
    name: attachedName(text('Vendor'), text('Model'), id),
    kind,
    percentage: level === null && Number.isFinite(percentage) ? percentage : null,
    level,
    isCharging: state === null ? null : state === 'charging',
  };
}

const states: Record<number, Charge['state']> = {
  1: 'charging',
  2: 'discharging',
  3: 'idle',
  4: 'idle',
  5: 'idle',
  6: 'idle',
};

export function parseUpowerDevice(device: unknown): Charge | null {
  const values = new Map<string, unknown>(Object.entries(device ?? {}));
  const number = (name: string) => {
    const value = Number(values.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  };
  if (values.get('IsPresent') !== true) return null;
  const state = states[number('State') ?? 0] ?? null;
  const seconds = number(state === 'charging' ? 'TimeToFull' : 'TimeToEmpty');
  // UPower reports 0 for unknown.
  return { state, percentage: number('Percentage'), seconds: seconds === null || seconds <= 0 ? null : seconds };
}

/** Has the bus start UPower, which is activated on demand. Not an error where it is not installed. */
export function startUpower(system: Bus): void {
  system.call({ ...busDaemon, member: 'StartServiceByName', signature: 'su', body: [upower, 0] }).catch(() => {});
}

const ofAttached = ['IsPresent', 'Percentage', 'State', 'BatteryLevel', 'Model'];
const ofMachine = ['IsPresent', 'Percentage', 'State', 'TimeToEmpty', 'TimeToFull'];

/** Calls back when a shown property changes, when UPower starts or ends, and once when the subscription starts. */
export function watchUpower(system: Bus, changed: () => void): () => void {
  const changes = { sender: upower, pathNamespace: devices, ...properties, member: 'PropertiesChanged' };
  const isShown = ({ path, body: [, values, invalidated] }: Pick<Signal, 'body' | 'path'>) =>
    (path === displayDevice.path ? ofMachine : ofAttached).some(
      (name) => name in Object(values) || (Array.isArray(invalidated) && invalidated.includes(name)),
    );
  const signals = [
    { match: changes, isNews: isShown },
    { match: { sender: upower, ...machine, member: 'DeviceAdded' } },
    { match: { sender: upower, ...machine, member: 'DeviceRemoved' } },
    { match: ownersOf(upower) },
  ];
  return followSignals(system, signals, changed);
}
