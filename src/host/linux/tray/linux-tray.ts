import { createBus } from '../../../protocols/dbus/bus.ts';
import type { ShownTray, TrayEvents, TrayView } from '../../tray.ts';
import { sessionPlaces } from '../desktop/bus-address.ts';
import type { LinuxHost } from '../linux-host.ts';
import { connectQuietly } from '../quiet-local.ts';
import { type NotifierParts, showStatusNotifier } from './status-notifier.ts';

/** On the session bus of the user we run as, and on no other. */
export function showOnLinux(
  { environment, clock, session }: Pick<LinuxHost, 'environment' | 'clock' | 'session'>,
  view: TrayView,
  events: TrayEvents,
): Promise<ShownTray> {
  const openBus: NotifierParts['openBus'] = (offers) =>
    createBus(() => sessionPlaces(environment), connectQuietly, { offers });
  return showStatusNotifier({ clock, openBus, watchSession: session.watch }, view, events);
}
