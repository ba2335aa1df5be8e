import { defineStruct } from './structs.ts';

/** One active connection of a source (a part of the desktop) with a target (a display). */
export const DISPLAYCONFIG_PATH_INFO = defineStruct('DISPLAYCONFIG_PATH_INFO', 72, {
  'sourceInfo.adapterId': [0, 'bytes 8'],
  'sourceInfo.id': [8, 'u32'],
  'sourceInfo.modeInfoIdx': [12, 'u32'],
  'targetInfo.adapterId': [20, 'bytes 8'],
  'targetInfo.id': [28, 'u32'],
  'targetInfo.modeInfoIdx': [32, 'u32'],
  'targetInfo.refreshRate.Numerator': [48, 'u32'],
  'targetInfo.refreshRate.Denominator': [52, 'u32'],
});

/** Of a source (type 1) or a target (type 2). */
export const DISPLAYCONFIG_MODE_INFO = defineStruct('DISPLAYCONFIG_MODE_INFO', 64, {
  infoType: [0, 'u32'],
  'sourceMode.width': [16, 'u32'],
  'sourceMode.height': [20, 'u32'],
  'sourceMode.position.x': [28, 'i32'],
  'sourceMode.position.y': [32, 'i32'],
  'targetMode.targetVideoSignalInfo.pixelRate': [16, 'u64'],
});

export const DISPLAYCONFIG_TARGET_DEVICE_NAME = defineStruct('DISPLAYCONFIG_TARGET_DEVICE_NAME', 420, {
  'header.type': [0, 'u32'],
  'header.size': [4, 'u32'],
  'header.adapterId': [8, 'bytes 8'],
  'header.id': [16, 'u32'],
  monitorFriendlyDeviceName: [36, 'wide 64'],
  monitorDevicePath: [164, 'wide 128'],
});

export const DISPLAYCONFIG_SOURCE_DEVICE_NAME = defineStruct('DISPLAYCONFIG_SOURCE_DEVICE_NAME', 84, {
  viewGdiDeviceName: [20, 'wide 32'],
});

/** Of a key, or of the pointer. */
export const INPUT = defineStruct('INPUT', 40, {
  type: [0, 'u32'],
  'ki.wVk': [8, 'u16'],
  'ki.wScan': [10, 'u16'],
  'ki.dwFlags': [12, 'u32'],
  'mi.dx': [8, 'i32'],
  'mi.dy': [12, 'i32'],
  'mi.mouseData': [16, 'u32'],
  'mi.dwFlags': [20, 'u32'],
});

export const WNDCLASSEXW = defineStruct('WNDCLASSEXW', 80, {
  cbSize: [0, 'u32'],
  lpfnWndProc: [8, 'pointer'],
  hInstance: [24, 'pointer'],
  lpszClassName: [64, 'pointer'],
});

export const MSG = defineStruct('MSG', 48, { hwnd: [0, 'pointer'], message: [8, 'u32'] });

export const POINT = defineStruct('POINT', 8, { x: [0, 'i32'], y: [4, 'i32'] });

/** Milliseconds since the start of the system, of 32 bits. */
export const LASTINPUTINFO = defineStruct('LASTINPUTINFO', 8, { cbSize: [0, 'u32'], dwTime: [4, 'u32'] });

export const RECT = defineStruct('RECT', 16, {
  left: [0, 'i32'],
  top: [4, 'i32'],
  right: [8, 'i32'],
  bottom: [12, 'i32'],
});

export const MONITORINFO = defineStruct('MONITORINFO', 40, {
  cbSize: [0, 'u32'],
  'rcMonitor.left': [4, 'i32'],
  'rcMonitor.top': [8, 'i32'],
  'rcMonitor.right': [12, 'i32'],
  'rcMonitor.bottom': [16, 'i32'],
});

/** The data of WM_POWERBROADCAST for a registered setting; with the first byte of its value. */
export const POWERBROADCAST_SETTING = defineStruct('POWERBROADCAST_SETTING', 24, {
  PowerSetting: [0, 'bytes 16'],
  DataLength: [16, 'u32'],
  'Data[0]': [20, 'u8'],
});

/** Of a window station. */
export const USEROBJECTFLAGS = defineStruct('USEROBJECTFLAGS', 12, { dwFlags: [8, 'u32'] });
