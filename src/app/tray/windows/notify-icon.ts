import { address, memoryAt, pinned } from '../../../host/ffi.ts';
import { openHiddenWindow } from '../../../host/windows/native/hidden-window.ts';
import { wide } from '../../../host/windows/native/memory.ts';
import { loadOwnIcon } from '../../../host/windows/native/own-icon.ts';
import { NOTIFYICONDATAW } from '../../../host/windows/native/shell32.structs.ts';
import { filledStruct } from '../../../host/windows/native/structs.ts';
import { POINT } from '../../../host/windows/native/user32.structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import type { TrayItem } from '../tray.contract.ts';

const title = 'Hostler tray';
const NIM_ADD = 0;
const NIM_DELETE = 2;
const NIF_MESSAGE = 1;
const NIF_ICON = 2;
const NIF_TIP = 4;
/** The message of the icon to its window, followed by the message of the mouse or the keyboard. */
const ICON_MESSAGE = 0x8001;
const LEFT_UP = 0x202;
const RIGHT_UP = 0x205;
const CONTEXT_MENU = 0x7b;
const RETURN_CHOICE = 0x100;
const RIGHT_BUTTON = 2;
const SEPARATOR = 0x800;
const CF_UNICODETEXT = 13;
const MOVEABLE = 2;

/** A tray icon with a menu. For its own thread, which waits while the menu is open. */
export function openTrayIcon(tip: string, items: (TrayItem | null)[], chosen: (id: string) => void) {
  // Sent when the taskbar starts, also again after a crash: then it has lost all icons.
  const taskbarCreated = win32.RegisterWindowMessageW(wide('TaskbarCreated'));
  let wanted: 'menu' | 'first' | null = null;
  const window = openHiddenWindow(title, (message, _first, second) => {
    if (message === taskbarCreated) add();
    if (message !== ICON_MESSAGE) return null;
    const event = second & 0xffff;
    if (event === LEFT_UP) wanted = 'first';
    if (event === RIGHT_UP || event === CONTEXT_MENU) wanted = 'menu';
    return 0;
  });
  const icon = filledStruct(NOTIFYICONDATAW, {
    cbSize: NOTIFYICONDATAW.size,
    hWnd: window.handle,
    uID: 1,
    uFlags: NIF_MESSAGE | NIF_ICON | NIF_TIP,
    uCallbackMessage: ICON_MESSAGE,
    hIcon: loadOwnIcon(),
    szTip: tip.slice(0, 127).toWellFormed(),
  });
  const add = () => win32.Shell_NotifyIconW(NIM_ADD, address(icon)) !== 0;
  const isShown = add();

  const choose = (): TrayItem | null => {
    const menu = win32.CreatePopupMenu();
    for (const [index, item] of items.entries())
      win32.AppendMenuW(menu, item === null ? SEPARATOR : 0, index + 1, wide(item?.label ?? ''));
    const place = pinned(POINT.size);
    win32.GetCursorPos(address(place));
    const at = new DataView(place.buffer);
    // Otherwise it would stay open when the user clicks elsewhere, as documented; so is the message after it.
    win32.SetForegroundWindow(window.handle);
    const [x, y] = [at.getInt32(0, true), at.getInt32(4, true)];
    const number = win32.TrackPopupMenu(menu, RETURN_CHOICE | RIGHT_BUTTON, x, y, 0, window.handle, 0);
    win32.PostMessageW(window.handle, 0, 0, 0);
    win32.DestroyMenu(menu);
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
      win32.Shell_NotifyIconW(NIM_DELETE, address(icon));
      window.close();
    },
  };
}

function copyText(window: number, text: string): void {
  const bytes = wide(text);
  if (win32.OpenClipboard(window) === 0) return;
  win32.EmptyClipboard();
  const memory = win32.GlobalAlloc(MOVEABLE, bytes.length);
  memoryAt(Number(win32.GlobalLock(memory)), bytes.length).set(bytes);
  win32.GlobalUnlock(memory);
  // Windows owns it from now on.
  win32.SetClipboardData(CF_UNICODETEXT, memory);
  win32.CloseClipboard();
}
