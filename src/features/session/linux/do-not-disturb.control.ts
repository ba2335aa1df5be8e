import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { getProperty, hasOwner, setProperty } from '../../../host/linux/dbus/bus-properties.ts';
import {
  notificationDaemon,
  notificationServer,
  silentModes,
  swayncPlace,
} from '../../../host/linux/desktop/do-not-disturb.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { writeDconf } from './dconf.ts';
import { heldInhibitions } from './inhibitions.ts';

const timeoutMs = 2000;
const held = 'notifications';

type Silence = (session: Bus, on: boolean) => Promise<void>;

/** Why do not disturb cannot be switched; null: it can. */
export async function whyNoSilence(session: Bus): Promise<string | null> {
  if (!(await hasOwner(session, notificationDaemon.destination).catch(() => false))) return noDaemon;
  const server = await notificationServer(session, timeoutMs);
  return silences[server.toLowerCase()] === undefined ? cannot(server) : null;
}

/** Silences notifications or shows them again, through the notification daemon. Returns its name. */
export async function silenceNotifications(session: Bus, on: boolean): Promise<string> {
  if (!(await hasOwner(session, notificationDaemon.destination).catch(() => false)))
    throw new ServiceError('unsupported', noDaemon);
  const server = await notificationServer(session, timeoutMs);
  const silence = silences[server.toLowerCase()];
  if (silence === undefined) throw new ServiceError('unsupported', cannot(server));
  await silence(session, on);
  return server;
}

const noDaemon = 'No notification daemon is running; install and start one, such as dunst';
const cannot = (server: string) =>
  `${server} has no do-not-disturb switch for other programs; dunst, mako, swaync, GNOME and Plasma have one`;

const silences: Record<string, Silence> = {
  async dunst(session, on) {
    const place = { ...notificationDaemon, interface: 'org.dunstproject.cmd0' };
    await setProperty(session, place, 'paused', variant('b', on), timeoutMs);
  },
  async mako(session, on) {
    const place = { destination: notificationDaemon.destination, path: '/fr/emersion/Mako' };
    const call = { ...place, interface: 'fr.emersion.Mako', timeoutMs };
    const [found] = await session.call({ ...call, member: 'ListModes' });
    const others = (Array.isArray(found) ? found.map(String) : []).filter((mode) => !silentModes.includes(mode));
    const modes = on ? [...others, silentModes[0]] : others;
    await session.call({ ...call, member: 'SetModes', signature: 'as', body: [modes] });
  },
  async swaync(session, on) {
    await session.call({ ...swayncPlace, member: 'SetDnd', signature: 'b', body: [on], timeoutMs });
  },
  // In GNOME, do not disturb means that banners are not shown.
  'gnome-shell': (session, on) => writeDconf(session, '/org/gnome/desktop/notifications/show-banners', !on),
  async plasma(session, on) {
    const holds = heldInhibitions(session);
    const cookie = holds.cookie(held);
    if (!on) {
      if (cookie === undefined) return await refuseIfSilent(session);
      holds.drop(held);
      await session.call({ ...notificationDaemon, member: 'UnInhibit', signature: 'u', body: [cookie], timeoutMs });
      return;
    }
    if (cookie !== undefined) return;
    const body = ['hostler', 'Do not disturb', {}];
    const call = { ...notificationDaemon, member: 'Inhibit', signature: 'ssa{sv}', body, timeoutMs };
    const [given] = await session.call(call);
    await holds.hold(held, Number(given), notificationDaemon.destination);
  },
};

/** Plasma has no call that ends a silence set by the user or another program. */
async function refuseIfSilent(session: Bus): Promise<void> {
  if ((await getProperty(session, notificationDaemon, 'Inhibited', timeoutMs)) === true)
    throw new ServiceError(
      'unsupported',
      'Do not disturb was switched on in Plasma or by another program, and can only be switched off there',
    );
}
