import type { Bus } from '@hostler/dbus/dbus.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { type BusValues, busTimeoutMs, busValues, getProperty, namedPlace } from '../dbus/bus-properties.ts';
import { type Fact, inherently, mendably } from './found-value.ts';

export const notificationDaemon = namedPlace('org.freedesktop.Notifications');
const properties = 'org.freedesktop.DBus.Properties';
export const swayncPlace = {
  destination: notificationDaemon.destination,
  path: '/org/erikreider/swaync/cc',
  interface: 'org.erikreider.swaync.cc',
};
/** Common names of the mode in which mako shows nothing; its manual uses the first. */
export const silentModes = ['do-not-disturb', 'dnd'];

/** Do not disturb of the notification server: dunst, mako, Plasma and swaync expose it. */
export function doNotDisturb(session: Bus): Pick<BusValues, 'watch'> & { read(): Promise<Fact<boolean>> } {
  const values = busValues(session, notificationDaemon, {
    names: [],
    ask: () => askServer(session),
    // Each server exposes it at another object.
    signals: [
      { match: { sender: notificationDaemon.destination, interface: properties, member: 'PropertiesChanged' } },
    ],
    isUnannounced: (found) => found.get('announced') !== true,
  });
  return {
    watch: values.watch,
    async read() {
      const found = await values.read();
      if (found === null) return mendably('No notification daemon is running; start one, such as dunst');
      const silent = found.get('silent');
      if (typeof silent === 'boolean') return { value: silent };
      return inherently(`${found.get('server')} does not report whether do not disturb is on`);
    },
  };
}

async function askServer(session: Bus): Promise<ReadonlyMap<string, unknown>> {
  const timeoutMs = busTimeoutMs;
  const server = await notificationServer(session, timeoutMs);
  const ask = switches[server.toLowerCase()];
  const silent = ask === undefined ? null : await ask(session, timeoutMs);
  return new Map<string, unknown>([
    ['server', server],
    ['silent', silent],
    // Without a switch there are no changes either.
    ['announced', silent === null || announcing.has(server.toLowerCase())],
  ]);
}

/** Its own name. */
export async function notificationServer(session: Bus, timeoutMs: number): Promise<string> {
  const [name] = await session.call({ ...notificationDaemon, member: 'GetServerInformation', timeoutMs });
  return typeof name === 'string' && name !== '' ? shownText(name, 40) : 'The notification daemon';
}

/** Servers that announce changes. */
const announcing = new Set(['dunst', 'plasma']);

const switches: Record<string, (session: Bus, timeoutMs: number) => Promise<boolean | null>> = {
  dunst: (session, timeoutMs) => property(session, 'org.dunstproject.cmd0', 'paused', timeoutMs),
  plasma: (session, timeoutMs) => property(session, notificationDaemon.interface, 'Inhibited', timeoutMs),
  async mako(session, timeoutMs) {
    const place = {
      destination: notificationDaemon.destination,
      path: '/fr/emersion/Mako',
      interface: 'fr.emersion.Mako',
    };
    const [modes] = await session.call({ ...place, member: 'ListModes', timeoutMs });
    return Array.isArray(modes) ? modes.some((mode) => silentModes.includes(String(mode))) : null;
  },
  async swaync(session, timeoutMs) {
    const [silent] = await session.call({ ...swayncPlace, member: 'GetDnd', timeoutMs });
    return typeof silent === 'boolean' ? silent : null;
  },
};

async function property(session: Bus, name: string, member: string, timeoutMs: number): Promise<boolean | null> {
  const value = await getProperty(session, { ...notificationDaemon, interface: name }, member, timeoutMs);
  return typeof value === 'boolean' ? value : null;
}
