import { guidBytes } from './guid.ts';
import { slot, textAt, wide } from './memory.ts';
import { createBalloons, iconOrders } from './notify-icon-messages.ts';
import { loadOwnIcon } from './own-icon.ts';
import { NOTIFYICONDATAW } from './shell32.structs.ts';
import { filledStruct } from './structs.ts';
import { win32 } from './win32.ts';

export type Shell32 = ReturnType<typeof openShell32>;

const { NIF_ICON, NIF_TIP, NIF_INFO } = { NIF_ICON: 2, NIF_TIP: 4, NIF_INFO: 0x10 };

export function openShell32() {
  const openWindow = () => Number(win32.CreateWindowExW(0, wide('STATIC'), wide('Hostler'), 0, 0, 0, 0, 0, 0, 0, 0, 0));
  const balloons = createBalloons({
    openWindow,
    order(order, window, title, text) {
      const data = filledStruct(NOTIFYICONDATAW, {
        cbSize: NOTIFYICONDATAW.size,
        hWnd: window,
        uID: 2,
        uFlags: NIF_ICON | NIF_TIP | NIF_INFO,
        hIcon: loadOwnIcon(),
        szTip: 'Hostler',
        // Room for a NUL is left, without half characters.
        szInfo: text.slice(0, 255).toWellFormed(),
        szInfoTitle: title.slice(0, 63).toWellFormed(),
      });
      return win32.Shell_NotifyIconW(iconOrders[order], data) !== 0;
    },
  });
  return {
    /** Opens an address or a file with the program the user prefers for it. Above 32: success; else an error such as 31, no program. */
    // SW_SHOWNORMAL.
    open: (target: string) => Number(win32.ShellExecuteW(0, wide('open'), wide(target), 0, 0, 1)),
    /** What suppresses notifications: 2 and 3 a full-screen program, 4 a presentation, 5 nothing …; null: not reported. */
    notificationState(): number | null {
      const state = slot();
      return win32.SHQueryUserNotificationState(state.place) < 0 ? null : state.u32();
    },
    /** Shows a balloon without buttons; false: there is no desktop. */
    balloon: balloons.show,
    close: balloons.close,
    /** Where a folder of the user is, by its GUID; null: it does not exist. */
    knownFolder(id: string): string | null {
      const text = slot();
      const status = win32.SHGetKnownFolderPath(guidBytes(id), 0, 0, text.place);
      const found = status < 0 ? null : textAt(text.u64());
      // Also after a failure, by its documentation.
      win32.CoTaskMemFree(text.u64());
      return found;
    },
  };
}
