import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { hasOwner } from '../../../host/linux/dbus/bus-properties.ts';

/** The brightness of one display, as the desktop has it under its own slider. */
export interface DesktopLamp {
  /** Who has it. */
  by: 'GNOME' | 'Plasma';
  /** 0-100. */
  percent: number;
  /** Whether it is the panel of the machine; of others the desktop says what they are called. */
  isBuiltIn: boolean;
  label: string;
  /** Rejects with what the desktop has against it. */
  set(percent: number): Promise<void>;
}

const properties = 'org.freedesktop.DBus.Properties';
const timeoutMs = 600;
const orderTimeoutMs = 3000;
const mostDisplays = 16;

/** Up to GNOME 48. https://gitlab.gnome.org/GNOME/gnome-settings-daemon */
const gnome = {
  destination: 'org.gnome.SettingsDaemon.Power',
  path: '/org/gnome/SettingsDaemon/Power',
  interface: 'org.gnome.SettingsDaemon.Power.Screen',
};
/** Plasma from 6.2 on: one object for each display. https://invent.kde.org/plasma/powerdevil */
const plasma = { destination: 'org.kde.ScreenBrightness', path: '/org/kde/ScreenBrightness' };
const plasmaDisplay = 'org.kde.ScreenBrightness.Display';
/** Before that one for all. */
const oldPlasma = {
  destination: 'org.kde.Solid.PowerManagement',
  path: '/org/kde/Solid/PowerManagement/Actions/BrightnessControl',
  interface: 'org.kde.Solid.PowerManagement.Actions.BrightnessControl',
};

/** What the desktop dims, if it does; empty: it does not, or there is none. Nobody is started for this. */
export async function desktopLamps(session: Bus): Promise<DesktopLamp[]> {
  const owned = (name: string) => hasOwner(session, name).catch(() => false);
  if (await owned(gnome.destination)) return await gnomeLamps(session).catch(() => []);
  if (await owned(plasma.destination)) return await plasmaLamps(session).catch(() => []);
  if (await owned(oldPlasma.destination)) return await oldPlasmaLamps(session).catch(() => []);
  return [];
}

async function gnomeLamps(session: Bus): Promise<DesktopLamp[]> {
  const { destination, path, interface: name } = gnome;
  const call = { destination, path, interface: properties };
  const [percent] = await session.call({
    ...call,
    member: 'Get',
    signature: 'ss',
    body: [name, 'Brightness'],
    timeoutMs,
  });
  // -1: there is nothing it could dim.
  if (typeof percent !== 'number' || percent < 0) return [];
  const set = async (wanted: number) => {
    const body = [name, 'Brightness', variant('i', Math.round(wanted))];
    await session.call({ ...call, member: 'Set', signature: 'ssv', body, timeoutMs: orderTimeoutMs });
  };
  return [{ by: 'GNOME', percent: Math.min(percent, 100), isBuiltIn: true, label: '', set }];
}

async function plasmaLamps(session: Bus): Promise<DesktopLamp[]> {
  const { destination, path } = plasma;
  const call = { destination, interface: properties, timeoutMs };
  const [names] = await session.call({
    ...call,
    path,
    member: 'Get',
    signature: 'ss',
    body: ['org.kde.ScreenBrightness', 'DisplaysDBusNames'],
  });
  const known = (Array.isArray(names) ? names : []).map(String).filter((name) => /^\w{1,64}$/.test(name));
  const lamps: DesktopLamp[] = [];
  for (const name of known.slice(0, mostDisplays)) {
    const at = `${path}/${name}`;
    const [found] = await session.call({ ...call, path: at, member: 'GetAll', signature: 's', body: [plasmaDisplay] });
    const { Brightness: value, MaxBrightness: max, IsInternal, Label } = Object(found) as Record<string, unknown>;
    if (typeof value !== 'number' || typeof max !== 'number' || max < 1) continue;
    lamps.push({
      by: 'Plasma',
      percent: percentOf(value, max),
      isBuiltIn: IsInternal === true,
      label: typeof Label === 'string' ? Label : '',
      async set(wanted) {
        const body = [scaled(wanted, max), 0];
        const order = { destination, path: at, interface: plasmaDisplay, member: 'SetBrightness' };
        await session.call({ ...order, signature: 'iu', body, timeoutMs: orderTimeoutMs });
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

/** A display as others know it. */
interface Named {
  id: string;
  name: string;
}

const isPanel = ({ id }: Named) => /^(eDP|LVDS|DSI)/i.test(id);

/**
 * Which of these displays the desktop dims. It has names for people only: one panel is the panel, one monitor the monitor, and of several those
 * whose names can be told apart.
 */
export function lampsOfDesktop(lamps: readonly DesktopLamp[], displays: readonly Named[]): Map<string, DesktopLamp> {
  const found = new Map<string, DesktopLamp>();
  for (const isBuiltIn of [true, false]) {
    const theirs = lamps.filter((lamp) => lamp.isBuiltIn === isBuiltIn);
    const ours = displays.filter((display) => isPanel(display) === isBuiltIn);
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
