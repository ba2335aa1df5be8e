import { address, pinned } from '../../ffi.ts';
import { slot, wide } from './memory.ts';
import { fillStruct, readStruct } from './structs.ts';
import {
  DISPLAYCONFIG_MODE_INFO,
  DISPLAYCONFIG_PATH_INFO,
  DISPLAYCONFIG_SOURCE_DEVICE_NAME,
  DISPLAYCONFIG_TARGET_DEVICE_NAME,
  INPUT,
  POINT,
} from './user32.structs.ts';
import { win32 } from './win32.ts';

/** user32.dll and gdi32.dll: displays, keys and the pointer. null: the call failed. */
export type User32 = ReturnType<typeof openUser32>;

/** A key by its virtual code, or with 0 a unit of UTF-16. */
export interface KeyStroke {
  virtual: number;
  unit: number;
  isUp: boolean;
}

/** As in a MOUSEINPUT. */
export interface MouseInput {
  dx: number;
  dy: number;
  /** Rotation of a wheel; may be negative. */
  data: number;
  flags: number;
}

export interface PointerState {
  x: number;
  y: number;
  /** The bounding rectangle of all displays, in pixels. */
  left: number;
  top: number;
  width: number;
  height: number;
  /** Left and right are exchanged, for the left-handed. */
  isSwapped: boolean;
}

const QDC_ONLY_ACTIVE_PATHS = 2;
const GET_SOURCE_NAME = 1;
const GET_TARGET_NAME = 2;
const { INPUT_KEYBOARD, EXTENDED, KEYUP, UNICODE } = { INPUT_KEYBOARD: 1, EXTENDED: 1, KEYUP: 2, UNICODE: 4 };
/** Extended keys: from PageUp to Down, Insert, Delete, Windows, menu, right Ctrl and Alt, NumLock, /. */
const extendedKeys = new Set([
  0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x2c, 0x2d, 0x2e, 0x5b, 0x5c, 0x5d, 0x6f, 0x90, 0xa3, 0xa5,
]);
const HWND_BROADCAST = 0xffff;
const WM_SYSCOMMAND = 0x112;
const SC_MONITORPOWER = 0xf170;
const DISPLAYS_OFF = 2;
const { INPUT_MOUSE, MOUSE_MOVE } = { INPUT_MOUSE: 0, MOUSE_MOVE: 1 };
/** Of GetSystemMetrics. */
const SWAPPED = 23;
const DESK_LEFT = 76;
const DESK_TOP = 77;
const DESK_WIDTH = 78;
const DESK_HEIGHT = 79;
const { HORZSIZE, VERTSIZE } = { HORZSIZE: 4, VERTSIZE: 6 };

export function openUser32() {
  // Per monitor, version 2: otherwise Windows scales sizes to 96 dpi.
  win32.SetProcessDpiAwarenessContext(-4);
  const named = (type: number, size: number, adapter: number[], id: number) => {
    const bytes = pinned(size);
    // The headers of all of them are equal.
    fillStruct(DISPLAYCONFIG_TARGET_DEVICE_NAME, bytes, {
      'header.type': type,
      'header.size': size,
      'header.adapterId': adapter,
      'header.id': id,
    });
    return win32.DisplayConfigGetDeviceInfo(address(bytes)) === 0 ? bytes : null;
  };
  const sendPointer = (inputs: MouseInput[]) => {
    const bytes = pinned(inputs.length * INPUT.size);
    for (const [index, { dx, dy, data, flags }] of inputs.entries()) {
      const input = { type: INPUT_MOUSE, 'mi.dx': dx, 'mi.dy': dy, 'mi.mouseData': data, 'mi.dwFlags': flags };
      fillStruct(INPUT, bytes, input, index * INPUT.size);
    }
    return win32.SendInput(inputs.length, address(bytes), INPUT.size);
  };
  return {
    /** Lists of DISPLAYCONFIG_PATH_INFO and DISPLAYCONFIG_MODE_INFO of the active displays. */
    displayConfig(): { paths: Uint8Array; modes: Uint8Array } | null {
      const [paths, modes] = [slot(), slot()];
      if (win32.GetDisplayConfigBufferSizes(QDC_ONLY_ACTIVE_PATHS, paths.place, modes.place) !== 0) return null;
      const pathBytes = pinned(Math.max(1, paths.u32()) * DISPLAYCONFIG_PATH_INFO.size);
      const modeBytes = pinned(Math.max(1, modes.u32()) * DISPLAYCONFIG_MODE_INFO.size);
      const status = win32.QueryDisplayConfig(
        QDC_ONLY_ACTIVE_PATHS,
        paths.place,
        address(pathBytes),
        modes.place,
        address(modeBytes),
        0,
      );
      if (status !== 0) return null;
      return {
        paths: pathBytes.subarray(0, paths.u32() * DISPLAYCONFIG_PATH_INFO.size),
        modes: modeBytes.subarray(0, modes.u32() * DISPLAYCONFIG_MODE_INFO.size),
      };
    },
    /** A DISPLAYCONFIG_TARGET_DEVICE_NAME. */
    targetName: (adapter: number[], id: number) =>
      named(GET_TARGET_NAME, DISPLAYCONFIG_TARGET_DEVICE_NAME.size, adapter, id),
    /** A DISPLAYCONFIG_SOURCE_DEVICE_NAME. */
    sourceName: (adapter: number[], id: number) =>
      named(GET_SOURCE_NAME, DISPLAYCONFIG_SOURCE_DEVICE_NAME.size, adapter, id),
    wake: (window: number) => void win32.PostMessageW(window, 0, 0, 0),
    lockWorkStation: () => win32.LockWorkStation() !== 0,
    // EWX_LOGOFF, with EWX_FORCE or with EWX_FORCEIFHUNG.
    logOff: (force: boolean) => win32.ExitWindowsEx(force ? 0x04 : 0x10, 0x80000000) !== 0,
    /** Puts all displays to sleep, or wakes them; false: refused. */
    switchDisplays(on: boolean): boolean {
      // Posted to every window, and handled by the first that uses the default procedure; sending would wait for each of them.
      if (!on) return win32.PostMessageW(HWND_BROADCAST, WM_SYSCOMMAND, SC_MONITORPOWER, DISPLAYS_OFF) !== 0;
      // Since Windows 8 nothing wakes them but input: the pointer moves by one, and back.
      return sendPointer([1, -1].map((dx) => ({ dx, dy: 0, data: 0, flags: MOUSE_MOVE }))) === 2;
    },
    /** Number of accepted events; fewer where a program with higher privileges has the focus. */
    sendKeys(strokes: KeyStroke[]): number {
      const bytes = pinned(strokes.length * INPUT.size);
      for (const [index, { virtual, unit, isUp }] of strokes.entries()) {
        const kind = virtual === 0 ? UNICODE : extendedKeys.has(virtual) ? EXTENDED : 0;
        const key = {
          type: INPUT_KEYBOARD,
          'ki.wVk': virtual,
          'ki.wScan': virtual === 0 ? unit : win32.MapVirtualKeyW(virtual, 0),
          'ki.dwFlags': kind | (isUp ? KEYUP : 0),
        };
        fillStruct(INPUT, bytes, key, index * INPUT.size);
      }
      return win32.SendInput(strokes.length, address(bytes), INPUT.size);
    },
    /** Number of accepted events; they are inserted together, without events of others in between. */
    sendPointer,
    /** null: no pointer, as on a locked screen. */
    pointerState(): PointerState | null {
      const place = pinned(POINT.size);
      if (win32.GetCursorPos(address(place)) === 0) return null;
      const { GetSystemMetrics: metric } = win32;
      const [width, height] = [metric(DESK_WIDTH), metric(DESK_HEIGHT)];
      if (width <= 0 || height <= 0) return null;
      const [left, top] = [metric(DESK_LEFT), metric(DESK_TOP)];
      return { ...readStruct(POINT, place), left, top, width, height, isSwapped: metric(SWAPPED) !== 0 };
    },
    /** Millimetres of what a device such as \\.\DISPLAY1 shows. */
    physicalSize(device: string): { width: number; height: number } | null {
      const context = win32.CreateDCW(wide(device), 0, 0, 0);
      if (context === 0n) return null;
      const size = {
        width: win32.GetDeviceCaps(context, HORZSIZE),
        height: win32.GetDeviceCaps(context, VERTSIZE),
      };
      win32.DeleteDC(context);
      return size;
    },
  };
}
