import { variant } from '../../../protocols/dbus/dbus.ts';
import type { LinuxHost } from '../linux-host.ts';
import { createDesktopNotifications, withoutMarkup } from './desktop-notifications.ts';

/** What one may press; anything else, such as the notification itself, is no. */
const allow = { key: 'hostler-allow', label: 'Allow' };
const deny = { key: 'hostler-deny', label: 'Deny' };
/** Stays in sight, also while the user is in full screen. */
const critical = 2;

/**
 * Asks whoever sits at the desktop, by a notification with two buttons. Closing it, its expiry and a press on its body mean no.
 * Rejects where there is a desktop on which nobody can be asked that way.
 */
export async function askUserLinux(
  { dbus, session }: Pick<LinuxHost, 'dbus' | 'session'>,
  { title, text }: { title: string; text: string },
  signal: AbortSignal,
): Promise<'allowed' | 'denied' | 'no_desktop'> {
  const notifications = createDesktopNotifications(dbus.session, 'Hostler');
  try {
    const can = await notifications.capabilities().catch(() => null);
    if (can === null) {
      const { wayland, x11 } = await session.find();
      if (wayland === null && x11 === null) return 'no_desktop';
      throw new Error('the desktop shows no notifications');
    }
    if (!can.has('actions')) throw new Error('notifications of this desktop have no buttons');
    const answer = Promise.withResolvers<'allowed' | 'denied'>();
    const id = await notifications.show(
      {
        title,
        body: can.has('body-markup') ? withoutMarkup(text) : text,
        icon: 'dialog-question',
        actions: [allow, deny],
        hints: { urgency: variant('y', critical), resident: false },
        timeoutMs: 0,
      },
      {
        pressed: (key) => answer.resolve(key === allow.key ? 'allowed' : 'denied'),
        closed: () => answer.resolve('denied'),
      },
    );
    const expire = () => answer.resolve('denied');
    signal.addEventListener('abort', expire);
    if (signal.aborted) expire();
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', expire);
      await notifications.withdraw(id);
    }
  } finally {
    notifications.close();
  }
}
