import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { devicePaths } from '../../../host/windows/native/device-paths.ts';
import { slot, wide } from '../../../host/windows/native/memory.ts';
import { IO_STATUS_BLOCK } from '../../../host/windows/native/ntdll.structs.ts';
import { readStruct, readStructs } from '../../../host/windows/native/structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import { HIDP_CAPS, HIDP_VALUE_CAPS } from './hid.structs.ts';

export type HidReports = ReturnType<typeof openHidReports>;

const hidInterface = '4d1e55b2-f16f-11cf-88cb-001111000030';
/** Read and write, shared, existing, overlapped. */
const ACCESS = 0xc0000000;
const SHARED = 3;
const OPEN_EXISTING = 3;
const OVERLAPPED = 0x40000000;
const { PENDING, OUTPUT, SUCCESS } = { PENDING: 0x103, OUTPUT: 1, SUCCESS: 0x110000 };
/** Longer than any report of the supported devices. */
const longestReport = 4096;
const mostReports = 128;

/** One overlapped operation; Windows writes into it until it completes. Not by kernel32, which reports errors only through GetLastError, which another call may have overwritten. */
interface Transfer {
  bytes: Uint8Array<ArrayBuffer>;
  status: Uint8Array<ArrayBuffer>;
}

interface Connection {
  reading: Transfer | null;
  writing: Transfer | null;
}

export const hidLibrary = defineLibrary('hid', openHidReports);

/** hid.dll and related functions: HID devices. No call waits for a device. Never executed on Windows. */
function openHidReports() {
  const connections = new Map<number, Connection>();
  /** Cancelled operations, until Windows has completed them. */
  let abandoned: Transfer[] = [];
  const start = pinned(8);

  /** null: the device does not support it. */
  const begin = (ask: typeof win32.NtReadFile, device: number, bytes: Uint8Array<ArrayBuffer>): Transfer | null => {
    const status = pinned(IO_STATUS_BLOCK.size);
    new DataView(status.buffer).setInt32(0, PENDING, true);
    const result = ask(device, 0, 0, 0, address(status), address(bytes), bytes.length, address(start), 0);
    return result < 0 ? null : { bytes, status };
  };
  /** Bytes; null: in progress; NaN: it failed. */
  const doneOf = ({ status }: Transfer): number | null => {
    const { Status, Information } = readStruct(IO_STATUS_BLOCK, status);
    if (Status === PENDING) return null;
    return Status < 0 ? Number.NaN : Information;
  };

  return {
    /** Paths of the devices, such as `\\?\hid#vid_1e71&pid_2007&mi_00#7&1a2b&0&0000#{…}`. */
    list: () => devicePaths(hidInterface),
    /** A shared handle; 0: missing, or not accessible. */
    open(path: string): number {
      abandoned = abandoned.filter((given) => doneOf(given) === null);
      const device = Number(win32.CreateFileW(wide(path), ACCESS, SHARED, 0, OPEN_EXISTING, OVERLAPPED, 0));
      if (device <= 0) return 0;
      connections.set(device, { reading: null, writing: null });
      return device;
    },
    /** Bytes of its output reports without their number, by that number; 0 where they have none. Windows reports only the longest of them. */
    outputs(device: number): [number: number, bytes: number][] {
      const [parsed, caps] = [slot(), pinned(HIDP_CAPS.size)];
      if (win32.HidD_GetPreparsedData(device, parsed.place) === 0) return [];
      try {
        if (win32.HidP_GetCaps(parsed.i64(), address(caps)) !== SUCCESS) return [];
        const { OutputReportByteLength: length, NumberOutputValueCaps: count } = readStruct(HIDP_CAPS, caps);
        if (length === 0 || count === 0) return [];
        const [values, number] = [pinned(HIDP_VALUE_CAPS.size * count), slot(count)];
        if (win32.HidP_GetValueCaps(OUTPUT, address(values), number.place, parsed.i64()) !== SUCCESS) return [];
        const ids = new Set(readStructs(HIDP_VALUE_CAPS, values).map(({ ReportID }) => ReportID));
        return [...ids].map((id) => [id, length - 1]);
      } finally {
        win32.HidD_FreePreparsedData(parsed.i64());
      }
    },
    /** Reports since the last call, oldest first, without the number where there are none. null: the device is gone. */
    received(device: number): Uint8Array[] | null {
      const connection = connections.get(device);
      if (connection === undefined) return null;
      const reports: Uint8Array[] = [];
      while (reports.length < mostReports) {
        connection.reading ??= begin(win32.NtReadFile, device, pinned(longestReport));
        if (connection.reading === null) return null;
        const length = doneOf(connection.reading);
        if (length === null) return reports;
        if (Number.isNaN(length)) return null;
        const { bytes } = connection.reading;
        reports.push(bytes.slice(bytes[0] === 0 ? 1 : 0, length));
        connection.reading = null;
      }
      return reports;
    },
    /** Starts to send one report; false: it is not accepted, or another one is being sent. */
    send(device: number, report: Uint8Array): boolean {
      const connection = connections.get(device);
      if (connection === undefined || (connection.writing !== null && doneOf(connection.writing) === null))
        return false;
      const bytes = pinned(report.length);
      bytes.set(report);
      connection.writing = begin(win32.NtWriteFile, device, bytes);
      return connection.writing !== null;
    },
    /** Whether it was accepted; null: being sent. */
    wasSent(device: number): boolean | null {
      const writing = connections.get(device)?.writing;
      if (writing === null || writing === undefined) return false;
      const done = doneOf(writing);
      return done === null ? null : !Number.isNaN(done);
    },
    close(device: number): void {
      const connection = connections.get(device);
      if (connection === undefined) return;
      connections.delete(device);
      for (const left of [connection.reading, connection.writing]) if (left !== null) abandoned.push(left);
      win32.CancelIoEx(device, 0);
      win32.CloseHandle(device);
    },
  };
}
