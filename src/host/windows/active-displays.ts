import { readStruct, readStructs, type StructValues } from './native/structs.ts';
import {
  DISPLAYCONFIG_MODE_INFO,
  DISPLAYCONFIG_PATH_INFO,
  DISPLAYCONFIG_SOURCE_DEVICE_NAME,
  DISPLAYCONFIG_TARGET_DEVICE_NAME,
} from './native/user32.structs.ts';
import type { User32 } from './native/user32.ts';

/** A display that is switched on, and the part of the desktop that it shows. */
export interface ActiveDisplay {
  /** Its public identifier. */
  id: string;
  name: string;
  /** As in \\.\DISPLAY1; empty: unknown. */
  device: string;
  /** Pixels; null: not reported by Windows. */
  area: { x: number; y: number; width: number; height: number } | null;
  /** Hertz, as a fraction; 0: unknown. */
  refresh: { numerator: number; denominator: number };
  /** Pixels a second; 0: unknown. */
  pixelRate: number;
}

type Configuration = Pick<User32, 'displayConfig' | 'targetName' | 'sourceName'>;

/** null: no desktop is shown, as in a service or a disconnected session. */
export function activeDisplays(user32: Configuration): ActiveDisplay[] | null {
  const config = user32.displayConfig();
  if (config === null) return null;
  const modes = readStructs(DISPLAYCONFIG_MODE_INFO, config.modes);
  return readStructs(DISPLAYCONFIG_PATH_INFO, config.paths).map((path) => toDisplay(path, modes, user32));
}

const { SOURCE, TARGET } = { SOURCE: 1, TARGET: 2 };

function toDisplay(
  path: StructValues<typeof DISPLAYCONFIG_PATH_INFO>,
  modes: StructValues<typeof DISPLAYCONFIG_MODE_INFO>[],
  user32: Configuration,
): ActiveDisplay {
  const mode = (index: number, type: number) => modes.find((one, at) => at === index && one.infoType === type) ?? null;
  const source = mode(path['sourceInfo.modeInfoIdx'], SOURCE);
  const target = mode(path['targetInfo.modeInfoIdx'], TARGET);
  const targetName = user32.targetName([...path['targetInfo.adapterId']], path['targetInfo.id']);
  const sourceName = user32.sourceName([...path['sourceInfo.adapterId']], path['sourceInfo.id']);
  const monitor = targetName === null ? null : readStruct(DISPLAYCONFIG_TARGET_DEVICE_NAME, targetName);
  const device = sourceName === null ? '' : readStruct(DISPLAYCONFIG_SOURCE_DEVICE_NAME, sourceName).viewGdiDeviceName;
  return {
    // The path of the device is the same after a restart; the name of the output is what is left without one.
    id: monitor?.monitorDevicePath || device,
    name: monitor?.monitorFriendlyDeviceName || device.replace(/^\\\\\.\\/, ''),
    device,
    area: source && {
      x: source['sourceMode.position.x'],
      y: source['sourceMode.position.y'],
      width: source['sourceMode.width'],
      height: source['sourceMode.height'],
    },
    refresh: {
      numerator: path['targetInfo.refreshRate.Numerator'],
      denominator: path['targetInfo.refreshRate.Denominator'],
    },
    pixelRate: target?.['targetMode.targetVideoSignalInfo.pixelRate'] ?? 0,
  };
}

/** The desktop begins at the primary one. */
export const isPrimaryDisplay = ({ area }: Pick<ActiveDisplay, 'area'>): boolean => area?.x === 0 && area.y === 0;
