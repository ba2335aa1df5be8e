import { address, copyFrom, pinned } from '../../ffi.ts';
import { guidBytes, guidText } from './guid.ts';
import { slot } from './memory.ts';
import { PROCESSOR_POWER_INFORMATION, SYSTEM_BATTERY_STATE, SYSTEM_POWER_CAPABILITIES } from './powrprof.structs.ts';
import { wideText } from './structs.ts';
import { win32 } from './win32.ts';

const { SystemBatteryState, ProcessorInformation } = { SystemBatteryState: 5, ProcessorInformation: 11 };

/** powrprof.dll. null: the call failed. */
export function openPowrprof() {
  const ask = (level: number, bytes: Uint8Array<ArrayBuffer>) =>
    win32.CallNtPowerInformation(level, 0, 0, address(bytes), bytes.length) < 0 ? null : bytes;
  return {
    /** A PROCESSOR_POWER_INFORMATION for each of `count` processors. */
    processors: (count: number) => ask(ProcessorInformation, pinned(count * PROCESSOR_POWER_INFORMATION.size)),
    /** A SYSTEM_BATTERY_STATE. */
    battery: () => ask(SystemBatteryState, pinned(SYSTEM_BATTERY_STATE.size)),
    /** A SYSTEM_POWER_CAPABILITIES. */
    capabilities(): Uint8Array | null {
      const bytes = pinned(SYSTEM_POWER_CAPABILITIES.size);
      return win32.GetPwrCapabilities(address(bytes)) === 0 ? null : bytes;
    },
    /** The power plan in use, and the power mode on top of it (all zeros: none), by their GUIDs. */
    powerPlan(): { id: string; overlay: string | null } | null {
      const place = slot();
      if (win32.PowerGetActiveScheme(0, place.place) !== 0 || place.u64() === 0) return null;
      const id = guidText(copyFrom(place.u64(), 16));
      win32.LocalFree(place.u64());
      return { id, overlay: overlay() };
    },
    setPlan: (id: string) => win32.PowerSetActiveScheme(0, guidBytes(id)) === 0,
    planName(id: string): string | null {
      const [name, length] = [pinned(1024), slot(1024)];
      const status = win32.PowerReadFriendlyName(0, guidBytes(id), 0, 0, name, length.place);
      return status === 0 ? wideText(name) : null;
    },
    /** Returns when the machine is awake again; false: it did not go to sleep. */
    suspend: (hibernate: boolean) => win32.SetSuspendState(hibernate ? 1 : 0, 0, 0) !== 0,
  };
}

/** The power mode. Undocumented, and missing in Windows before 1709 and in Wine. */
function overlay(): string | null {
  const bytes = pinned(16);
  try {
    return win32.PowerGetEffectiveOverlayScheme(address(bytes)) === 0 ? guidText(bytes) : null;
  } catch {
    return null;
  }
}
