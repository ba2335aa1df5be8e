import { explainNulls, type Reasons } from '../../../core/reasons.ts';
import type { Native } from '../../../host/windows/native/native.ts';
import { chassisTypes, isPlaceholder } from '../system.firmware-strings.ts';
import type { DeviceInfo } from '../system.schema.ts';

const biosKey = 'HARDWARE\\DESCRIPTION\\System\\BIOS';

/** From the registry, which has the firmware's data as of boot; the chassis type from the firmware itself. */
export function readWindowsDevice(
  { advapi32, kernel32 }: Pick<Native, 'advapi32' | 'kernel32'>,
  reasons: Reasons,
): DeviceInfo {
  const text = (name: string) => {
    const value = String(advapi32.value('HKLM', biosKey, name) ?? '').trim();
    return isPlaceholder(value) ? null : value;
  };
  const table = kernel32.firmwareTable();
  const device: DeviceInfo = {
    manufacturer: text('SystemManufacturer'),
    model: text('SystemProductName'),
    version: text('SystemVersion'),
    board_vendor: text('BaseBoardManufacturer'),
    board_name: text('BaseBoardProduct'),
    bios_vendor: text('BIOSVendor'),
    bios_version: text('BIOSVersion'),
    chassis_type: table === null ? null : parseChassis(table),
  };
  const why = 'The firmware of this machine does not contain this value';
  explainNulls([device], 'device_info', () => why, reasons.inherent);
  return device;
}

const headerBytes = 8;
const { CHASSIS, END } = { CHASSIS: 3, END: 127 };

/** Walks the SMBIOS structures: each has a formatted part of known length, and texts up to two NULs. */
export function parseChassis(table: Uint8Array): string | null {
  for (let at = headerBytes; at + 4 <= table.length; ) {
    const [kind = END, length = 0] = table.subarray(at, at + 2);
    if (length < 4) return null;
    // The highest bit is set if there is a lock.
    if (kind === CHASSIS && length > 5) return chassisTypes[(table[at + 5] ?? 0) & 0x7f] ?? null;
    if (kind === END) return null;
    let next = at + length;
    while (next + 1 < table.length && (table[next] !== 0 || table[next + 1] !== 0)) next += 1;
    at = next + 2;
  }
  return null;
}
