import type { Reasons } from '../../../core/reasons.ts';
import { cacheAnswer } from '../../../host/windows/cached-answer.ts';
import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import { CM_POWER_DATA } from '../../../host/windows/native/devices.structs.ts';
import { MIB_IF_ROW2 } from '../../../host/windows/native/iphlpapi.structs.ts';
import { guidText } from '../../../host/windows/native/powrprof.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import type { NetworkInterface } from '../networks.schema.ts';

/** Nobody announces it, and it is changed by hand; as on Linux. */
const keptMs = 60_000;
/** What a device can do changes with its driver alone. */
const patience = { freshMs: 600_000, waitMs: 500 };

type WindowsWake = Required<Pick<NetworkInterface, 'wake_on_lan' | 'wake_modes'>>;

/** What the driver of a card is set to. */
export interface CardSettings {
  /** Where the card is among the devices; null: unknown. */
  device: string | null;
  /** null: the driver does not have this setting. */
  magic: boolean | null;
  pattern: boolean | null;
  /** Bits of what the user has forbidden it. */
  capabilities: number;
}

/** Drivers of network cards. https://learn.microsoft.com/windows-hardware/drivers/install/system-defined-device-setup-classes-available-to-vendors */
const classKey = 'SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e972-e325-11ce-bfc1-08002be10318}';
/** DEVPKEY_Device_PowerData. */
const powerData = ['a45c254e-df1c-4efd-8020-67d146a850e0', 32] as const;
/** NDIS_DEVICE_DISABLE_PM or NDIS_DEVICE_DISABLE_WAKE_UP, and what each kind of packet can be forbidden by (ntddndis.h). */
const { NO_WAKE, NO_MAGIC, NO_PATTERN } = { NO_WAKE: 0x18, NO_MAGIC: 0x80, NO_PATTERN: 0x100 };

/**
 * Whether a card may wake the machine, and what by: what its driver is set to, as far as the user allows it on the page "Power Management" of the
 * card, and only where the card can wake this machine at all. Never executed on Windows.
 * https://learn.microsoft.com/windows-hardware/drivers/network/standardized-inf-keywords-for-power-management
 */
export function createWindowsWake({ nativeElsewhere, clock }: Pick<WindowsHost, 'nativeElsewhere' | 'clock'>) {
  let known: { of: string; at: number; settings: Map<string, CardSettings> } | null = null;
  let abilities: { of: string; ask(): Promise<Map<string, boolean> | null> } | null = null;

  const settingsOf = (cards: ReadonlyMap<number, string>, advapi32: Advapi32) => {
    const of = [...cards.values()].join();
    if (known === null || known.of !== of || clock.monotonic() - known.at >= keptMs)
      known = { of, at: clock.monotonic(), settings: readSettings(new Set(cards.values()), advapi32) };
    return known.settings;
  };

  /** Which devices can wake the machine; those that do not say are not in it. */
  const abilitiesOf = (ids: string[]) => {
    const of = ids.join();
    if (abilities === null || abilities.of !== of)
      abilities = {
        of,
        ask: cacheAnswer(clock, patience, async () => {
          const told = new Map<string, boolean>();
          for (const id of ids) {
            const canWake = parseAbility((await nativeElsewhere('devices').properties(id, [powerData]))?.[0] ?? null);
            if (canWake !== null) told.set(id, canWake);
          }
          return told;
        }),
      };
    return abilities.ask();
  };

  /** By the index of those interfaces that are hardware. */
  return async (rows: Uint8Array | null, advapi32: Advapi32, reasons: Reasons): Promise<Map<number, WindowsWake>> => {
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
    explainWake([...wakes.values()], reasons);
    return wakes;
  };
}

const unable: WindowsWake = { wake_on_lan: null, wake_modes: null };

/** GUIDs of the interfaces that are hardware, by their index. */
function hardwareOf(rows: Uint8Array | null): Map<number, string> {
  const cards = new Map<number, string>();
  for (let at = 0; rows !== null && at + MIB_IF_ROW2.size <= rows.length; at += MIB_IF_ROW2.size) {
    const { InterfaceIndex, InterfaceGuid, InterfaceAndOperStatusFlags } = readStruct(MIB_IF_ROW2, rows, at);
    const [flags = 0] = InterfaceAndOperStatusFlags;
    // HardwareInterface, and not FilterInterface: what stands in the way of packets is no card.
    if ((flags & 3) === 1) cards.set(InterfaceIndex, guidText(InterfaceGuid));
  }
  return cards;
}

function readSettings(wanted: ReadonlySet<string>, advapi32: Advapi32): Map<string, CardSettings> {
  const found = new Map<string, CardSettings>();
  // Beside the numbered ones there is a key that only Windows itself may read.
  for (const number of advapi32.keys('HKLM', classKey).filter((name) => /^\d{4}$/.test(name))) {
    const key = `${classKey}\\${number}`;
    const id = String(advapi32.value('HKLM', key, 'NetCfgInstanceId') ?? '')
      .replace(/[{}]/g, '')
      .toLowerCase();
    if (!wanted.has(id)) continue;
    // What was never set is as the driver has it by default.
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

/** Of a CM_POWER_DATA; null: it does not say. 0 (PowerSystemUnspecified): from no kind of sleep. */
export function parseAbility(bytes: Uint8Array | null): boolean | null {
  if (bytes === null || bytes.length < CM_POWER_DATA.size) return null;
  return readStruct(CM_POWER_DATA, bytes).PD_DeepestSystemWake !== 0;
}

export function toWake({ magic, pattern, capabilities }: CardSettings): WindowsWake {
  const mayWake = (capabilities & NO_WAKE) === 0;
  const modes = [
    ['magic', magic, NO_MAGIC],
    // Packets that Windows itself describes, such as those that look for an address of this machine.
    ['filter', pattern, NO_PATTERN],
  ] as const;
  const supported = modes.flatMap(([mode, isOn]) => (isOn === null ? [] : [mode]));
  const active = modes.flatMap(([mode, isOn, bit]) =>
    isOn === true && mayWake && (capabilities & bit) === 0 ? [mode] : [],
  );
  if (supported.length === 0) return { wake_on_lan: mayWake ? null : false, wake_modes: null };
  return { wake_on_lan: active.length > 0, wake_modes: { supported, active } };
}

function explainWake(wakes: WindowsWake[], reasons: Reasons): void {
  if (wakes.some(({ wake_on_lan }) => wake_on_lan === null))
    reasons.inherent('networks[].wake_on_lan', 'The card, or its driver, cannot wake this machine');
  if (wakes.some(({ wake_modes }) => wake_modes === null))
    reasons.inherent('networks[].wake_modes', 'The card, or its driver, does not say what it wakes the machine by');
}
