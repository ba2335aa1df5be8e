import type { Source } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { percentOfLevel } from '../../host/windows/native/monitors.ts';
import { readStruct, type Struct, type StructValues } from '../../host/windows/native/structs.ts';
import {
  DISPLAYCONFIG_MODE_INFO,
  DISPLAYCONFIG_PATH_INFO,
  DISPLAYCONFIG_SOURCE_DEVICE_NAME,
  DISPLAYCONFIG_TARGET_DEVICE_NAME,
} from '../../host/windows/native/user32.structs.ts';
import type { User32 } from '../../host/windows/native/user32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Displays } from './displays.schema.ts';

type Display = Displays[number];

export const displaysWindows = (host: WindowsHost): Source<Displays> => ({
  async read(reasons) {
    const { user32 } = await host.native();
    const config = user32.displayConfig();
    if (config === null) {
      reasons.inherent(null, 'No desktop is shown, as in a service or a session that nobody is connected to');
      return [];
    }
    const modes = listOf(DISPLAYCONFIG_MODE_INFO, config.modes);
    const found = listOf(DISPLAYCONFIG_PATH_INFO, config.paths).map((path) => toDisplay(path, modes, user32));
    const levels = await host
      .nativeElsewhere('monitors')
      .levels(found.map(({ x, y }) => ({ x, y })))
      .catch(() => []);
    const displays = found.map((display, at) => {
      const level = levels[at];
      return { ...display, brightness: level ? percentOfLevel(level) : null };
    });
    explain(displays, reasons);
    return displays;
  },
});

function listOf<S extends Struct>(struct: S, bytes: Uint8Array): StructValues<S>[] {
  return Array.from({ length: Math.floor(bytes.length / struct.size) }, (_, index) =>
    readStruct(struct, bytes, index * struct.size),
  );
}

const { SOURCE, TARGET } = { SOURCE: 1, TARGET: 2 };

function toDisplay(
  path: StructValues<typeof DISPLAYCONFIG_PATH_INFO>,
  modes: StructValues<typeof DISPLAYCONFIG_MODE_INFO>[],
  user32: User32,
): Display {
  const mode = (index: number, type: number) => modes.find((one, at) => at === index && one.infoType === type) ?? null;
  const source = mode(path['sourceInfo.modeInfoIdx'], SOURCE);
  const target = mode(path['targetInfo.modeInfoIdx'], TARGET);
  const targetName = user32.targetName([...path['targetInfo.adapterId']], path['targetInfo.id']);
  const sourceName = user32.sourceName([...path['sourceInfo.adapterId']], path['sourceInfo.id']);
  const monitor = targetName === null ? null : readStruct(DISPLAYCONFIG_TARGET_DEVICE_NAME, targetName);
  const device = sourceName === null ? '' : readStruct(DISPLAYCONFIG_SOURCE_DEVICE_NAME, sourceName).viewGdiDeviceName;
  const size = device === '' ? null : user32.physicalSize(device);
  const { 'targetInfo.refreshRate.Numerator': numerator, 'targetInfo.refreshRate.Denominator': denominator } = path;
  const pixelRate = target?.['targetMode.targetVideoSignalInfo.pixelRate'] ?? 0;
  const [x, y] = [source?.['sourceMode.position.x'] ?? 0, source?.['sourceMode.position.y'] ?? 0];
  return {
    // The path of the device is the same after a restart; the name of the output is what is left without one.
    id: monitor?.monitorDevicePath || device,
    name: monitor?.monitorFriendlyDeviceName || device.replace(/^\\\\\.\\/, ''),
    resolution_horizontal: source?.['sourceMode.width'] ?? 0,
    resolution_vertical: source?.['sourceMode.height'] ?? 0,
    x,
    y,
    width: size?.width || null,
    height: size?.height || null,
    // The desktop begins at the primary one.
    is_primary: source === null ? null : x === 0 && y === 0,
    pixel_clock: pixelRate > 0 ? Math.round(pixelRate / 10_000) / 100 : null,
    refresh_rate: numerator > 0 && denominator > 0 ? Math.round((100 * numerator) / denominator) / 100 : null,
    brightness: null,
    contrast: null,
    input_source: null,
    inputs: null,
    power: null,
  };
}

function explain(displays: Displays, reasons: Reasons): void {
  const lacks = (field: keyof Display) => displays.some((display) => display[field] === null);
  if (displays.length === 0) reasons.inherent(null, 'No display is switched on');
  for (const field of ['width', 'height'] as const)
    if (lacks(field)) reasons.inherent(`[].${field}`, 'The display does not report its size');
  if (lacks('is_primary')) reasons.inherent('[].is_primary', 'Windows does not say where on the desktop it is');
  if (lacks('pixel_clock')) reasons.inherent('[].pixel_clock', 'The driver does not report the pixel clock');
  if (lacks('brightness'))
    reasons.inherent(
      '[].brightness',
      'The display does not report its brightness: on Windows only external monitors do, over DDC/CI',
    );
  for (const field of ['contrast', 'input_source', 'inputs'] as const)
    if (lacks(field)) reasons.inherent(`[].${field}`, 'Hostler does not ask monitors on Windows yet (DDC/CI)');
  if (lacks('power')) reasons.inherent('[].power', 'Hostler does not read on Windows yet whether a display is on');
  if (lacks('refresh_rate')) reasons.inherent('[].refresh_rate', 'The driver does not report the refresh rate');
}
