import { BusError, variant } from '@hostler/dbus/dbus.ts';
import type { LinuxHost } from '../linux-host.ts';
import { createDesktopNotifications, withoutMarkup } from './desktop-notifications.ts';
import { doNotDisturb } from './do-not-disturb.ts';

/** Stays visible, and most desktops show it while do not disturb is on. */
const critical = 2;

interface NoticeOptions {
  icon?: string;
  /** The user must see it: also rejects while do not disturb is on, since it may not be visible. */
  mustBeSeen?: boolean;
}

/** A notification of the service itself, without buttons. Rejects with a sentence where there is no desktop. */
export async function showNoticeLinux(
  { dbus }: Pick<LinuxHost, 'dbus'>,
  title: string,
  text: string,
  { icon = 'dialog-warning', mustBeSeen = false }: NoticeOptions = {},
): Promise<void> {
  const notifications = createDesktopNotifications(dbus.session, 'Hostler');
  try {
    const can = await notifications.capabilities();
    await notifications.show({
      title,
      body: can.has('body-markup') ? withoutMarkup(text) : text,
      icon,
      ...(mustBeSeen && { hints: { urgency: variant('y', critical) } }),
    });
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new Error('there is no desktop here that shows notifications', { cause: error });
  } finally {
    notifications.close();
  }
  if (mustBeSeen && (await isSilent(dbus.session)))
    throw new Error('do not disturb is on, so the notification may not have been seen');
}

/** Desktops that do not report it count as showing notifications. */
async function isSilent(session: LinuxHost['dbus']['session']): Promise<boolean> {
  return await doNotDisturb(session)
    .read()
    .then(
      (fact) => 'value' in fact && fact.value === true,
      () => false,
    );
}
