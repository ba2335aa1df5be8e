import { address, memoryAt, pinned } from '../../../host/ffi.ts';
import { openHiddenWindow } from '../../../host/windows/native/hidden-window.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { wide } from '../../../host/windows/native/memory.ts';
import { loadOwnIcon } from '../../../host/windows/native/own-icon.ts';
import { NOTIFYICONDATAW } from '../../../host/windows/native/shell32.structs.ts';
import { filledStruct } from '../../../host/windows/native/structs.ts';
import { POINT } from '../../../host/windows/native/user32.structs.ts';
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
  const icon = filledStruct(NOTIFYICONDATAW, {
    cbSize: NOTIFYICONDATAW.size,
    hWnd: window.handle,
    uID: 1,
    uFlags: NIF_MESSAGE | NIF_ICON | NIF_TIP,
    uCallbackMessage: ICON_MESSAGE,
    hIcon: loadOwnIcon(),
    szTip: tip.slice(0, 127).toWellFormed(),
  });
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
