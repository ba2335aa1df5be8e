import { address, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot, textAt, wide } from './memory.ts';
import { createBalloons, iconOrders } from './notify-icon-messages.ts';
import { loadOwnIcon } from './own-icon.ts';
import { NOTIFYICONDATAW } from './shell32.structs.ts';

/** shell32.dll. */
export type Shell32 = ReturnType<typeof openShell32>;

const { NIF_ICON, NIF_TIP, NIF_INFO } = { NIF_ICON: 2, NIF_TIP: 4, NIF_INFO: 0x10 };

export function openShell32() {
  const { SHGetKnownFolderPath, ShellExecuteW } = systemLibrary('shell32.dll', {
    ShellExecuteW: { args: ['u64', 'ptr', 'ptr', 'u64', 'u64', 'i32'], returns: 'u64' },
    SHGetKnownFolderPath: { args: ['ptr', 'u32', 'u64', 'ptr'], returns: 'i32' },
  });
  const { Shell_NotifyIconW, SHQueryUserNotificationState } = systemLibrary('shell32.dll', {
    SHQueryUserNotificationState: { args: ['ptr'], returns: 'i32' },
    Shell_NotifyIconW: { args: ['u32', 'ptr'], returns: 'i32' },
  });
  const openWindow = () => {
    const { CreateWindowExW } = systemLibrary('user32.dll', {
      CreateWindowExW: {
        args: ['u32', 'ptr', 'ptr', 'u32', 'i32', 'i32', 'i32', 'i32', 'i64', 'u64', 'u64', 'u64'],
        returns: 'u64',
      },
    });
    return Number(CreateWindowExW(0, wide('STATIC'), wide('Hostler'), 0, 0, 0, 0, 0, 0, 0, 0, 0));
  };
  const { CoTaskMemFree } = systemLibrary('ole32.dll', { CoTaskMemFree: { args: ['u64'], returns: 'void' } });
  const balloons = createBalloons({
    openWindow,
    order(order, window, title, text) {
      const bytes = pinned(NOTIFYICONDATAW.size);
      const view = new DataView(bytes.buffer);
      const { cbSize, hWnd, uID, uFlags, hIcon, szTip, szInfo, szInfoTitle } = NOTIFYICONDATAW.fields;
      view.setUint32(cbSize[0], bytes.length, true);
      view.setBigUint64(hWnd[0], BigInt(window), true);
      view.setUint32(uID[0], 2, true);
      view.setUint32(uFlags[0], NIF_ICON | NIF_TIP | NIF_INFO, true);
      view.setBigUint64(hIcon[0], BigInt(loadOwnIcon()), true);
      bytes.set(wide('Hostler'), szTip[0]);
      // Each ends with a NUL, without half characters.
      bytes.set(wide(text.slice(0, 255).toWellFormed()), szInfo[0]);
      bytes.set(wide(title.slice(0, 63).toWellFormed()), szInfoTitle[0]);
      return Shell_NotifyIconW(iconOrders[order], address(bytes)) !== 0;
    },
  });
  return {
    /** Opens an address or a file with the program the user prefers for it. Above 32: success; else an error such as 31, no program. */
    // SW_SHOWNORMAL.
    open: (target: string) => Number(ShellExecuteW(0, wide('open'), wide(target), 0, 0, 1)),
    /** What suppresses notifications: 2 and 3 a full-screen program, 4 a presentation, 5 nothing …; null: not reported. */
    notificationState(): number | null {
      const state = slot();
      return SHQueryUserNotificationState(state.place) < 0 ? null : state.u32();
    },
    /** Shows a balloon without buttons; false: there is no desktop. */
    balloon: balloons.show,
    /** Removes the icon of the balloons. */
    close: balloons.close,
    /** Where a folder of the user is, by its GUID; null: it does not exist. */
    knownFolder(id: string): string | null {
      const [guid, text] = [pinned(16), slot()];
      guid.set(guidBytes(id));
      const status = SHGetKnownFolderPath(address(guid), 0, 0, text.place);
      const found = status < 0 ? null : textAt(text.u64());
      // Also after a failure, by its documentation.
      CoTaskMemFree(text.u64());
      return found;
    },
  };
}

/** A GUID in memory: the first three numbers in the order of the machine, the rest byte by byte. */
export function guidBytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/[{}-]/g, '');
  if (!/^[0-9a-f]{32}$/i.test(digits)) throw new Error(`"${text}" is not a GUID`);
  const bytes = Array.from({ length: 16 }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16));
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return Uint8Array.from(order.map((from) => bytes[from] ?? 0));
}
