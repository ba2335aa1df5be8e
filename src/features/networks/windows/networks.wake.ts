import type { Reasons } from '../../../core/reasons.ts';
import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import { CM_POWER_DATA } from '../../../host/windows/native/devices.structs.ts';
import { guidText } from '../../../host/windows/native/guid.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { cacheResult } from '../../../lib/cached-result.ts';
import { explainWake, type InterfaceWake } from '../networks.shared.ts';
import type { InterfaceRow } from './networks.interfaces.ts';

/** Changed by hand, without a notification; as on Linux. */
const cachedMs = 60_000;
/** The abilities of a device change only with its driver. */
const patience = { freshMs: 600_000, waitMs: 500 };

/** Settings of a card's driver. */
export interface CardSettings {
  /** Its device id; null: unknown. */
  device: string | null;
  /** null: the driver lacks this setting. */
  magic: boolean | null;
  pattern: boolean | null;
  /** Bits of what the user has forbidden. */
  capabilities: number;
}

/** Drivers of network cards. https://learn.microsoft.com/windows-hardware/drivers/install/system-defined-device-setup-classes-available-to-vendors */
const classKey = 'SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e972-e325-11ce-bfc1-08002be10318}';
/** DEVPKEY_Device_PowerData. */
const powerData = ['a45c254e-df1c-4efd-8020-67d146a850e0', 32] as const;
/** NDIS_DEVICE_DISABLE_PM or NDIS_DEVICE_DISABLE_WAKE_UP, and the bits that forbid each kind of packet (ntddndis.h). */
const { NO_WAKE, NO_MAGIC, NO_PATTERN } = { NO_WAKE: 0x18, NO_MAGIC: 0x80, NO_PATTERN: 0x100 };

/** Whether a card may wake the machine, and by which packets: the driver's settings, limited by the page "Power Management" of the card and its abilities. Never executed on Windows. https://learn.microsoft.com/windows-hardware/drivers/network/standardized-inf-keywords-for-power-management */
export function createWindowsWake({ nativeElsewhere, clock }: Pick<WindowsHost, 'nativeElsewhere' | 'clock'>) {
  let known: { of: string; at: number; settings: Map<string, CardSettings> } | null = null;
  let abilities: { of: string; ask(): Promise<Map<string, boolean> | null> } | null = null;

  const settingsOf = (cards: ReadonlyMap<number, string>, advapi32: Advapi32) => {
    const of = [...cards.values()].join();
    if (known === null || known.of !== of || clock.monotonic() - known.at >= cachedMs)
      known = { of, at: clock.monotonic(), settings: readSettings(new Set(cards.values()), advapi32) };
    return known.settings;
  };

  /** Which devices can wake the machine; devices that do not report it are missing. */
  const abilitiesOf = (ids: string[]) => {
    const of = ids.join();
    if (abilities === null || abilities.of !== of)
      abilities = {
        of,
        ask: cacheResult(clock, patience, async () => {
          const abilities = new Map<string, boolean>();
          for (const id of ids) {
            const canWake = parseAbility((await nativeElsewhere('devices').properties(id, [powerData]))?.[0] ?? null);
            if (canWake !== null) abilities.set(id, canWake);
          }
          return abilities;
        }),
      };
    return abilities.ask();
  };

  /** By the index of physical interfaces. */
  return async (
    rows: readonly InterfaceRow[],
    advapi32: Advapi32,
    reasons: Reasons,
  ): Promise<Map<number, InterfaceWake>> => {
    const cards = hardwareOf(rows);
    if (cards.size === 0) return new Map();
    const settings = settingsOf(cards, advapi32);
    const ids = [...settings.values()].flatMap(({ device }) => device ?? []);
    const able = ids.length === 0 ? null : await abilitiesOf(ids);
    const wakes = new Map(
      [...cards].map(([index, id]) => {
        const own = settings.get(id) ?? null;
        const canWake = own?.device === null || own === null ? null : (able?.get(own.device) ?? null);
        return [index, own === null || canWake === false ? unable : toWake(own)] as const;
      }),
    );
    const why = 'The card, or its driver, does not report what wakes the machine';
    explainWake([...wakes.values()], why, reasons);
    return wakes;
  };
}

const unable: InterfaceWake = { wake_on_lan: null, wake_modes: null };

/** GUIDs of physical interfaces, by their index. */
function hardwareOf(rows: readonly InterfaceRow[]): Map<number, string> {
  // HardwareInterface, and not FilterInterface: a filter is not a card.
  const cards = rows.filter(({ InterfaceAndOperStatusFlags: [flags = 0] }) => (flags & 3) === 1);
  return new Map(cards.map(({ InterfaceIndex, InterfaceGuid }) => [InterfaceIndex, guidText(InterfaceGuid)]));
}

function readSettings(wanted: ReadonlySet<string>, advapi32: Advapi32): Map<string, CardSettings> {
  const found = new Map<string, CardSettings>();
  // One key beside the numbered ones is readable for Windows only.
  for (const number of advapi32.keys('HKLM', classKey).filter((name) => /^\d{4}$/.test(name))) {
    const key = `${classKey}\\${number}`;
    const id = String(advapi32.value('HKLM', key, 'NetCfgInstanceId') ?? '')
      .replace(/[{}]/g, '')
      .toLowerCase();
    if (!wanted.has(id)) continue;
    // A missing value is the driver's default.
    const isOn = (name: string) =>
      switched(advapi32.value('HKLM', key, name) ?? advapi32.value('HKLM', `${key}\\Ndi\\params\\${name}`, 'default'));
    const device = advapi32.value('HKLM', key, 'DeviceInstanceID');
    const capabilities = advapi32.value('HKLM', key, 'PnPCapabilities');
    found.set(id, {
      device: typeof device === 'string' ? device : null,
      magic: isOn('*WakeOnMagicPacket'),
      pattern: isOn('*WakeOnPattern'),
      capabilities: typeof capabilities === 'number' ? capabilities : 0,
    });
  }
  return found;
}

const switched = (value: string | number | null) => (value === null ? null : Number(value) !== 0);

/** Of a CM_POWER_DATA; null: not reported. 0 (PowerSystemUnspecified): from no kind of sleep. */
export function parseAbility(bytes: Uint8Array | null): boolean | null {
  if (bytes === null || bytes.length < CM_POWER_DATA.size) return null;
  return readStruct(CM_POWER_DATA, bytes).PD_DeepestSystemWake !== 0;
}

export function toWake({ magic, pattern, capabilities }: CardSettings): InterfaceWake {
  const mayWake = (capabilities & NO_WAKE) === 0;
  const modes = [
    ['magic', magic, NO_MAGIC],
    // Packets that Windows describes, such as those that resolve an address of this machine.
    ['filter', pattern, NO_PATTERN],
  ] as const;
  const supported = modes.flatMap(([mode, isOn]) => (isOn === null ? [] : [mode]));
  const active = modes.flatMap(([mode, isOn, bit]) =>
    isOn === true && mayWake && (capabilities & bit) === 0 ? [mode] : [],
  );
  if (supported.length === 0) return { wake_on_lan: mayWake ? null : false, wake_modes: null };
  return { wake_on_lan: active.length > 0, wake_modes: { supported, active } };
}
