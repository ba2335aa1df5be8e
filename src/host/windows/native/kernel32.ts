import { address, type Pointer, pinned } from '../../ffi.ts';
import { QUERY_LIMITED, withDevice, withProcess } from './handles.ts';
import { MEMORYSTATUSEX, PERFORMANCE_INFORMATION, SYSTEM_POWER_STATUS } from './kernel32.structs.ts';
import { slot, wide } from './memory.ts';
import { type Struct, wideText } from './structs.ts';
import { win32 } from './win32.ts';

/** kernel32.dll. null: the call failed. */
export type Kernel32 = ReturnType<typeof openKernel32>;

const { MAX_PATH, LONG_PATH } = { MAX_PATH: 261, LONG_PATH: 32_768 };

export function openKernel32() {
  // SEM_FAILCRITICALERRORS and SEM_NOOPENFILEERRORBOX: an empty drive is an error for us, never a dialogue for the user.
  win32.SetErrorMode(0x8001);

  const filled = (struct: Struct, call: (place: Pointer) => number, isSized = true) => {
    const bytes = pinned(struct.size);
    if (isSized) new DataView(bytes.buffer).setUint32(0, struct.size, true);
    return call(address(bytes)) === 0 ? null : bytes;
  };
  const text = (characters: number, call: (place: Uint8Array, characters: number) => unknown) => {
    const bytes = pinned(2 * characters);
    return call(bytes, characters) ? wideText(bytes) : null;
  };

  return {
    /** A MEMORYSTATUSEX. */
    memoryStatus: () => filled(MEMORYSTATUSEX, (place) => win32.GlobalMemoryStatusEx(place)),
    /** A PERFORMANCE_INFORMATION. */
    performanceInfo: () =>
      filled(PERFORMANCE_INFORMATION, (place) => win32.K32GetPerformanceInfo(place, PERFORMANCE_INFORMATION.size)),
    /** A SYSTEM_POWER_STATUS. */
    powerStatus: () => filled(SYSTEM_POWER_STATUS, (place) => win32.GetSystemPowerStatus(place), false),
    /** Whether the calling thread keeps the system awake while it is unused. false: the call failed. */
    // ES_CONTINUOUS, and ES_SYSTEM_REQUIRED.
    keepAwake: (on: boolean) => win32.SetThreadExecutionState(on ? 0x80000001 : 0x80000000) !== 0,
    /** Closes its window if no other process uses it. */
    leaveConsole: () => void win32.FreeConsole(),
    /** Output goes to a file, a pipe, or a console that another program uses as well, such as a shell. */
    isOutputSeen(): boolean {
      // STD_OUTPUT_HANDLE; FILE_TYPE_DISK or FILE_TYPE_PIPE.
      const isRedirected = [1, 3].includes(win32.GetFileType(win32.GetStdHandle(0xfffffff5)));
      return isRedirected || win32.GetConsoleProcessList(pinned(8), 2) > 1;
    },
    /** Milliseconds since the start of the system. */
    tickCount: () => Number(win32.GetTickCount64()),
    /** Milliseconds that the system has slept since its start. */
    asleepMs() {
      const awake = slot();
      win32.QueryUnbiasedInterruptTime(awake.place);
      return Number(win32.GetTickCount64()) - awake.u64() / 10_000;
    },
    /** A name of the machine: 1 is that of DNS, 3 that with its domain. */
    computerName: (kind: number) =>
      text(1024, (place, characters) => win32.GetComputerNameExW(kind, place, slot(characters).place)),
    /** The SMBIOS tables of the firmware, after eight bytes of Windows. */
    firmwareTable(): Uint8Array | null {
      // 'RSMB'.
      const bytes = pinned(65_536);
      const length = win32.GetSystemFirmwareTable(0x52534d42, 0, bytes, bytes.length);
      return length === 0 || length > bytes.length ? null : bytes.slice(0, length);
    },
    processImage: (pid: number) =>
      withProcess(pid, QUERY_LIMITED, (process) =>
        text(LONG_PATH, (place, characters) =>
          win32.QueryFullProcessImageNameW(process, 0, place, slot(characters).place),
        ),
      ),
    /** A bit for each letter. */
    logicalDrives: () => win32.GetLogicalDrives(),
    /** 2 removable, 3 fixed, 4 network, 5 CD, 6 RAM. */
    driveType: (root: string) => win32.GetDriveTypeW(wide(root)),
    volume(
      root: string,
    ): { label: string; serial: number; longestName: number; flags: number; fileSystem: string } | null {
      const [label, fileSystem] = [pinned(2 * MAX_PATH), pinned(2 * MAX_PATH)];
      const [serial, longestName, flags] = [slot(), slot(), slot()];
      const places = [serial.place, longestName.place, flags.place] as const;
      if (!win32.GetVolumeInformationW(wide(root), label, MAX_PATH, ...places, fileSystem, MAX_PATH)) return null;
      return {
        label: wideText(label),
        serial: serial.u32(),
        longestName: longestName.u32(),
        flags: flags.u32(),
        fileSystem: wideText(fileSystem),
      };
    },
    /** The unique name of the volume at a root. */
    volumeName: (root: string) =>
      text(100, (place, characters) => win32.GetVolumeNameForVolumeMountPointW(wide(root), place, characters)),
    /** The share of a network drive, or the device of a letter. */
    dosDevice: (name: string) =>
      text(LONG_PATH, (place, characters) => win32.QueryDosDeviceW(wide(name), place, characters)),
    space(root: string): { available: number; total: number; free: number } | null {
      const [available, total, free] = [slot(), slot(), slot()];
      if (!win32.GetDiskFreeSpaceExW(wide(root), available.place, total.place, free.place)) return null;
      return { available: available.u64(), total: total.u64(), free: free.u64() };
    },
    /** Puts a process and its future descendants into a new job; 0: refused. */
    adoptIntoJob(pid: number): number {
      const job = win32.CreateJobObjectW(0, 0);
      // PROCESS_TERMINATE and PROCESS_SET_QUOTA.
      const adopted = withProcess(pid, 0x101, (process) => win32.AssignProcessToJobObject(job, process) !== 0) ?? false;
      if (!adopted) win32.CloseHandle(job);
      return adopted ? Number(job) : 0;
    },
    endJob: (job: number) => void win32.TerminateJobObject(job, 1),
    /** Releases the job; its processes keep running. */
    closeJob: (job: number) => void win32.CloseHandle(job),
    /** The output of a driver; `size`: maximum in bytes. */
    deviceControl: (device: string, code: number, input: number[], size: number): Uint8Array | null =>
      withDevice(device, 0, (handle) => {
        const [inputBuffer, output, length] = [pinned(Math.max(1, input.length)), pinned(size), slot()];
        inputBuffer.set(input);
        const asked = win32.DeviceIoControl(handle, code, inputBuffer, input.length, output, size, length.place, 0);
        return asked === 0 ? null : output.slice(0, length.u32());
      }),
  };
}
