import type { Files } from '../../../host/linux/files.ts';

/** The backlight of a built-in display. https://docs.kernel.org/gpu/backlight.html */
export interface Backlight {
  /** Name of its directory in /sys/class/backlight, such as intel_backlight. */
  name: string;
  /** The largest value it can be set to; it counts from 0. */
  max: number;
  value: number;
  /** The connector it belongs to, such as eDP-1; null: unknown. */
  connector: string | null;
}

const directory = '/sys/class/backlight';
/** A machine has one or two; this bounds a corrupt listing. */
const mostLamps = 16;
/** In the order of preference that the kernel documents. */
const kinds = ['firmware', 'platform', 'raw'];

/** The preferred interface first: most panels have several. */
export function readBacklights(files: Files): Backlight[] {
  const names = files.list(directory).filter((name) => /^[\w.:-]{1,64}$/.test(name));
  const found = names.slice(0, mostLamps).flatMap((name) => readLamp(files, name));
  return found.sort((a, b) => a.rank - b.rank).map(({ rank: _rank, ...lamp }) => lamp);
}

function readLamp(files: Files, name: string): (Backlight & { rank: number })[] {
  const number = (file: string) => {
    const text = files.text(`${directory}/${name}/${file}`)?.trim() ?? '';
    return /^\d{1,10}$/.test(text) ? Number(text) : null;
  };
  const max = number('max_brightness');
  const kind = files.text(`${directory}/${name}/type`)?.trim() ?? '';
  const [rank, isRaw] = [kinds.indexOf(kind), kind === 'raw'];
  // Firmware may change it without notice to the kernel; some graphics drivers report actual_brightness in another scale.
  const value = isRaw ? number('brightness') : (number('actual_brightness') ?? number('brightness'));
  if (max === null || max < 1 || value === null || rank === -1) return [];
  return [{ name, max, value: Math.min(value, max), connector: connectorOf(files, name), rank }];
}

/** Drivers put it below the connector: …/drm/card1/card1-eDP-1/intel_backlight. */
function connectorOf(files: Files, name: string): string | null {
  const target = files.link(`${directory}/${name}`) ?? '';
  return /\/card\d+-([^/]+)\/(?:.*\/)?[^/]+$/.exec(target)?.[1] ?? null;
}

/** Built-in displays, as the kernel, compositors and drivers of X11 call their connectors. */
export const isBuiltInDisplay = (display: string) => /^(eDP|LVDS|DSI)/i.test(display);

/** The backlight of each display; at most one for each. */
export function backlightsOf(lamps: readonly Backlight[], displays: readonly string[]): Map<string, Backlight> {
  const builtIn = displays.filter(isBuiltInDisplay);
  const found = new Map<string, Backlight>();
  const give = (display: string | undefined, lamp: Backlight) => {
    if (display !== undefined && !found.has(display)) found.set(display, lamp);
  };
  for (const lamp of lamps) {
    if (lamp.connector === null) give(builtIn[0], lamp);
    else if (displays.includes(lamp.connector)) give(lamp.connector, lamp);
    // Drivers of X11 have names of their own for the panel: eDP or eDP1 for eDP-1.
    else if (isBuiltInDisplay(lamp.connector) && builtIn.length === 1) give(builtIn[0], lamp);
  }
  return found;
}

/** 0-100. */
export const percentOfLamp = ({ value, max }: Pick<Backlight, 'value' | 'max'>) => Math.round((100 * value) / max);

/** Only 0 percent is the value 0: small percentages would round to it. */
export function lampValue(percent: number, max: number): number {
  return percent <= 0 ? 0 : Math.max(1, Math.round((Math.min(percent, 100) * max) / 100));
}

export const lampNews = (name: string) => `${directory}/${name}/actual_brightness`;
export const lampSwitch = (name: string) => `${directory}/${name}/brightness`;
