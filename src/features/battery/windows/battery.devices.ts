import type { Reasons } from '../../../core/reasons.ts';
import type { DeviceNode, DeviceProperty } from '../../../host/windows/native/devices.ts';
import { readStruct, wideText } from '../../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { cacheResult } from '../../../lib/cached-result.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { BatteryDevice } from '../battery.schema.ts';
import { BATTERY_INFORMATION, BATTERY_STATUS, XINPUT_BATTERY_INFORMATION } from './batteries.structs.ts';
import type { BatteryNode } from './batteries.ts';
import { batteryLibrary } from './battery-library.ts';

/**
 * Properties of a Bluetooth device. The level is undocumented: Windows stores it for devices that report it by their hands-free profile or by
 * Bluetooth LE, and shows it in its settings. https://learn.microsoft.com/windows-hardware/drivers/bluetooth/
 */
const properties: DeviceProperty[] = [
  ['104ea319-6ee2-4701-bd47-8ddbf425bbe5', 2],
  // DEVPKEY_Device_FriendlyName.
  ['a45c254e-df1c-4efd-8020-67d146a850e0', 14],
  // Whether it is connected; undocumented as well.
  ['83da6326-97a6-4088-9453-a1923f573b29', 15],
  // DEVPKEY_Bluetooth_ClassOfDevice.
  ['2bd67d8b-8beb-48d5-87e0-6cda3428040a', 10],
  // DEVPKEY_Device_Class.
  ['a45c254e-df1c-4efd-8020-67d146a850e0', 9],
];
/** Classic devices with their profiles, Bluetooth LE devices, their services, and their input devices. */
const enumerators = ['BTHENUM', 'BTHLE', 'BTHLEDEVICE', 'HID'];
const mostDevices = 64;
/** Each query starts a thread, and levels change slowly. */
const patience = { freshMs: 60_000, waitMs: 800 };

/** Queried in a thread, since services and drivers of Windows may block. Not yet tested on Windows. */
export function createBatteryDevices({ nativeElsewhere, clock }: Pick<WindowsHost, 'nativeElsewhere' | 'clock'>) {
  const ask = cacheResult(clock, patience, async () => {
    const devices = nativeElsewhere('devices');
    const charged = nativeElsewhere(batteryLibrary);
    const nodes: DeviceNode[] = [];
    for (const enumerator of enumerators) nodes.push(...(await devices.present(enumerator, properties)));
    const paired = parseBluetooth(nodes);
    // Some versions of Windows lack XInput.
    const plugged = await charged.controllers().catch(() => []);
    const others = parseBatteries(await charged.batteries());
    return [...paired, ...parseControllers(plugged, paired), ...others].slice(0, mostDevices);
  });

  return async (reasons: Reasons): Promise<BatteryDevice[]> => {
    const known = await ask();
    if (known === null) reasons.missing('devices', 'Windows has not listed its devices yet; the next reading has them');
    const devices = known ?? [];
    const explain = (field: 'percentage' | 'level' | 'is_charging', why: string) => {
      if (devices.some((device) => device[field] === null)) reasons.inherent(`devices[].${field}`, why);
    };
    explain('percentage', 'The device reports a rough level only, or none');
    explain('level', 'The device reports its percentage, or nothing');
    explain('is_charging', 'Windows does not report whether devices of this kind are charging');
    return devices.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  };
}

/** A device has several nodes: one for itself, and one for each function; all of them contain its address. */
export function parseBluetooth(nodes: readonly DeviceNode[]): BatteryDevice[] {
  const byAddress = Map.groupBy(nodes, ({ id }) => addressIn(id));
  return [...byAddress].flatMap(([address, own]) => {
    const main = own.find(({ id }) => isDeviceItself(id));
    const first = (index: number) =>
      [main, ...own].map((node) => node?.values[index] ?? null).find((value) => value !== null) ?? null;
    const [percentage] = first(0) ?? [];
    // Windows keeps the level of a disconnected device.
    const isGone = first(2)?.[0] === 0;
    if (address === null || percentage === undefined || percentage > 100 || isGone) return [];
    const named = first(1);
    const name = named === null ? '' : shownText(wideText(named).trim(), 100);
    return [
      {
        id: `bluetooth_${address}`,
        name: name === '' ? address : name,
        kind: kindOfClass(first(3)) ?? kindOfInput(own) ?? 'other',
        percentage,
        level: null,
        is_charging: null,
      },
    ];
  });
}

/** As in `BTHENUM\DEV_0011223344AA\7&…`, `BTHENUM\{0000111e-…}_VID&…\7&1a2b3c4d&0&0011223344AA_C00000000` and `HID\{00001812-…}_0011223344AA&COL01\8&…`. */
function addressIn(id: string): string | null {
  const digits = /(?:\\DEV_|[&_])([0-9a-f]{12})(?:_C[0-9a-f]{8}|&COL[0-9a-f]{2})?(?:\\|$)/i.exec(id)?.[1];
  return digits?.toLowerCase().match(/../g)?.join(':') ?? null;
}

const isDeviceItself = (id: string) => /^(?:BTHENUM|BTHLE)\\DEV_/i.test(id);

/** Bluetooth Assigned Numbers, 2.8: major and minor class. */
function kindOfClass(bytes: Uint8Array | null): BatteryDevice['kind'] | undefined {
  if (bytes === null || bytes.length < 4) return undefined;
  const number = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const [major, minor] = [(number >> 8) & 0x1f, (number >> 2) & 0x3f];
  if (major === 2) return 'phone';
  if (major === 4) return sounding[minor];
  if (major === 5) return typed[minor >> 4] ?? handled[minor & 0xf];
  if (major === 6) return (minor & 8) !== 0 ? 'camera' : undefined;
  return major === 7 ? 'wearable' : undefined;
}

/** Bluetooth LE devices have no class. Mice may have keys, and keyboards wheels: the first part gives the kind. */
function kindOfInput(nodes: readonly DeviceNode[]): BatteryDevice['kind'] | undefined {
  const parts = nodes.filter(({ id }) => /^HID\\/i.test(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return parts.map(({ values }) => inputs[wideText(values[4] ?? new Uint8Array()).toLowerCase()]).find(Boolean);
}

const inputs: Partial<Record<string, BatteryDevice['kind']>> = { keyboard: 'keyboard', mouse: 'mouse' };
const sounding: Partial<Record<number, BatteryDevice['kind']>> = {
  1: 'headset',
  2: 'headset',
  5: 'speakers',
  6: 'headphones',
  7: 'speakers',
};
/** 3: a combined keyboard and mouse. */
const typed: Partial<Record<number, BatteryDevice['kind']>> = { 1: 'keyboard', 2: 'mouse', 3: 'keyboard' };
const handled: Partial<Record<number, BatteryDevice['kind']>> = {
  1: 'game_controller',
  2: 'game_controller',
  3: 'remote_control',
  5: 'tablet',
  7: 'pen',
};

/** BATTERY_TYPE_ALKALINE and BATTERY_TYPE_NIMH; others are wired or unknown. */
const withBattery = [2, 3];
const levels = ['critical', 'low', 'normal', 'full'] as const;

/** Controllers on Bluetooth are in both lists without a common identifier, so the same number of entries is left out. */
export function parseControllers(
  batteries: readonly (Uint8Array | null)[],
  bluetooth: readonly BatteryDevice[],
): BatteryDevice[] {
  const found = batteries.flatMap((bytes, index): BatteryDevice[] => {
    if (bytes === null) return [];
    const { BatteryType, BatteryLevel } = readStruct(XINPUT_BATTERY_INFORMATION, bytes);
    const level = levels[BatteryLevel];
    if (!withBattery.includes(BatteryType) || level === undefined) return [];
    const name = `Game controller ${index + 1}`;
    return [
      { id: `controller_${index + 1}`, name, kind: 'game_controller', percentage: null, level, is_charging: null },
    ];
  });
  const known = bluetooth.filter(({ kind }) => kind === 'game_controller').length;
  return found.slice(0, Math.max(0, found.length - known));
}

const SYSTEM_BATTERY = 0x80000000;
const SHORT_TERM = 0x20000000;
const CHARGING = 4;
const UNKNOWN_CAPACITY = 0xffffffff;

/** A UPS, and batteries that do not power the machine. The others are in the fields of the module, where Windows includes a UPS. */
export function parseBatteries(batteries: readonly BatteryNode[]): BatteryDevice[] {
  return batteries.flatMap(({ path, name, information, status }): BatteryDevice[] => {
    if (information.length < BATTERY_INFORMATION.size || status.length < BATTERY_STATUS.size) return [];
    const { Capabilities, FullChargedCapacity: full } = readStruct(BATTERY_INFORMATION, information);
    const { PowerState, Capacity: now } = readStruct(BATTERY_STATUS, status);
    const isUps = (Capabilities & SHORT_TERM) !== 0;
    if ((Capabilities & SYSTEM_BATTERY) !== 0 && !isUps) return [];
    const isKnown = full > 0 && full !== UNKNOWN_CAPACITY && now !== UNKNOWN_CAPACITY;
    const shown = shownText(name.trim(), 100);
    return [
      {
        id: `battery_${placeIn(path)}`,
        name: shown !== '' ? shown : isUps ? 'UPS' : 'Battery',
        kind: isUps ? 'ups' : 'other',
        percentage: isKnown ? Math.min(100, Math.round((100 * now) / full)) : null,
        level: null,
        is_charging: (PowerState & CHARGING) !== 0,
      },
    ];
  });
}

/** Without the common prefix and suffix. */
const placeIn = (path: string) =>
  shownText(path.replace(/^\\\\[?.]\\/, '').replace(/#\{[^}]*\}$/, ''), 80).toLowerCase();
