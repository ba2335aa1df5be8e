import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import {
  changesOf,
  getProperty,
  hasOwner,
  namedPlace,
  setProperty,
  signalsOf,
} from '../../../host/linux/dbus/bus-properties.ts';
import { createStops } from '../../../lib/closing.ts';

const displayConfig = namedPlace('org.gnome.Mutter.DisplayConfig');
const timeoutMs = 500;
/** Switching displays is slow. */
const orderTimeoutMs = 4000;

/** The connector of GNOME's primary display, such as DP-1; Wayland has no primary display. null: no GNOME, or none. */
export async function mutterPrimary(session: Bus): Promise<string | null> {
  try {
    if (!(await hasOwner(session, displayConfig.destination))) return null;
    const [, , logical] = await session.call({ ...displayConfig, member: 'GetCurrentState', timeoutMs });
    return parsePrimary(logical);
  } catch {
    return null;
  }
}

/** A logical monitor: x, y, scale, transform, primary, monitors, properties; a monitor: connector, maker, product, serial. */
export function parsePrimary(logical: unknown): string | null {
  for (const monitor of Array.isArray(logical) ? logical : []) {
    const [, , , , isPrimary, members] = Array.isArray(monitor) ? monitor : [];
    const [first] = Array.isArray(members) ? members : [];
    if (isPrimary === true && Array.isArray(first) && typeof first[0] === 'string') return first[0];
  }
  return null;
}

export async function watchMutter(session: Bus, changed: () => void): Promise<() => void> {
  const matches = [signalsOf(displayConfig, 'MonitorsChanged'), changesOf(displayConfig)];
  const stops = matches.map((match) => session.subscribe(match, changed).catch(() => () => {}));
  return createStops(...(await Promise.all(stops))).end;
}

const [lit, dark] = [0, 3];

/** GNOME switches all displays together. null: no GNOME, or not supported. */
export async function mutterPower(session: Bus): Promise<'on' | 'off' | null> {
  try {
    if (!(await hasOwner(session, displayConfig.destination))) return null;
    const mode = await getProperty(session, displayConfig, 'PowerSaveMode', timeoutMs);
    return typeof mode !== 'number' || mode < lit ? null : mode === lit ? 'on' : 'off';
  } catch {
    return null;
  }
}

/** Rejects with the error of GNOME. */
export async function setMutterPower(session: Bus, power: 'on' | 'off'): Promise<void> {
  await setProperty(session, displayConfig, 'PowerSaveMode', variant('i', power === 'on' ? lit : dark), orderTimeoutMs);
}
