import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot, wide } from '../../../host/windows/native/memory.ts';
import { IO_STATUS_BLOCK } from '../../../host/windows/native/ntdll.structs.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';

/** Drivers of drives, asked without any right to read or write what is on the drive, so that no administrator is needed. May block as long as the drive does. */
export interface DriveControl {
  /**
   * What a driver answers; `size`: bytes there may be at most, up to which a question is filled with zeros, since drivers want it as long as the answer.
   * A number is Windows' own for why not (NTSTATUS). null: there is no such device.
   */
  ask(device: string, code: number, input: number[], size: number): Uint8Array | number | null;
  /** Whether the drive stands still to save power; null: Windows does not say. Asking does not wake it. */
  isAsleep(device: string): boolean | null;
}

const unanswered = 0xffffffff;

export const drivesLibrary = defineLibrary('drives', openDriveControl);

export function openDriveControl(): DriveControl {
  const { CreateFileW, CloseHandle, GetDevicePowerState } = systemLibrary('kernel32.dll', {
    CreateFileW: { args: ['ptr', 'u32', 'u32', 'u64', 'u32', 'u32', 'u64'], returns: 'i64' },
    CloseHandle: { args: ['u64'], returns: 'i32' },
    GetDevicePowerState: { args: ['u64', 'ptr'], returns: 'i32' },
  });
  // DeviceIoControl tells why not only by GetLastError, which is another's by the time it can be asked.
  const { NtDeviceIoControlFile } = systemLibrary('ntdll.dll', {
    NtDeviceIoControlFile: {
      args: ['u64', 'u64', 'u64', 'u64', 'ptr', 'u32', 'ptr', 'u32', 'ptr', 'u32'],
      returns: 'i32',
    },
  });
  const withDevice = <T>(device: string, use: (handle: bigint) => T): T | null => {
    // No access at all, shared with everybody; OPEN_EXISTING.
    const handle = CreateFileW(wide(device), 0, 3, 0, 3, 0, 0);
    if (handle === -1n) return null;
    try {
      return use(handle);
    } finally {
      CloseHandle(handle);
    }
  };
  return {
    ask: (device, code, input, size) =>
      withDevice(device, (handle) => {
        const [question, answer] = [pinned(Math.max(input.length, size)), pinned(size)];
        question.set(input);
        const asked = input.length === 0 ? 0 : question.length;
        const status = pinned(IO_STATUS_BLOCK.size);
        const places = [address(question), asked, address(answer), size] as const;
        const result = NtDeviceIoControlFile(handle, 0, 0, 0, address(status), code, ...places);
        return result < 0 ? result >>> 0 : answer.slice(0, readStruct(IO_STATUS_BLOCK, status).Information);
      }),
    isAsleep: (device) =>
      withDevice(device, (handle) => {
        // What neither yes nor no is written over was not answered, as by Wine.
        const isOn = slot(unanswered);
        const told = GetDevicePowerState(handle, isOn.place) === 0 ? unanswered : isOn.u32();
        return told === unanswered ? null : told === 0;
      }),
  };
}
