import { address, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot } from './memory.ts';
import { defineStruct, readStruct } from './structs.ts';

export interface DesktopPlace {
  x: number;
  y: number;
}

export interface MonitorLevel {
  least: number;
  current: number;
  most: number;
}

/** MONITOR_DEFAULTTONULL. */
const exactly = 0;

/** dxva2.dll: DDC/CI of external monitors. Each call takes tens of milliseconds, so it runs in a thread. */
export function openMonitors() {
  const dxva2 = systemLibrary('dxva2.dll', {
    GetNumberOfPhysicalMonitorsFromHMONITOR: { args: ['u64', 'ptr'], returns: 'i32' },
    GetPhysicalMonitorsFromHMONITOR: { args: ['u64', 'u32', 'ptr'], returns: 'i32' },
    DestroyPhysicalMonitors: { args: ['u32', 'ptr'], returns: 'i32' },
    GetMonitorBrightness: { args: ['u64', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    SetMonitorBrightness: { args: ['u64', 'u32'], returns: 'i32' },
  });
  const { MonitorFromPoint } = systemLibrary('user32.dll', {
    // A POINT by value, which has the size of one number.
    MonitorFromPoint: { args: ['u64', 'u32'], returns: 'u64' },
  });
  /** The first monitor of several that show the same. */
  const withMonitor = <T>({ x, y }: DesktopPlace, use: (monitor: bigint) => T | null): T | null => {
    const point = (BigInt.asUintN(32, BigInt(y)) << 32n) | BigInt.asUintN(32, BigInt(x));
    const display = BigInt(MonitorFromPoint(point, exactly));
    const count = slot();
    if (display === 0n || dxva2.GetNumberOfPhysicalMonitorsFromHMONITOR(display, count.place) === 0) return null;
    if (count.u32() === 0 || count.u32() > 16) return null;
    const bytes = pinned(count.u32() * PHYSICAL_MONITOR.size);
    if (dxva2.GetPhysicalMonitorsFromHMONITOR(display, count.u32(), address(bytes)) === 0) return null;
    try {
      return use(BigInt(readStruct(PHYSICAL_MONITOR, bytes).hPhysicalMonitor));
    } finally {
      dxva2.DestroyPhysicalMonitors(count.u32(), address(bytes));
    }
  };
  return {
    /** Brightness of the display at each of these points of the desktop; null: not reported. */
    levels: (places: DesktopPlace[]) =>
      places.map((place) =>
        withMonitor(place, (monitor) => {
          const [least, current, most] = [slot(), slot(), slot()];
          const places = [least.place, current.place, most.place] as const;
          if (dxva2.GetMonitorBrightness(monitor, ...places) === 0 || most.u32() <= least.u32()) return null;
          return { least: least.u32(), current: current.u32(), most: most.u32() };
        }),
      ),
    /** False: it was refused. */
    setLevel: (place: DesktopPlace, current: number) =>
      withMonitor(place, (monitor) => dxva2.SetMonitorBrightness(monitor, current) !== 0) ?? false,
  };
}

/** Percent of its range. */
export const percentOfLevel = ({ least, current, most }: MonitorLevel): number =>
  Math.min(100, Math.max(0, Math.round((100 * (current - least)) / (most - least))));

/** https://learn.microsoft.com/windows/win32/api/physicalmonitorenumerationapi/ns-physicalmonitorenumerationapi-physical_monitor */
const PHYSICAL_MONITOR = defineStruct('PHYSICAL_MONITOR', 264, { hPhysicalMonitor: [0, 'pointer'] });
