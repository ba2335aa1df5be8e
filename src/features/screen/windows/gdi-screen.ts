import { address, memoryAt, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import type { DesktopPlace } from '../../../host/windows/native/monitors.ts';
import { defineStruct, filledStruct, readStruct } from '../../../host/windows/native/structs.ts';
import { MONITORINFO, RECT } from '../../../host/windows/native/user32.structs.ts';
import { commonArea, createScreenCopy, type Gdi, type ScreenArea } from './screen-copy.ts';

/** The screen, through user32.dll, gdi32.dll and dwmapi.dll. Coordinates are physical pixels of the desktop, whatever the scale of a display. */
export type WindowsScreen = ReturnType<typeof openScreen>;

/** DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2. */
const perMonitor = -4;
/** MONITOR_DEFAULTTONULL. */
const exactly = 0;
const SM_XVIRTUALSCREEN = 76;
const SM_YVIRTUALSCREEN = 77;
const SM_CXVIRTUALSCREEN = 78;
const SM_CYVIRTUALSCREEN = 79;
const DWMWA_EXTENDED_FRAME_BOUNDS = 9;

export const screenLibrary = defineLibrary('screen', openScreen);

function openScreen() {
  const libraries = openLibraries();
  // Otherwise Windows scales coordinates and copies as if every display had 96 dpi.
  libraries.user32.SetThreadDpiAwarenessContext(perMonitor);
  return {
    /** Area of the display that contains this point. */
    displayArea: (place: DesktopPlace) => readDisplayArea(libraries, place),
    /** Visible area of the window with the focus; null: no window has it, or it is not on the desktop. */
    frontArea: () => readFrontArea(libraries),
    /** The visible pixels, from the top row, as 32-bit words with blue in the lowest byte. Blocks, so it runs in a thread. */
    copy: createScreenCopy(gdiOf(libraries)),
  };
}

type Libraries = ReturnType<typeof openLibraries>;

function openLibraries() {
  const user32 = systemLibrary('user32.dll', {
    SetThreadDpiAwarenessContext: { args: ['i64'], returns: 'i64' },
    GetDC: { args: ['u64'], returns: 'u64' },
    ReleaseDC: { args: ['u64', 'u64'], returns: 'i32' },
    GetForegroundWindow: { args: [], returns: 'u64' },
    GetShellWindow: { args: [], returns: 'u64' },
    GetDesktopWindow: { args: [], returns: 'u64' },
    IsIconic: { args: ['u64'], returns: 'i32' },
    GetWindowRect: { args: ['u64', 'ptr'], returns: 'i32' },
    GetSystemMetrics: { args: ['i32'], returns: 'i32' },
    // A POINT by value, which has the size of one number.
    MonitorFromPoint: { args: ['u64', 'u32'], returns: 'u64' },
    GetMonitorInfoW: { args: ['u64', 'ptr'], returns: 'i32' },
  });
  const gdi32 = systemLibrary('gdi32.dll', {
    CreateCompatibleDC: { args: ['u64'], returns: 'u64' },
    DeleteDC: { args: ['u64'], returns: 'i32' },
    CreateDIBSection: { args: ['u64', 'ptr', 'u32', 'ptr', 'u64', 'u32'], returns: 'u64' },
    SelectObject: { args: ['u64', 'u64'], returns: 'u64' },
    DeleteObject: { args: ['u64'], returns: 'i32' },
    BitBlt: { args: ['u64', 'i32', 'i32', 'i32', 'i32', 'u64', 'i32', 'i32', 'u32'], returns: 'i32' },
    GdiFlush: { args: [], returns: 'i32' },
  });
  const dwmapi = systemLibrary('dwmapi.dll', {
    DwmGetWindowAttribute: { args: ['u64', 'u32', 'ptr', 'u32'], returns: 'i32' },
  });
  return { user32, gdi32, dwmapi };
}

function readDisplayArea({ user32 }: Libraries, { x, y }: DesktopPlace): ScreenArea | null {
  const point = (BigInt.asUintN(32, BigInt(y)) << 32n) | BigInt.asUintN(32, BigInt(x));
  const info = filledStruct(MONITORINFO, { cbSize: MONITORINFO.size });
  if (user32.GetMonitorInfoW(user32.MonitorFromPoint(point, exactly), address(info)) === 0) return null;
  const { 'rcMonitor.left': left, 'rcMonitor.top': top, ...rest } = readStruct(MONITORINFO, info);
  return { x: left, y: top, width: rest['rcMonitor.right'] - left, height: rest['rcMonitor.bottom'] - top };
}

function readFrontArea(libraries: Libraries): ScreenArea | null {
  const { user32 } = libraries;
  const window = BigInt(user32.GetForegroundWindow());
  const isDesktop = [user32.GetShellWindow(), user32.GetDesktopWindow()].some((no) => BigInt(no) === window);
  if (window === 0n || isDesktop || user32.IsIconic(window) !== 0) return null;
  const area = windowArea(libraries, window);
  const desktop = {
    x: user32.GetSystemMetrics(SM_XVIRTUALSCREEN),
    y: user32.GetSystemMetrics(SM_YVIRTUALSCREEN),
    width: user32.GetSystemMetrics(SM_CXVIRTUALSCREEN),
    height: user32.GetSystemMetrics(SM_CYVIRTUALSCREEN),
  };
  return area && commonArea(area, desktop);
}

function windowArea({ user32, dwmapi }: Libraries, window: bigint): ScreenArea | null {
  const bytes = pinned(RECT.size);
  // Without the invisible border of windows since Windows 10, which is as wide as their shadow.
  const isFrame =
    dwmapi.DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, address(bytes), bytes.length) === 0 &&
    readStruct(RECT, bytes).right > readStruct(RECT, bytes).left;
  if (!isFrame && user32.GetWindowRect(window, address(bytes)) === 0) return null;
  const { left, top, right, bottom } = readStruct(RECT, bytes);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const gdiOf = ({ user32, gdi32 }: Libraries): Gdi => ({
  screen: () => BigInt(user32.GetDC(0)),
  releaseScreen: (context) => void user32.ReleaseDC(0, context),
  contextLike: (context) => BigInt(gdi32.CreateCompatibleDC(context)),
  deleteContext: (context) => void gdi32.DeleteDC(context),
  bitmap(width, height) {
    const header = filledStruct(BITMAPINFOHEADER, {
      biSize: BITMAPINFOHEADER.size,
      biWidth: width,
      // Negative: the top row comes first.
      biHeight: -height,
      biPlanes: 1,
      biBitCount: 32,
    });
    const pixels = slot();
    const handle = BigInt(gdi32.CreateDIBSection(0, address(header), 0, pixels.place, 0, 0));
    return { handle, pixels: pixels.u64() };
  },
  deleteBitmap: (bitmap) => void gdi32.DeleteObject(bitmap),
  select: (context, object) => BigInt(gdi32.SelectObject(context, object)),
  draw: (context, from, { x, y, width, height }, how) =>
    gdi32.BitBlt(context, 0, 0, width, height, from, x, y, how) !== 0,
  finish: () => void gdi32.GdiFlush(),
  memory: memoryAt,
});

/** Layout of the pixels of a bitmap. */
const BITMAPINFOHEADER = defineStruct('BITMAPINFOHEADER', 40, {
  biSize: [0, 'u32'],
  biWidth: [4, 'i32'],
  biHeight: [8, 'i32'],
  biPlanes: [12, 'u16'],
  biBitCount: [14, 'u16'],
  biCompression: [16, 'u32'],
});
