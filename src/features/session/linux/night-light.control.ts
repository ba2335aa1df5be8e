import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { type BusPlace, hasOwner } from '../../../host/linux/dbus/bus-properties.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { writeDconf } from './dconf.ts';
import { heldInhibitions } from './inhibitions.ts';
import { gnomeColor, plasmaLights } from './night-light.ts';

const properties = 'org.freedesktop.DBus.Properties';
const timeoutMs = 2000;
const held = 'night-light';

const noLight =
  'Neither GNOME nor Plasma is running; programs such as gammastep and wlsunset have no switch for other programs';

type Light = { kind: 'gnome' } | { kind: 'plasma'; place: BusPlace };

async function findLight(session: Bus): Promise<Light | null> {
  const isThere = (name: string) => hasOwner(session, name).catch(() => false);
  if (await isThere(gnomeColor.destination)) return { kind: 'gnome' };
  for (const place of plasmaLights) if (await isThere(place.destination)) return { kind: 'plasma', place };
  return null;
}

/** Why the night light cannot be switched; null: it can. */
export async function whyNoNightLight(session: Bus): Promise<string | null> {
  return (await findLight(session)) === null ? noLight : null;
}

/** Returns the name of the desktop. Warmer colours may come later, since both desktops follow the sun. */
export async function switchNightLight(session: Bus, on: boolean): Promise<string> {
  const light = await findLight(session);
  if (light === null) throw new ServiceError('unsupported', noLight);
  if (light.kind === 'plasma') {
    await switchPlasma(session, light.place, on);
    return 'Plasma';
  }
  await writeDconf(session, '/org/gnome/settings-daemon/plugins/color/night-light-enabled', on);
  if (on) await undoPause(session);
  return 'GNOME';
}

/** GNOME's own button pauses the night light until tomorrow. */
async function undoPause(session: Bus): Promise<void> {
  const { destination, path, interface: name } = gnomeColor;
  const call = { destination, path, interface: properties, member: 'Set', signature: 'ssv', timeoutMs };
  await session.call({ ...call, body: [name, 'DisabledUntilTomorrow', variant('b', false)] }).catch(() => {});
}

/** Other programs can inhibit Plasma's night light while they are connected; they cannot change its settings. */
async function switchPlasma(session: Bus, place: BusPlace, on: boolean): Promise<void> {
  const holds = heldInhibitions(session);
  const cookie = holds.cookie(held);
  if (!on) {
    if (cookie !== undefined) return;
    const [given] = await session.call({ ...place, member: 'inhibit', timeoutMs });
    await holds.hold(held, Number(given), place.destination);
    return;
  }
  // Also while it is disabled: a remaining inhibition would have an effect once the user enables it.
  if (cookie !== undefined) {
    holds.drop(held);
    await session.call({ ...place, member: 'uninhibit', signature: 'u', body: [cookie], timeoutMs });
  }
  const { destination, path, interface: name } = place;
  const call = { destination, path, interface: properties, member: 'Get', signature: 'ss', timeoutMs };
  if ((await session.call({ ...call, body: [name, 'enabled'] }))[0] !== true)
    throw new ServiceError(
      'unsupported',
      'The night light is disabled in Plasma; enable it in System Settings, Night Light, so that it can be switched',
    );
}
