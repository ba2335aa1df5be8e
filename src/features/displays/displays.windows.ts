import type { Source } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { type ActiveDisplay, activeDisplays, isPrimaryDisplay } from '../../host/windows/active-displays.ts';
import { percentOfLevel } from '../../host/windows/native/monitors.ts';
import type { User32 } from '../../host/windows/native/user32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Displays } from './displays.schema.ts';
import { unreported } from './displays.unreported.ts';

type Display = Displays[number];

export const displaysWindows = (host: WindowsHost): Source<Displays> => ({
  async read(reasons) {
    const { user32 } = await host.native();
    const active = activeDisplays(user32);
    if (active === null) {
      reasons.inherent(null, 'No desktop is shown, as in a service or a disconnected session');
      return [];
    }
    const found = active.map((display) => toDisplay(display, user32));
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

function toDisplay({ id, name, device, area, refresh, pixelRate }: ActiveDisplay, user32: User32): Display {
  const size = device === '' ? null : user32.physicalSize(device);
  const { numerator, denominator } = refresh;
  return {
    id,
    name,
    resolution_horizontal: area?.width ?? 0,
    resolution_vertical: area?.height ?? 0,
    x: area?.x ?? 0,
    y: area?.y ?? 0,
    width: size?.width || null,
    height: size?.height || null,
    is_primary: area === null ? null : isPrimaryDisplay({ area }),
    pixel_clock: pixelRate > 0 ? Math.round(pixelRate / 10_000) / 100 : null,
    refresh_rate: numerator > 0 && denominator > 0 ? Math.round((100 * numerator) / denominator) / 100 : null,
    ...unreported,
  };
}

const noDdc = 'Not implemented on Windows (DDC/CI)';

const why: Partial<Record<keyof Display, string>> = {
  width: 'The display does not report its size',
  height: 'The display does not report its size',
  is_primary: 'Windows does not report its position on the desktop',
  pixel_clock: 'The driver does not report the pixel clock',
  brightness: 'The display does not report its brightness: on Windows only external monitors do, over DDC/CI',
  contrast: noDdc,
  input_source: noDdc,
  inputs: noDdc,
  power: 'Not implemented on Windows',
  refresh_rate: 'The driver does not report the refresh rate',
};

function explain(displays: Displays, reasons: Reasons): void {
  if (displays.length === 0) reasons.inherent(null, 'No display is switched on');
  for (const [field, sentence] of Object.entries(why))
    if (displays.some((display) => display[field as keyof Display] === null)) reasons.inherent(`[].${field}`, sentence);
}
