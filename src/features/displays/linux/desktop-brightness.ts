import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import {
  getProperties,
  getProperty,
  hasOwner,
  namedPlace,
  setProperty,
} from '../../../host/linux/dbus/bus-properties.ts';
import { isBuiltInDisplay } from './backlight.ts';

/** The brightness of one display as a slider of the desktop. */
interface DesktopLamp {
  by: 'GNOME' | 'Plasma';
  /** 0-100. */
  percent: number;
  /** The built-in panel; other displays have a label. */
  isBuiltIn: boolean;
  label: string;
  /** Rejects with the error of the desktop. */
  set(percent: number): Promise<void>;
}

const timeoutMs = 600;
const orderTimeoutMs = 3000;
const mostDisplays = 16;

/** Up to GNOME 48. https://gitlab.gnome.org/GNOME/gnome-settings-daemon */
const gnome = namedPlace('org.gnome.SettingsDaemon.Power', 'org.gnome.SettingsDaemon.Power.Screen');
/** Plasma from 6.2 on: one object for each display. https://invent.kde.org/plasma/powerdevil */
const plasma = namedPlace('org.kde.ScreenBrightness');
const plasmaDisplay = 'org.kde.ScreenBrightness.Display';
/** Before 6.2: one object for all displays. */
const oldPlasma = {
  destination: 'org.kde.Solid.PowerManagement',
  path: '/org/kde/Solid/PowerManagement/Actions/BrightnessControl',
  interface: 'org.kde.Solid.PowerManagement.Actions.BrightnessControl',
};

/** The sliders of the desktop; empty: none, or no desktop. Starts no program. */
export async function desktopLamps(session: Bus): Promise<DesktopLamp[]> {
  const owned = (name: string) => hasOwner(session, name).catch(() => false);
  if (await owned(gnome.destination)) return await gnomeLamps(session).catch(() => []);
  if (await owned(plasma.destination)) return await plasmaLamps(session).catch(() => []);
  if (await owned(oldPlasma.destination)) return await oldPlasmaLamps(session).catch(() => []);
  return [];
}

async function gnomeLamps(session: Bus): Promise<DesktopLamp[]> {
  const percent = await getProperty(session, gnome, 'Brightness', timeoutMs);
  // -1: no display can be dimmed.
  if (typeof percent !== 'number' || percent < 0) return [];
  const set = (wanted: number) =>
    setProperty(session, gnome, 'Brightness', variant('i', Math.round(wanted)), orderTimeoutMs);
  return [{ by: 'GNOME', percent: Math.min(percent, 100), isBuiltIn: true, label: '', set }];
}

async function plasmaLamps(session: Bus): Promise<DesktopLamp[]> {
  const names = await getProperty(session, plasma, 'DisplaysDBusNames', timeoutMs);
  const known = (Array.isArray(names) ? names : []).map(String).filter((name) => /^\w{1,64}$/.test(name));
  const lamps: DesktopLamp[] = [];
  for (const name of known.slice(0, mostDisplays)) {
    const place = { destination: plasma.destination, path: `${plasma.path}/${name}`, interface: plasmaDisplay };
    const found = await getProperties(session, place, timeoutMs);
    const { Brightness: value, MaxBrightness: max, IsInternal, Label } = found;
    if (typeof value !== 'number' || typeof max !== 'number' || max < 1) continue;
    lamps.push({
      by: 'Plasma',
      percent: percentOf(value, max),
      isBuiltIn: IsInternal === true,
      label: typeof Label === 'string' ? Label : '',
      async set(wanted) {
        const body = [scaled(wanted, max), 0];
        await session.call({ ...place, member: 'SetBrightness', signature: 'iu', body, timeoutMs: orderTimeoutMs });
      },
    });
  }
  return lamps;
}

async function oldPlasmaLamps(session: Bus): Promise<DesktopLamp[]> {
  const [value] = await session.call({ ...oldPlasma, member: 'brightness', timeoutMs });
  const [max] = await session.call({ ...oldPlasma, member: 'brightnessMax', timeoutMs });
  if (typeof value !== 'number' || typeof max !== 'number' || max < 1) return [];
  const set = async (wanted: number) => {
    const body = [scaled(wanted, max)];
    await session.call({ ...oldPlasma, member: 'setBrightness', signature: 'i', body, timeoutMs: orderTimeoutMs });
  };
  return [{ by: 'Plasma', percent: percentOf(value, max), isBuiltIn: true, label: '', set }];
}

const percentOf = (value: number, max: number) => Math.round((100 * Math.min(Math.max(value, 0), max)) / max);
const scaled = (percent: number, max: number) => Math.round((Math.min(Math.max(percent, 0), 100) * max) / 100);

interface Named {
  id: string;
  name: string;
}

/**
 * The slider of each display. The desktop has display names only, so a match needs a single panel, a single monitor, or a unique name.
 */
export function lampsOfDesktop(lamps: readonly DesktopLamp[], displays: readonly Named[]): Map<string, DesktopLamp> {
  const found = new Map<string, DesktopLamp>();
  for (const isBuiltIn of [true, false]) {
    const theirs = lamps.filter((lamp) => lamp.isBuiltIn === isBuiltIn);
    const ours = displays.filter((display) => isBuiltInDisplay(display.id) === isBuiltIn);
    const [lamp] = theirs;
    const [display] = ours;
    if (theirs.length === 1 && ours.length === 1 && lamp !== undefined && display !== undefined) {
      found.set(display.id, lamp);
      continue;
    }
    for (const each of theirs) {
      const alike = ours.filter(({ name, id }) => sameName(each.label, name) || each.label === id);
      const [only] = alike;
      const isOnly = theirs.filter(({ label }) => label === each.label).length === 1;
      if (alike.length === 1 && only !== undefined && isOnly) found.set(only.id, each);
    }
  }
  return found;
}

/** The makers are written in several ways: "Dell Inc. DELL U2720Q", "DELL U2720Q". */
function sameName(label: string, name: string): boolean {
  const [a, b] = [label, name].map((text) => text.toLowerCase().replace(/\s+/g, ' ').trim());
  return a !== undefined && b !== undefined && a !== '' && b !== '' && (a === b || a.endsWith(b) || b.endsWith(a));
}
