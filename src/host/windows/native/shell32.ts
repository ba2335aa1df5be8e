import { address, pinned } from '../../ffi.ts';
import { guidBytes } from './guid.ts';
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
