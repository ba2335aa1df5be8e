import type { ShownTray, TrayEvents, TrayView } from '../../tray.ts';
import { connectOffering } from '../desktop/connect-buses.ts';
import type { LinuxHost } from '../linux-host.ts';
import { showStatusNotifier } from './status-notifier.ts';

/** On the session bus of the user we run as, and on no other. */
export function showOnLinux(
  { environment, clock, session }: Pick<LinuxHost, 'environment' | 'clock' | 'session'>,
  view: TrayView,
  events: TrayEvents,
): Promise<ShownTray> {
  const parts = {
    clock,
    openBus: (offers: Parameters<typeof connectOffering>[1]) => connectOffering(environment, offers),
    watchSession: session.watch,
  };
  return showStatusNotifier(parts, view, events);
}
