import { address, copyFrom, pinned } from '../../ffi.ts';
import { guidBytes, guidText } from './guid.ts';
import { systemLibrary } from './library.ts';
import { slot } from './memory.ts';
import { PROCESSOR_POWER_INFORMATION, SYSTEM_BATTERY_STATE, SYSTEM_POWER_CAPABILITIES } from './powrprof.structs.ts';
import { wideText } from './structs.ts';

const { SystemBatteryState, ProcessorInformation } = { SystemBatteryState: 5, ProcessorInformation: 11 };

/** powrprof.dll. null: the call failed. */
export function openPowrprof() {
  const { CallNtPowerInformation, GetPwrCapabilities, SetSuspendState } = systemLibrary('powrprof.dll', {
    GetPwrCapabilities: { args: ['ptr'], returns: 'u8' },
    SetSuspendState: { args: ['u8', 'u8', 'u8'], returns: 'u8' },
    CallNtPowerInformation: { args: ['u32', 'u64', 'u32', 'ptr', 'u32'], returns: 'i32' },
  });
  const { PowerGetActiveScheme, PowerSetActiveScheme, PowerReadFriendlyName } = systemLibrary('powrprof.dll', {
    PowerGetActiveScheme: { args: ['u64', 'ptr'], returns: 'u32' },
    PowerSetActiveScheme: { args: ['u64', 'ptr'], returns: 'u32' },
    PowerReadFriendlyName: { args: ['u64', 'ptr', 'u64', 'u64', 'ptr', 'ptr'], returns: 'u32' },
  });
  const { LocalFree } = systemLibrary('kernel32.dll', { LocalFree: { args: ['u64'], returns: 'u64' } });
  const overlay = openOverlay();
  const ask = (level: number, bytes: Uint8Array<ArrayBuffer>) =>
    CallNtPowerInformation(level, 0, 0, address(bytes), bytes.length) < 0 ? null : bytes;
  return {
    /** A PROCESSOR_POWER_INFORMATION for each of `count` processors. */
    processors: (count: number) => ask(ProcessorInformation, pinned(count * PROCESSOR_POWER_INFORMATION.size)),
    /** A SYSTEM_BATTERY_STATE. */
    battery: () => ask(SystemBatteryState, pinned(SYSTEM_BATTERY_STATE.size)),
    /** A SYSTEM_POWER_CAPABILITIES. */
    capabilities(): Uint8Array | null {
      const bytes = pinned(SYSTEM_POWER_CAPABILITIES.size);
      return GetPwrCapabilities(address(bytes)) === 0 ? null : bytes;
    },
    /** The power plan in use, and the power mode on top of it (all zeros: none), by their GUIDs. */
    powerPlan(): { id: string; overlay: string | null } | null {
      const place = slot();
      if (PowerGetActiveScheme(0, place.place) !== 0 || place.u64() === 0) return null;
      const id = guidText(copyFrom(place.u64(), 16));
      LocalFree(place.u64());
      return { id, overlay: overlay() };
    },
    setPlan: (id: string) => PowerSetActiveScheme(0, guidBytes(id)) === 0,
    planName(id: string): string | null {
      const [name, length] = [pinned(1024), slot(1024)];
      const status = PowerReadFriendlyName(0, guidBytes(id), 0, 0, name, length.place);
      return status === 0 ? wideText(name) : null;
    },
    /** Returns when the machine is awake again; false: it did not go to sleep. */
    suspend: (hibernate: boolean) => SetSuspendState(hibernate ? 1 : 0, 0, 0) !== 0,
  };
}

/** The power mode. Undocumented, and missing in Windows before 1709 and in Wine. */
function openOverlay(): () => string | null {
  try {
    const { PowerGetEffectiveOverlayScheme } = systemLibrary('powrprof.dll', {
      PowerGetEffectiveOverlayScheme: { args: ['ptr'], returns: 'u32' },
    });
    return () => {
      const bytes = pinned(16);
      return PowerGetEffectiveOverlayScheme(address(bytes)) === 0 ? guidText(bytes) : null;
    };
  } catch {
    return () => null;
  }
}
