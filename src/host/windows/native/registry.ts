import { pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot, wide } from './memory.ts';
import { wideText } from './structs.ts';

/** The registry, in the 64-bit view. */
export type WindowsRegistry = ReturnType<typeof openRegistry>;

type RegistryRoot = 'HKLM' | 'HKCU';

const roots: Record<RegistryRoot, bigint> = { HKLM: 0xffffffff80000002n, HKCU: 0xffffffff80000001n };
/** KEY_READ and KEY_WOW64_64KEY. */
const reading = 0x20119;
const { RRF_RT_ANY, RRF_SUBKEY_WOW6464KEY } = { RRF_RT_ANY: 0xffff, RRF_SUBKEY_WOW6464KEY: 0x10000 };
const { REG_DWORD, REG_QWORD, REG_SZ } = { REG_DWORD: 4, REG_QWORD: 11, REG_SZ: 1 };
const longestValue = 65_536;

export function openRegistry() {
  const functions = systemLibrary('advapi32.dll', {
    RegGetValueW: { args: ['u64', 'ptr', 'ptr', 'u32', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    RegOpenKeyExW: { args: ['u64', 'ptr', 'u32', 'u32', 'ptr'], returns: 'i32' },
    RegCreateKeyExW: { args: ['u64', 'ptr', 'u32', 'u64', 'u32', 'u32', 'u64', 'ptr', 'u64'], returns: 'i32' },
    RegSetValueExW: { args: ['u64', 'ptr', 'u32', 'u32', 'ptr', 'u32'], returns: 'i32' },
    RegDeleteKeyValueW: { args: ['u64', 'ptr', 'ptr'], returns: 'i32' },
    RegDeleteTreeW: { args: ['u64', 'ptr'], returns: 'i32' },
    RegEnumKeyExW: { args: ['u64', 'u32', 'ptr', 'ptr', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    RegCloseKey: { args: ['u64'], returns: 'i32' },
  });
  const readValue = (root: RegistryRoot, key: string, name: string) => {
    const [bytes, kind, size] = [pinned(longestValue), slot(), slot(longestValue)];
    const flags = RRF_RT_ANY | RRF_SUBKEY_WOW6464KEY;
    const status = functions.RegGetValueW(roots[root], wide(key), wide(name), flags, kind.place, bytes, size.place);
    return status === 0 ? { kind: kind.u32(), bytes: bytes.subarray(0, size.u32()) } : null;
  };

  return {
    /** Text or number of a value; null: absent. Of a list of texts the first. */
    value(root: RegistryRoot, key: string, name: string): string | number | null {
      const found = readValue(root, key, name);
      if (found === null) return null;
      return found.kind === REG_DWORD ? new DataView(found.bytes.buffer).getUint32(0, true) : wideText(found.bytes);
    },
    /** Numbers of 64 bits, such as times. */
    bigValue(root: RegistryRoot, key: string, name: string): number | null {
      const found = readValue(root, key, name);
      return found?.kind === REG_QWORD ? Number(new DataView(found.bytes.buffer).getBigUint64(0, true)) : null;
    },
    hasKey(root: RegistryRoot, key: string): boolean {
      const handle = slot();
      if (functions.RegOpenKeyExW(roots[root], wide(key), 0, reading, handle.place) !== 0) return false;
      functions.RegCloseKey(handle.i64());
      return true;
    },
    keys(root: RegistryRoot, key: string): string[] {
      const handle = slot();
      if (functions.RegOpenKeyExW(roots[root], wide(key), 0, reading, handle.place) !== 0) return [];
      const found: string[] = [];
      const name = pinned(512);
      while (functions.RegEnumKeyExW(handle.i64(), found.length, name, slot(256).place, 0, 0, 0, 0) === 0)
        found.push(wideText(name));
      functions.RegCloseKey(handle.i64());
      return found;
    },
    /** Writes a text value, and creates its key if needed; false: it was refused. */
    setText(root: RegistryRoot, key: string, name: string, text: string): boolean {
      const handle = slot();
      const access = reading | 0x2;
      if (functions.RegCreateKeyExW(roots[root], wide(key), 0, 0, 0, access, 0, handle.place, 0) !== 0) return false;
      const bytes = wide(text);
      const status = functions.RegSetValueExW(handle.i64(), wide(name), 0, REG_SZ, bytes, bytes.length);
      functions.RegCloseKey(handle.i64());
      return status === 0;
    },
    removeValue: (root: RegistryRoot, key: string, name: string) =>
      functions.RegDeleteKeyValueW(roots[root], wide(key), wide(name)) === 0,
    /** With all keys below it. */
    removeKey: (root: RegistryRoot, key: string) => functions.RegDeleteTreeW(roots[root], wide(key)) === 0,
  };
}
