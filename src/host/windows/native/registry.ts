import { pinned } from '../../ffi.ts';
import { slot, wide } from './memory.ts';
import { wideText } from './structs.ts';
import { win32 } from './win32.ts';

type RegistryRoot = 'HKLM' | 'HKCU';

const roots: Record<RegistryRoot, bigint> = { HKLM: 0xffffffff80000002n, HKCU: 0xffffffff80000001n };
/** KEY_READ and KEY_WOW64_64KEY. */
const reading = 0x20119;
const { RRF_RT_ANY, RRF_SUBKEY_WOW6464KEY } = { RRF_RT_ANY: 0xffff, RRF_SUBKEY_WOW6464KEY: 0x10000 };
const { REG_DWORD, REG_QWORD, REG_SZ } = { REG_DWORD: 4, REG_QWORD: 11, REG_SZ: 1 };
/** Characters, and bytes. */
const { longestName, longestValue } = { longestName: 16_384, longestValue: 65_536 };

/** The registry, in the 64-bit view. */
export function openRegistry() {
  const readValue = (root: RegistryRoot, key: string, name: string) => {
    const [bytes, kind, size] = [pinned(longestValue), slot(), slot(longestValue)];
    const flags = RRF_RT_ANY | RRF_SUBKEY_WOW6464KEY;
    const status = win32.RegGetValueW(roots[root], wide(key), wide(name), flags, kind.place, bytes, size.place);
    return status === 0 ? { kind: kind.u32(), bytes: bytes.subarray(0, size.u32()) } : null;
  };

  /** null: it does not exist, or is not readable. */
  const withKey = <T>(root: RegistryRoot, key: string, use: (key: bigint) => T): T | null => {
    const handle = slot();
    if (win32.RegOpenKeyExW(roots[root], wide(key), 0, reading, handle.place) !== 0) return null;
    try {
      return use(handle.i64());
    } finally {
      win32.RegCloseKey(handle.i64());
    }
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
    hasKey: (root: RegistryRoot, key: string): boolean => withKey(root, key, () => true) ?? false,
    keys: (root: RegistryRoot, key: string): string[] =>
      withKey(root, key, (handle) => {
        const found: string[] = [];
        const name = pinned(512);
        while (win32.RegEnumKeyExW(handle, found.length, name, slot(256).place, 0, 0, 0, 0) === 0)
          found.push(wideText(name));
        return found;
      }) ?? [],
    /** The texts of all values of a key. */
    texts: (root: RegistryRoot, key: string): string[] =>
      withKey(root, key, (handle) => {
        const texts: string[] = [];
        const [name, value] = [pinned(2 * longestName), pinned(longestValue)];
        for (let index = 0; ; index += 1) {
          const [length, kind, size] = [slot(longestName), slot(), slot(longestValue)];
          if (win32.RegEnumValueW(handle, index, name, length.place, 0, kind.place, value, size.place) !== 0)
            return texts;
          if (kind.u32() === REG_SZ) texts.push(wideText(value.subarray(0, size.u32())));
        }
      }) ?? [],
    /** Writes a text value, and creates its key if needed; false: it was refused. */
    setText(root: RegistryRoot, key: string, name: string, text: string): boolean {
      const handle = slot();
      const access = reading | 0x2;
      if (win32.RegCreateKeyExW(roots[root], wide(key), 0, 0, 0, access, 0, handle.place, 0) !== 0) return false;
      const bytes = wide(text);
      const status = win32.RegSetValueExW(handle.i64(), wide(name), 0, REG_SZ, bytes, bytes.length);
      win32.RegCloseKey(handle.i64());
      return status === 0;
    },
    removeValue: (root: RegistryRoot, key: string, name: string) =>
      win32.RegDeleteKeyValueW(roots[root], wide(key), wide(name)) === 0,
    /** With all keys below it. */
    removeKey: (root: RegistryRoot, key: string) => win32.RegDeleteTreeW(roots[root], wide(key)) === 0,
  };
}
