import { pinned } from '../../../host/ffi.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot, wide } from '../../../host/windows/native/memory.ts';
import { wideText } from '../../../host/windows/native/structs.ts';

/** HKEY_LOCAL_MACHINE, KEY_READ with KEY_WOW64_64KEY, REG_SZ. */
const { HKLM, READ, REG_SZ } = { HKLM: 0xffffffff80000002n, READ: 0x20119, REG_SZ: 1 };
const { NAME_CHARACTERS, VALUE_BYTES } = { NAME_CHARACTERS: 16_384, VALUE_BYTES: 65_536 };

/** All texts below a key of the machine; empty if the key does not exist. */
export function machineTexts(key: string): string[] {
  const { RegOpenKeyExW, RegEnumValueW, RegCloseKey } = systemLibrary('advapi32.dll', {
    RegOpenKeyExW: { args: ['u64', 'ptr', 'u32', 'u32', 'ptr'], returns: 'i32' },
    RegEnumValueW: { args: ['u64', 'u32', 'ptr', 'ptr', 'u64', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    RegCloseKey: { args: ['u64'], returns: 'i32' },
  });
  const handle = slot();
  if (RegOpenKeyExW(HKLM, wide(key), 0, READ, handle.place) !== 0) return [];
  const texts: string[] = [];
  const [name, value] = [pinned(2 * NAME_CHARACTERS), pinned(VALUE_BYTES)];
  for (let index = 0; ; index += 1) {
    const [length, kind, size] = [slot(NAME_CHARACTERS), slot(), slot(VALUE_BYTES)];
    if (RegEnumValueW(handle.i64(), index, name, length.place, 0, kind.place, value, size.place) !== 0) break;
    if (kind.u32() === REG_SZ) texts.push(wideText(value.subarray(0, size.u32())));
  }
  RegCloseKey(handle.i64());
  return texts;
}
