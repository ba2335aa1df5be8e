import { address, addressOf, pinned } from '../../ffi.ts';
import { slot } from './memory.ts';
import { PEB, PROCESS_BASIC_INFORMATION, RTL_OSVERSIONINFOEXW, RTL_USER_PROCESS_PARAMETERS } from './ntdll.structs.ts';
import { readStruct, type StructBlock, wideText } from './structs.ts';
import { win32 } from './win32.ts';

/** Enough for most machines; otherwise the call is repeated with the size that the kernel requires. */
const usualBytes = 1 << 18;
const STATUS_INFO_LENGTH_MISMATCH = 0xc0000004 | 0;

/** ntdll.dll: information of the kernel. null: not available. */
export function openNtdll() {
  let buffer = pinned(usualBytes);

  /** PROCESS_QUERY_INFORMATION and PROCESS_VM_READ. */
  const open = (pid: number) => {
    const [handle, attributes, client] = [slot(), pinned(48), pinned(16)];
    new DataView(attributes.buffer).setUint32(0, 48, true);
    new DataView(client.buffer).setBigUint64(0, BigInt(pid), true);
    const status = win32.NtOpenProcess(handle.place, 0x410, attributes, client);
    return status < 0 ? null : handle.i64();
  };
  const read = (handle: bigint, from: number, bytes: number) => {
    const into = pinned(bytes);
    const status = win32.NtReadVirtualMemory(handle, from, address(into), bytes, slot().place);
    return status < 0 ? null : new DataView(into.buffer);
  };
  const pointerAt = (handle: bigint, from: number) => Number(read(handle, from, 8)?.getBigUint64(0, true) ?? 0n);

  return {
    /** Do not disturb: 0 off, 1 priority only, 2 alarms only. Undocumented. */
    quietHours,
    /** NtQuerySystemInformation; 2 counters, 5 processes, 8 processors, 18 page files. */
    systemInformation(kind: number): StructBlock | null {
      for (let tries = 0; tries < 4; tries++) {
        const length = slot();
        const status = win32.NtQuerySystemInformation(kind, address(buffer), buffer.length, length.place);
        if (status >= 0) return { at: addressOf(buffer), bytes: buffer.slice(0, length.u32()) };
        if (status !== STATUS_INFO_LENGTH_MISMATCH) return null;
        // Processes may start meanwhile.
        buffer = pinned(Math.max(2 * buffer.length, length.u32() + 65_536));
      }
      return null;
    },
    /** An RTL_OSVERSIONINFOEXW: unlike GetVersionEx it is never adjusted for compatibility. */
    version(): Uint8Array | null {
      const bytes = pinned(RTL_OSVERSIONINFOEXW.size);
      new DataView(bytes.buffer).setUint32(0, bytes.length, true);
      return win32.RtlGetVersion(address(bytes)) < 0 ? null : bytes;
    },
    processDirectory(pid: number): string | null {
      const handle = open(pid);
      if (handle === null) return null;
      try {
        const basic = pinned(PROCESS_BASIC_INFORMATION.size);
        if (win32.NtQueryInformationProcess(handle, 0, address(basic), basic.length, slot().place) < 0) return null;
        const { PebBaseAddress: peb } = readStruct(PROCESS_BASIC_INFORMATION, basic);
        const parameters = pointerAt(handle, peb + PEB.fields.ProcessParameters[0]);
        const { fields } = RTL_USER_PROCESS_PARAMETERS;
        const length = read(handle, parameters + fields['CurrentDirectory.DosPath.Length'][0], 2)?.getUint16(0, true);
        const text = pointerAt(handle, parameters + fields['CurrentDirectory.DosPath.Buffer'][0]);
        const view = length && text !== 0 ? read(handle, text, length) : null;
        return view === null || view === undefined ? null : wideText(new Uint8Array(view.buffer)) || null;
      } finally {
        win32.NtClose(handle);
      }
    },
  };
}

/** WNF_SHEL_QUIETHOURS_ACTIVE_PROFILE_CHANGED. Never executed on Windows; Wine does not have it. */
const quietHoursName = 0x0d83063ea3bf1c75n;

function quietHours(): number | null {
  const [name, stamp, value, size] = [pinned(8), slot(), slot(), slot(4)];
  new DataView(name.buffer).setBigUint64(0, quietHoursName, true);
  try {
    const status = win32.NtQueryWnfStateData(address(name), 0, 0, stamp.place, value.place, size.place);
    return status < 0 || size.u32() !== 4 ? null : value.u32();
  } catch {
    return null;
  }
}
