import { address, memoryAt, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import { type DesktopPlace, displayAt } from '../../../host/windows/native/monitors.ts';
import { defineStruct, filledStruct, readStruct } from '../../../host/windows/native/structs.ts';
import { MONITORINFO, RECT } from '../../../host/windows/native/user32.structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import { commonArea, createScreenCopy, type Gdi, type ScreenArea } from './screen-copy.ts';

/** The screen, through user32.dll, gdi32.dll and dwmapi.dll. Coordinates are physical pixels of the desktop, whatever the scale of a display. */
export type WindowsScreen = ReturnType<typeof openScreen>;

/** DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2. */
const perMonitor = -4;
const SM_XVIRTUALSCREEN = 76;
const SM_YVIRTUALSCREEN = 77;
const SM_CXVIRTUALSCREEN = 78;
const SM_CYVIRTUALSCREEN = 79;
const DWMWA_EXTENDED_FRAME_BOUNDS = 9;

export const screenLibrary = defineLibrary('screen', openScreen);

function openScreen() {
  // Otherwise Windows scales coordinates and copies as if every display had 96 dpi.
  win32.SetThreadDpiAwarenessContext(perMonitor);
  return {
    /** Area of the display that contains this point. */
    displayArea: readDisplayArea,
    /** Visible area of the window with the focus; null: no window has it, or it is not on the desktop. */
    frontArea: readFrontArea,
    /** The visible pixels, from the top row, as 32-bit words with blue in the lowest byte. Blocks, so it runs in a thread. */
    copy: createScreenCopy(gdi),
  };
}

function readDisplayArea(place: DesktopPlace): ScreenArea | null {
  const info = filledStruct(MONITORINFO, { cbSize: MONITORINFO.size });
  if (win32.GetMonitorInfoW(displayAt(place), address(info)) === 0) return null;
  const { 'rcMonitor.left': left, 'rcMonitor.top': top, ...rest } = readStruct(MONITORINFO, info);
  return { x: left, y: top, width: rest['rcMonitor.right'] - left, height: rest['rcMonitor.bottom'] - top };
}

function readFrontArea(): ScreenArea | null {
  const window = BigInt(win32.GetForegroundWindow());
  const isDesktop = [win32.GetShellWindow(), win32.GetDesktopWindow()].some((no) => BigInt(no) === window);
  if (window === 0n || isDesktop || win32.IsIconic(window) !== 0) return null;
  const area = windowArea(window);
  const desktop = {
    x: win32.GetSystemMetrics(SM_XVIRTUALSCREEN),
    y: win32.GetSystemMetrics(SM_YVIRTUALSCREEN),
    width: win32.GetSystemMetrics(SM_CXVIRTUALSCREEN),
    height: win32.GetSystemMetrics(SM_CYVIRTUALSCREEN),
  };
  return area && commonArea(area, desktop);
}

function windowArea(window: bigint): ScreenArea | null {
  const bytes = pinned(RECT.size);
  // Without the invisible border of windows since Windows 10, which is as wide as their shadow.
  const isFrame =
    win32.DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, address(bytes), bytes.length) === 0 &&
    readStruct(RECT, bytes).right > readStruct(RECT, bytes).left;
  if (!isFrame && win32.GetWindowRect(window, address(bytes)) === 0) return null;
  const { left, top, right, bottom } = readStruct(RECT, bytes);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const gdi: Gdi = {
  screen: () => BigInt(win32.GetDC(0)),
  releaseScreen: (context) => void win32.ReleaseDC(0, context),
  contextLike: (context) => BigInt(win32.CreateCompatibleDC(context)),
  deleteContext: (context) => void win32.DeleteDC(context),
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
    const handle = BigInt(win32.CreateDIBSection(0, address(header), 0, pixels.place, 0, 0));
    return { handle, pixels: pixels.u64() };
  },
  deleteBitmap: (bitmap) => void win32.DeleteObject(bitmap),
  select: (context, object) => BigInt(win32.SelectObject(context, object)),
  draw: (context, from, { x, y, width, height }, how) =>
    win32.BitBlt(context, 0, 0, width, height, from, x, y, how) !== 0,
  finish: () => void win32.GdiFlush(),
  memory: memoryAt,
};

/** Layout of the pixels of a bitmap. */
const BITMAPINFOHEADER = defineStruct('BITMAPINFOHEADER', 40, {
  biSize: [0, 'u32'],
  biWidth: [4, 'i32'],
  biHeight: [8, 'i32'],
  biPlanes: [12, 'u16'],
  biBitCount: [14, 'u16'],
  biCompression: [16, 'u32'],
});
