import { address, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { PROCESSOR_POWER_INFORMATION, SYSTEM_BATTERY_STATE, SYSTEM_POWER_CAPABILITIES } from './powrprof.structs.ts';

/** powrprof.dll. null: the call failed. */
export interface Powrprof {
  /** A PROCESSOR_POWER_INFORMATION for each of `count` processors. */
  processors(count: number): Uint8Array | null;
  /** A SYSTEM_BATTERY_STATE. */
  battery(): Uint8Array | null;
  /** A SYSTEM_POWER_CAPABILITIES. */
  capabilities(): Uint8Array | null;
  /** Comes back when the machine is awake again; false: it did not go to sleep. */
  suspend(hibernate: boolean): boolean;
}

const { SystemBatteryState, ProcessorInformation } = { SystemBatteryState: 5, ProcessorInformation: 11 };

export function openPowrprof(): Powrprof {
  const { CallNtPowerInformation, GetPwrCapabilities, SetSuspendState } = systemLibrary('powrprof.dll', {
    GetPwrCapabilities: { args: ['ptr'], returns: 'u8' },
    SetSuspendState: { args: ['u8', 'u8', 'u8'], returns: 'u8' },
    CallNtPowerInformation: { args: ['u32', 'u64', 'u32', 'ptr', 'u32'], returns: 'i32' },
  });
  const ask = (level: number, bytes: Uint8Array<ArrayBuffer>) =>
    CallNtPowerInformation(level, 0, 0, address(bytes), bytes.length) < 0 ? null : bytes;
  return {
    processors: (count) => ask(ProcessorInformation, pinned(count * PROCESSOR_POWER_INFORMATION.size)),
    battery: () => ask(SystemBatteryState, pinned(SYSTEM_BATTERY_STATE.size)),
    capabilities() {
      const bytes = pinned(SYSTEM_POWER_CAPABILITIES.size);
      return GetPwrCapabilities(address(bytes)) === 0 ? null : bytes;
    },
    suspend: (hibernate) => SetSuspendState(hibernate ? 1 : 0, 0, 0) !== 0,
  };
}
