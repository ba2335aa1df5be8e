import { address, type Pointer, pinned } from '../../ffi.ts';
import { MEMORYSTATUSEX, PERFORMANCE_INFORMATION, SYSTEM_POWER_STATUS } from './kernel32.structs.ts';
import { systemLibrary } from './library.ts';
import { slot, wide } from './memory.ts';
import { type Struct, wideText } from './structs.ts';

/** kernel32.dll. null: the call failed. */
export type Kernel32 = ReturnType<typeof openKernel32>;

const { MAX_PATH, LONG_PATH } = { MAX_PATH: 261, LONG_PATH: 32_768 };

export function openKernel32() {
  const functions = systemLibrary('kernel32.dll', {
    GlobalMemoryStatusEx: { args: ['ptr'], returns: 'i32' },
    K32GetPerformanceInfo: { args: ['ptr', 'u32'], returns: 'i32' },
    GetSystemPowerStatus: { args: ['ptr'], returns: 'i32' },
    GetTickCount64: { args: [], returns: 'u64' },
    QueryUnbiasedInterruptTime: { args: ['ptr'], returns: 'i32' },
    GetComputerNameExW: { args: ['u32', 'ptr', 'ptr'], returns: 'i32' },
    GetSystemFirmwareTable: { args: ['u32', 'u32', 'ptr', 'u32'], returns: 'u32' },
    OpenProcess: { args: ['u32', 'i32', 'u32'], returns: 'u64' },
    CloseHandle: { args: ['u64'], returns: 'i32' },
    QueryFullProcessImageNameW: { args: ['u64', 'u32', 'ptr', 'ptr'], returns: 'i32' },
    GetLogicalDrives: { args: [], returns: 'u32' },
    GetDriveTypeW: { args: ['ptr'], returns: 'u32' },
    GetVolumeInformationW: { args: ['ptr', 'ptr', 'u32', 'ptr', 'ptr', 'ptr', 'ptr', 'u32'], returns: 'i32' },
    GetVolumeNameForVolumeMountPointW: { args: ['ptr', 'ptr', 'u32'], returns: 'i32' },
    QueryDosDeviceW: { args: ['ptr', 'ptr', 'u32'], returns: 'u32' },
    GetDiskFreeSpaceExW: { args: ['ptr', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    CreateFileW: { args: ['ptr', 'u32', 'u32', 'u64', 'u32', 'u32', 'u64'], returns: 'i64' },
    DeviceIoControl: { args: ['u64', 'u32', 'ptr', 'u32', 'ptr', 'u32', 'ptr', 'u64'], returns: 'i32' },
    CreateJobObjectW: { args: ['u64', 'u64'], returns: 'u64' },
    AssignProcessToJobObject: { args: ['u64', 'u64'], returns: 'i32' },
    TerminateJobObject: { args: ['u64', 'u32'], returns: 'i32' },
    FreeConsole: { args: [], returns: 'i32' },
    GetConsoleProcessList: { args: ['ptr', 'u32'], returns: 'u32' },
    GetStdHandle: { args: ['u32'], returns: 'u64' },
    GetFileType: { args: ['u64'], returns: 'u32' },
    SetThreadExecutionState: { args: ['u32'], returns: 'u32' },
    SetErrorMode: { args: ['u32'], returns: 'u32' },
  });
  // SEM_FAILCRITICALERRORS and SEM_NOOPENFILEERRORBOX: an empty drive is an error for us, never a dialogue for the user.
  functions.SetErrorMode(0x8001);

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
    memoryStatus: () => filled(MEMORYSTATUSEX, (place) => functions.GlobalMemoryStatusEx(place)),
    /** A PERFORMANCE_INFORMATION. */
    performanceInfo: () =>
      filled(PERFORMANCE_INFORMATION, (place) => functions.K32GetPerformanceInfo(place, PERFORMANCE_INFORMATION.size)),
    /** A SYSTEM_POWER_STATUS. */
    powerStatus: () => filled(SYSTEM_POWER_STATUS, (place) => functions.GetSystemPowerStatus(place), false),
    /** Whether the calling thread keeps the system awake while it is unused. false: the call failed. */
    // ES_CONTINUOUS, and ES_SYSTEM_REQUIRED.
    keepAwake: (on: boolean) => functions.SetThreadExecutionState(on ? 0x80000001 : 0x80000000) !== 0,
    /** Closes its window if no other process uses it. */
    leaveConsole: () => void functions.FreeConsole(),
    /** Output goes to a file, a pipe, or a console that another program uses as well, such as a shell. */
    isOutputSeen(): boolean {
      // STD_OUTPUT_HANDLE; FILE_TYPE_DISK or FILE_TYPE_PIPE.
      const isRedirected = [1, 3].includes(functions.GetFileType(functions.GetStdHandle(0xfffffff5)));
      return isRedirected || functions.GetConsoleProcessList(pinned(8), 2) > 1;
    },
    /** Milliseconds since the start of the system. */
    tickCount: () => Number(functions.GetTickCount64()),
    /** Milliseconds that the system has slept since its start. */
    asleepMs() {
      const awake = slot();
      functions.QueryUnbiasedInterruptTime(awake.place);
      return Number(functions.GetTickCount64()) - awake.u64() / 10_000;
    },
    /** A name of the machine: 1 is that of DNS, 3 that with its domain. */
    computerName: (kind: number) =>
      text(1024, (place, characters) => functions.GetComputerNameExW(kind, place, slot(characters).place)),
    /** The SMBIOS tables of the firmware, after eight bytes of Windows. */
    firmwareTable(): Uint8Array | null {
      // 'RSMB'.
      const bytes = pinned(65_536);
      const length = functions.GetSystemFirmwareTable(0x52534d42, 0, bytes, bytes.length);
      return length === 0 || length > bytes.length ? null : bytes.slice(0, length);
    },
    processImage(pid: number): string | null {
      // PROCESS_QUERY_LIMITED_INFORMATION: also for most processes of other users.
      const handle = functions.OpenProcess(0x1000, 0, pid);
      if (handle === 0n) return null;
      try {
        return text(LONG_PATH, (place, characters) =>
          functions.QueryFullProcessImageNameW(handle, 0, place, slot(characters).place),
        );
      } finally {
        functions.CloseHandle(handle);
      }
    },
    /** A bit for each letter. */
    logicalDrives: () => functions.GetLogicalDrives(),
    /** 2 removable, 3 fixed, 4 network, 5 CD, 6 RAM. */
    driveType: (root: string) => functions.GetDriveTypeW(wide(root)),
    volume(
      root: string,
    ): { label: string; serial: number; longestName: number; flags: number; fileSystem: string } | null {
      const [label, fileSystem] = [pinned(2 * MAX_PATH), pinned(2 * MAX_PATH)];
      const [serial, longestName, flags] = [slot(), slot(), slot()];
      const places = [serial.place, longestName.place, flags.place] as const;
      if (!functions.GetVolumeInformationW(wide(root), label, MAX_PATH, ...places, fileSystem, MAX_PATH)) return null;
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
      text(100, (place, characters) => functions.GetVolumeNameForVolumeMountPointW(wide(root), place, characters)),
    /** The share of a network drive, or the device of a letter. */
    dosDevice: (name: string) =>
      text(LONG_PATH, (place, characters) => functions.QueryDosDeviceW(wide(name), place, characters)),
    space(root: string): { available: number; total: number; free: number } | null {
      const [available, total, free] = [slot(), slot(), slot()];
      if (!functions.GetDiskFreeSpaceExW(wide(root), available.place, total.place, free.place)) return null;
      return { available: available.u64(), total: total.u64(), free: free.u64() };
    },
    /** Puts a process and its future descendants into a new job; 0: refused. */
    adoptIntoJob(pid: number): number {
      const job = functions.CreateJobObjectW(0, 0);
      // PROCESS_TERMINATE and PROCESS_SET_QUOTA.
      const handle = functions.OpenProcess(0x101, 0, pid);
      const adopted = handle !== 0n && functions.AssignProcessToJobObject(job, handle) !== 0;
      if (handle !== 0n) functions.CloseHandle(handle);
      if (!adopted) functions.CloseHandle(job);
      return adopted ? Number(job) : 0;
    },
    endJob: (job: number) => void functions.TerminateJobObject(job, 1),
    /** Releases the job; its processes keep running. */
    closeJob: (job: number) => void functions.CloseHandle(job),
    /** The output of a driver; `size`: maximum in bytes. */
    deviceControl(device: string, code: number, input: number[], size: number): Uint8Array | null {
      // A query needs no access rights; shared with all; OPEN_EXISTING.
      const handle = functions.CreateFileW(wide(device), 0, 3, 0, 3, 0, 0);
      if (handle === -1n) return null;
      const [inputBuffer, output, length] = [pinned(Math.max(1, input.length)), pinned(size), slot()];
      inputBuffer.set(input);
      try {
        const asked = functions.DeviceIoControl(handle, code, inputBuffer, input.length, output, size, length.place, 0);
        return asked === 0 ? null : output.slice(0, length.u32());
      } finally {
        functions.CloseHandle(handle);
      }
    },
  };
}
