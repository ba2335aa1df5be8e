import type { Bus } from '../../../protocols/dbus/dbus.ts';

const displayConfig = {
  destination: 'org.gnome.Mutter.DisplayConfig',
  path: '/org/gnome/Mutter/DisplayConfig',
  interface: 'org.gnome.Mutter.DisplayConfig',
};
const bus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const timeoutMs = 500;

/** The connector of GNOME's primary display, such as DP-1; Wayland itself has no word for it. null: no GNOME, or none. */
export async function mutterPrimary(session: Bus): Promise<string | null> {
  try {
    const name = displayConfig.destination;
    const [runs] = await session.call({ ...bus, member: 'NameHasOwner', signature: 's', body: [name], timeoutMs });
    if (runs !== true) return null;
    const [, , logical] = await session.call({ ...displayConfig, member: 'GetCurrentState', timeoutMs });
    return parsePrimary(logical);
  } catch {
    return null;
  }
}

/** Of logical monitors: x, y, scale, transform, primary, monitors, properties; of a monitor: connector, maker, product, serial. */
export function parsePrimary(logical: unknown): string | null {
  for (const monitor of Array.isArray(logical) ? logical : []) {
    const [, , , , isPrimary, members] = Array.isArray(monitor) ? monitor : [];
    const [first] = Array.isArray(members) ? members : [];
    if (isPrimary === true && Array.isArray(first) && typeof first[0] === 'string') return first[0];
  }
  return null;
}

export async function watchMutter(session: Bus, changed: () => void): Promise<() => void> {
  const { path, interface: name } = displayConfig;
  return await session.subscribe({ path, interface: name, member: 'MonitorsChanged' }, changed).catch(() => () => {});
}
