import { address, pinned } from '../../ffi.ts';
import { slot } from './memory.ts';
import { defineStruct, readStruct } from './structs.ts';
import { win32 } from './win32.ts';

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

/** The display that shows this point of the desktop; 0: none. */
export function displayAt({ x, y }: DesktopPlace): bigint {
  const point = (BigInt.asUintN(32, BigInt(y)) << 32n) | BigInt.asUintN(32, BigInt(x));
  return win32.MonitorFromPoint(point, exactly);
}

/** dxva2.dll: DDC/CI of external monitors. Each call takes tens of milliseconds, so it runs in a thread. */
export function openMonitors() {
  /** The first monitor of several that show the same. */
  const withMonitor = <T>(place: DesktopPlace, use: (monitor: bigint) => T | null): T | null => {
    const display = displayAt(place);
    const count = slot();
    if (display === 0n || win32.GetNumberOfPhysicalMonitorsFromHMONITOR(display, count.place) === 0) return null;
    if (count.u32() === 0 || count.u32() > 16) return null;
    const bytes = pinned(count.u32() * PHYSICAL_MONITOR.size);
    if (win32.GetPhysicalMonitorsFromHMONITOR(display, count.u32(), address(bytes)) === 0) return null;
    try {
      return use(BigInt(readStruct(PHYSICAL_MONITOR, bytes).hPhysicalMonitor));
    } finally {
      win32.DestroyPhysicalMonitors(count.u32(), address(bytes));
    }
  };
  return {
    /** Brightness of the display at each of these points of the desktop; null: not reported. */
    levels: (places: DesktopPlace[]) =>
      places.map((place) =>
        withMonitor(place, (monitor) => {
          const [least, current, most] = [slot(), slot(), slot()];
          const places = [least.place, current.place, most.place] as const;
          if (win32.GetMonitorBrightness(monitor, ...places) === 0 || most.u32() <= least.u32()) return null;
          return { least: least.u32(), current: current.u32(), most: most.u32() };
        }),
      ),
    /** False: it was refused. */
    setLevel: (place: DesktopPlace, current: number) =>
      withMonitor(place, (monitor) => win32.SetMonitorBrightness(monitor, current) !== 0) ?? false,
  };
}

/** Percent of its range. */
export const percentOfLevel = ({ least, current, most }: MonitorLevel): number =>
  Math.min(100, Math.max(0, Math.round((100 * (current - least)) / (most - least))));

/** https://learn.microsoft.com/windows/win32/api/physicalmonitorenumerationapi/ns-physicalmonitorenumerationapi-physical_monitor */
const PHYSICAL_MONITOR = defineStruct('PHYSICAL_MONITOR', 264, { hPhysicalMonitor: [0, 'pointer'] });
