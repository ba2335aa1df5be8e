import { createDesktopNotifications } from '../../host/linux/desktop/desktop-notifications.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { Notice } from './power.contract.ts';

/** Stays on the screen until it is pressed, or taken away. */
export async function notifyLinux({ dbus }: LinuxHost, { title, body, cancel }: Notice): Promise<() => void> {
  const notifications = createDesktopNotifications(dbus.session, 'Hostler');
  const button = { key: 'cancel', label: 'Cancel' };
  const id = await notifications.show(
    { title, body, icon: 'system-shutdown', timeoutMs: 0, actions: cancel === null ? [] : [button] },
    cancel === null ? undefined : { pressed: (key) => void (key === button.key && cancel()) },
  );
  return () => void notifications.withdraw(id).finally(notifications.close);
}
