import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { withDevice } from '../../../host/windows/native/handles.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import { IO_STATUS_BLOCK } from '../../../host/windows/native/ntdll.structs.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';

export type DriveControl = ReturnType<typeof drivesLibrary.open>;

const unanswered = 0xffffffff;

/** Requests to drivers of drives, without access to the data, so that no administrator is needed. May block until the drive answers. */
export const drivesLibrary = defineLibrary('drives', () => ({
  /**
   * The output of a driver, at most `size` bytes; the request is padded with zeros to this size, as drivers require. A number is an error
   * (NTSTATUS). null: no such device.
   */
  ask: (device: string, code: number, input: number[], size: number) =>
    withDevice(device, 0, (handle): Uint8Array | number => {
      const [inputBuffer, output] = [pinned(Math.max(input.length, size)), pinned(size)];
      inputBuffer.set(input);
      const inputSize = input.length === 0 ? 0 : inputBuffer.length;
      const status = pinned(IO_STATUS_BLOCK.size);
      const places = [address(inputBuffer), inputSize, address(output), size] as const;
      // DeviceIoControl reports its error through GetLastError, which other calls of the runtime overwrite.
      const result = win32.NtDeviceIoControlFile(handle, 0, 0, 0, address(status), code, ...places);
      return result < 0 ? result >>> 0 : output.slice(0, readStruct(IO_STATUS_BLOCK, status).Information);
    }),
  /** Whether the drive is in standby; null: unknown. The query does not wake it. */
  isAsleep: (device: string): boolean | null =>
    withDevice(device, 0, (handle) => {
      // A value that was not overwritten means no answer, as with Wine.
      const isOn = slot(unanswered);
      const power = win32.GetDevicePowerState(handle, isOn.place) === 0 ? unanswered : isOn.u32();
      return power === unanswered ? null : power === 0;
    }),
}));
