import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot, wide } from '../../../host/windows/native/memory.ts';
import { IO_STATUS_BLOCK } from '../../../host/windows/native/ntdll.structs.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';

export type DriveControl = ReturnType<typeof openDriveControl>;

const unanswered = 0xffffffff;

export const drivesLibrary = defineLibrary('drives', openDriveControl);

/** Requests to drivers of drives, without access to the data, so that no administrator is needed. May block until the drive answers. */
function openDriveControl() {
  const { CreateFileW, CloseHandle, GetDevicePowerState } = systemLibrary('kernel32.dll', {
    CreateFileW: { args: ['ptr', 'u32', 'u32', 'u64', 'u32', 'u32', 'u64'], returns: 'i64' },
    CloseHandle: { args: ['u64'], returns: 'i32' },
    GetDevicePowerState: { args: ['u64', 'ptr'], returns: 'i32' },
  });
  // DeviceIoControl reports its error through GetLastError, which other calls of the runtime overwrite.
  const { NtDeviceIoControlFile } = systemLibrary('ntdll.dll', {
    NtDeviceIoControlFile: {
      args: ['u64', 'u64', 'u64', 'u64', 'ptr', 'u32', 'ptr', 'u32', 'ptr', 'u32'],
      returns: 'i32',
    },
  });
  const withDevice = <T>(device: string, use: (handle: bigint) => T): T | null => {
    // No access, FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_EXISTING.
    const handle = CreateFileW(wide(device), 0, 3, 0, 3, 0, 0);
    if (handle === -1n) return null;
    try {
      return use(handle);
    } finally {
      CloseHandle(handle);
    }
  };
  return {
    /**
     * The output of a driver, at most `size` bytes; the request is padded with zeros to this size, as drivers require. A number is an error
     * (NTSTATUS). null: no such device.
     */
    ask: (device: string, code: number, input: number[], size: number) =>
      withDevice(device, (handle): Uint8Array | number => {
        const [inputBuffer, output] = [pinned(Math.max(input.length, size)), pinned(size)];
        inputBuffer.set(input);
        const inputSize = input.length === 0 ? 0 : inputBuffer.length;
        const status = pinned(IO_STATUS_BLOCK.size);
        const places = [address(inputBuffer), inputSize, address(output), size] as const;
        const result = NtDeviceIoControlFile(handle, 0, 0, 0, address(status), code, ...places);
        return result < 0 ? result >>> 0 : output.slice(0, readStruct(IO_STATUS_BLOCK, status).Information);
      }),
    /** Whether the drive is in standby; null: unknown. The query does not wake it. */
    isAsleep: (device: string): boolean | null =>
      withDevice(device, (handle) => {
        // A value that was not overwritten means no answer, as with Wine.
        const isOn = slot(unanswered);
        const power = GetDevicePowerState(handle, isOn.place) === 0 ? unanswered : isOn.u32();
        return power === unanswered ? null : power === 0;
      }),
  };
}
