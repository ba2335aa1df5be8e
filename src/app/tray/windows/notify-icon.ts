import { address, memoryAt, pinned } from '../../../host/ffi.ts';
import { openHiddenWindow } from '../../../host/windows/native/hidden-window.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { wide } from '../../../host/windows/native/memory.ts';
import { loadOwnIcon } from '../../../host/windows/native/own-icon.ts';
import { NOTIFYICONDATAW } from '../../../host/windows/native/shell32.structs.ts';
import { POINT } from '../../../host/windows/native/user32.structs.ts';
import type { TrayItem } from '../tray.contract.ts';

const title = 'Hostler tray';
const { NIM_ADD, NIM_DELETE, NIF_MESSAGE, NIF_ICON, NIF_TIP } = {
  NIM_ADD: 0,
  NIM_DELETE: 2,
  NIF_MESSAGE: 1,
  NIF_ICON: 2,
  NIF_TIP: 4,
};
/** The message of the icon to its window, followed by the message of the mouse or the keyboard. */
const { ICON_MESSAGE, LEFT_UP, RIGHT_UP, CONTEXT_MENU } = {
  ICON_MESSAGE: 0x8001,
  LEFT_UP: 0x202,
  RIGHT_UP: 0x205,
  CONTEXT_MENU: 0x7b,
};
const { RETURN_CHOICE, RIGHT_BUTTON, SEPARATOR, CF_UNICODETEXT, MOVEABLE } = {
  RETURN_CHOICE: 0x100,
  RIGHT_BUTTON: 2,
  SEPARATOR: 0x800,
  CF_UNICODETEXT: 13,
  MOVEABLE: 2,
};

/** A tray icon with a menu. For its own thread, which waits while the menu is open. */
export function openTrayIcon(tip: string, items: (TrayItem | null)[], chosen: (id: string) => void) {
  const user32 = systemLibrary('user32.dll', {
    RegisterWindowMessageW: { args: ['ptr'], returns: 'u32' },
    CreatePopupMenu: { args: [], returns: 'u64' },
    AppendMenuW: { args: ['u64', 'u32', 'u64', 'ptr'], returns: 'i32' },
    DestroyMenu: { args: ['u64'], returns: 'i32' },
    TrackPopupMenu: { args: ['u64', 'u32', 'i32', 'i32', 'i32', 'u64', 'u64'], returns: 'i32' },
    SetForegroundWindow: { args: ['u64'], returns: 'i32' },
    GetCursorPos: { args: ['ptr'], returns: 'i32' },
    PostMessageW: { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i32' },
  });
  const { Shell_NotifyIconW } = systemLibrary('shell32.dll', {
    Shell_NotifyIconW: { args: ['u32', 'ptr'], returns: 'i32' },
  });
  // Sent when the taskbar starts, also again after a crash: then it has lost all icons.
  const taskbarCreated = user32.RegisterWindowMessageW(wide('TaskbarCreated'));
  let wanted: 'menu' | 'first' | null = null;
  const window = openHiddenWindow(title, (message, _first, second) => {
    if (message === taskbarCreated) add();
    if (message !== ICON_MESSAGE) return null;
    const event = second & 0xffff;
    if (event === LEFT_UP) wanted = 'first';
    if (event === RIGHT_UP || event === CONTEXT_MENU) wanted = 'menu';
    return 0;
  });
  const icon = pinned(NOTIFYICONDATAW.size);
  const view = new DataView(icon.buffer);
  const { cbSize, hWnd, uID, uFlags, uCallbackMessage, hIcon, szTip } = NOTIFYICONDATAW.fields;
  view.setUint32(cbSize[0], icon.length, true);
  view.setBigUint64(hWnd[0], BigInt(window.handle), true);
  view.setUint32(uID[0], 1, true);
  view.setUint32(uFlags[0], NIF_MESSAGE | NIF_ICON | NIF_TIP, true);
  view.setUint32(uCallbackMessage[0], ICON_MESSAGE, true);
  view.setBigUint64(hIcon[0], BigInt(loadOwnIcon()), true);
  icon.set(wide(tip.slice(0, 127).toWellFormed()), szTip[0]);
  const add = () => Shell_NotifyIconW(NIM_ADD, address(icon)) !== 0;
  const isShown = add();

  const choose = (): TrayItem | null => {
    const menu = user32.CreatePopupMenu();
    for (const [index, item] of items.entries())
      user32.AppendMenuW(menu, item === null ? SEPARATOR : 0, index + 1, wide(item?.label ?? ''));
    const place = pinned(POINT.size);
    user32.GetCursorPos(address(place));
    const at = new DataView(place.buffer);
    // Otherwise it would stay open when the user clicks elsewhere, as documented; so is the message after it.
    user32.SetForegroundWindow(window.handle);
    const [x, y] = [at.getInt32(0, true), at.getInt32(4, true)];
    const number = user32.TrackPopupMenu(menu, RETURN_CHOICE | RIGHT_BUTTON, x, y, 0, window.handle, 0);
    user32.PostMessageW(window.handle, 0, 0, 0);
    user32.DestroyMenu(menu);
    return items[number - 1] ?? null;
  };
  return {
    handle: window.handle,
    /** false: there is no taskbar yet; the icon is added when there is one. */
    isShown,
    wait(): void {
      window.wait();
      const now = wanted;
      wanted = null;
      const item = now === 'menu' ? choose() : now === 'first' ? (items[0] ?? null) : null;
      if (item === null) return;
      if (item.copies === undefined) chosen(item.id);
      else copyText(window.handle, item.copies);
    },
    close() {
      Shell_NotifyIconW(NIM_DELETE, address(icon));
      window.close();
    },
  };
}

function copyText(window: number, text: string): void {
  const { OpenClipboard, EmptyClipboard, SetClipboardData, CloseClipboard } = systemLibrary('user32.dll', {
    OpenClipboard: { args: ['u64'], returns: 'i32' },
    EmptyClipboard: { args: [], returns: 'i32' },
    SetClipboardData: { args: ['u32', 'u64'], returns: 'u64' },
    CloseClipboard: { args: [], returns: 'i32' },
  });
  const { GlobalAlloc, GlobalLock, GlobalUnlock } = systemLibrary('kernel32.dll', {
    GlobalAlloc: { args: ['u32', 'u64'], returns: 'u64' },
    GlobalLock: { args: ['u64'], returns: 'u64' },
    GlobalUnlock: { args: ['u64'], returns: 'i32' },
  });
  const bytes = wide(text);
  if (OpenClipboard(window) === 0) return;
  EmptyClipboard();
  const memory = GlobalAlloc(MOVEABLE, bytes.length);
  memoryAt(Number(GlobalLock(memory)), bytes.length).set(bytes);
  GlobalUnlock(memory);
  // Windows owns it from now on.
  SetClipboardData(CF_UNICODETEXT, memory);
  CloseClipboard();
}
