import { address, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot, textAt, wide } from './memory.ts';

/** shell32.dll. */
export interface Shell32 {
  /** Where a folder of the user is, by its GUID; null: there is none. */
  knownFolder(id: string): string | null;
  /** Opens an address or a file with the program the user prefers for it. Above 32: it was begun; else an error such as 31, no program. */
  open(target: string): number;
}

export function openShell32(): Shell32 {
  const { SHGetKnownFolderPath, ShellExecuteW } = systemLibrary('shell32.dll', {
    ShellExecuteW: { args: ['u64', 'ptr', 'ptr', 'u64', 'u64', 'i32'], returns: 'u64' },
    SHGetKnownFolderPath: { args: ['ptr', 'u32', 'u64', 'ptr'], returns: 'i32' },
  });
  const { CoTaskMemFree } = systemLibrary('ole32.dll', { CoTaskMemFree: { args: ['u64'], returns: 'void' } });
  return {
    // SW_SHOWNORMAL.
    open: (target) => Number(ShellExecuteW(0, wide('open'), wide(target), 0, 0, 1)),
    knownFolder(id) {
      const [guid, text] = [pinned(16), slot()];
      guid.set(guidBytes(id));
      const status = SHGetKnownFolderPath(address(guid), 0, 0, text.place);
      const found = status < 0 ? null : textAt(text.u64());
      // Also where it failed, says its documentation.
      CoTaskMemFree(text.u64());
      return found;
    },
  };
}

/** A GUID as Windows keeps it: the first three numbers in the order of the machine, the rest byte by byte. */
export function guidBytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/[{}-]/g, '');
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error(`"${text}" is not a GUID`);
  const bytes = Array.from({ length: 16 }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16));
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return Uint8Array.from(order.map((from) => bytes[from] ?? 0));
}
