import { BusError } from '../../../protocols/dbus/dbus.ts';
import type { LinuxHost } from '../linux-host.ts';
import { createDesktopNotifications, withoutMarkup } from './desktop-notifications.ts';

/** A notification of the service itself, which nobody can answer. Rejects with a sentence where there is no desktop. */
export async function showNoticeLinux(
  { dbus }: Pick<LinuxHost, 'dbus'>,
  title: string,
  text: string,
  icon = 'dialog-warning',
): Promise<void> {
  const notifications = createDesktopNotifications(dbus.session, 'Hostler');
  try {
    const can = await notifications.capabilities();
    await notifications.show({
      title,
      body: can.has('body-markup') ? withoutMarkup(text) : text,
      icon,
    });
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new Error('there is no desktop here that shows notifications', { cause: error });
  } finally {
    notifications.close();
  }
}
