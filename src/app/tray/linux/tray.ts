import { createBus } from '@hostler/dbus/bus.ts';
import { sessionPlaces } from '../../../host/linux/dbus/bus-address.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { connectQuietly } from '../../../host/linux/net/persistent-local.ts';
import type { ShownTray, TrayEvents, TrayView } from '../tray.contract.ts';
import { type NotifierParts, showStatusNotifier } from './status-notifier.ts';

/** On the session bus of the user this service runs as, and on no other. */
export function showOnLinux(
  { environment, clock, session }: Pick<LinuxHost, 'environment' | 'clock' | 'session'>,
  view: TrayView,
  events: TrayEvents,
): Promise<ShownTray> {
  const openBus: NotifierParts['openBus'] = (offers) =>
    createBus(() => sessionPlaces(environment), connectQuietly, { offers });
  return showStatusNotifier({ clock, openBus, watchSession: session.watch }, view, events);
}
