import type { Bus, Signal } from '@hostler/dbus/dbus.ts';

/** https://specifications.freedesktop.org/notification-spec */
export interface DesktopNotification {
  title: string;
  body?: string;
  /** Who shows it, if not the usual one. */
  app?: string;
  /** Name in the icon theme, or an absolute path. */
  icon?: string;
  /** Buttons; pressing the notification itself is the one with the key `default`. */
  actions?: readonly { key: string; label: string }[];
  /** Plain values, or `variant()` where the type matters, such as `urgency: variant('y', 2)`. */
  hints?: Record<string, unknown>;
  /** 0: until somebody closes it; -1 (unless said): as the desktop likes. */
  timeoutMs?: number;
  /** Number of a notification whose place it takes. */
  replaces?: number;
}

export interface NotificationEvents {
  /** A button was pressed. */
  pressed?(key: string): void;
  /** Once, however it ended. Nothing is heard of it afterwards. */
  closed?(reason: CloseReason): void;
}

export type CloseReason = 'expired' | 'dismissed' | 'closed' | 'unknown';

export interface DesktopNotifications {
  /** Shows one, and returns its number. Rejects with a BusError where nobody shows notifications. */
  show(notification: DesktopNotification, events?: NotificationEvents): Promise<number>;
  /** Takes it off the screen; one that is gone already is no error. */
  withdraw(id: number): Promise<void>;
  /** What the desktop can do: `actions`, `body`, `body-markup`, `sound`, `persistence` … */
  capabilities(): Promise<Set<string>>;
  /** Hears of nothing any more; what is on the screen stays. */
  close(): void;
}

const server = {
  destination: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
};
const ownership = {
  sender: 'org.freedesktop.DBus',
  interface: 'org.freedesktop.DBus',
  member: 'NameOwnerChanged',
  arg0: server.destination,
};
const reasons: CloseReason[] = ['unknown', 'expired', 'dismissed', 'closed'];
/** A desktop that forgets to say that one has gone must not make us listen for ever, or keep all of them. */
const mostFollowed = 200;
const usualTimeoutMs = 4000;

/** The session bus is listened to only while there is a notification that somebody wants to hear about. */
export function createDesktopNotifications(
  session: Bus,
  name: string,
  timeoutMs: number = usualTimeoutMs,
): DesktopNotifications {
  const followed = new Map<number, NotificationEvents>();
  /** Signals about numbers we do not know yet: the answer with the number may be read after them. */
  let early: Signal[] | null = null;
  let sending = 0;
  let following: Promise<() => void> | null = null;
  const call = (member: string, signature = '', body: unknown[] = []) =>
    session.call({ ...server, member, signature, body, timeoutMs });

  return {
    async show(notification, events) {
      const {
        title,
        body = '',
        icon = '',
        actions = [],
        hints = {},
        timeoutMs: shown = -1,
        replaces = 0,
        app = name,
      } = notification;
      const buttons = actions.flatMap(({ key, label }) => [key, label]);
      sending++;
      early ??= [];
      try {
        if (events !== undefined) await follow();
        const [answer] = await call('Notify', 'susssasa{sv}i', [
          app,
          replaces,
          icon,
          title,
          body,
          buttons,
          hints,
          shown,
        ]);
        const id = Number(answer);
        if (events !== undefined) remember(id, events);
        return id;
      } finally {
        sending--;
        if (sending === 0) early = null;
        unfollowIfUnused();
      }
    },
    async withdraw(id) {
      await call('CloseNotification', 'u', [id]).catch(() => {});
    },
    async capabilities() {
      const [list] = await call('GetCapabilities');
      return new Set(Array.isArray(list) ? list.map(String) : []);
    },
    close() {
      followed.clear();
      unfollowIfUnused();
    },
  };

  /** Nobody follows so many: whatever was kept for it is given back. */
  function forget(id: number): void {
    const events = followed.get(id);
    followed.delete(id);
    events?.closed?.('unknown');
  }

  function remember(id: number, events: NotificationEvents): void {
    const [oldest] = followed.keys();
    if (oldest !== undefined && followed.size >= mostFollowed) forget(oldest);
    followed.delete(id);
    followed.set(id, events);
    for (const signal of early ?? []) if (signal.body[0] === id) hear(signal);
  }

  /** One subscription for both signals and all notifications, and one for the end of who shows them. */
  function follow(): Promise<() => void> {
    const starting = following ?? start();
    following = starting;
    // Without a bus there is nothing to follow, and the next one shall try again.
    starting.catch(() => {
      if (following === starting) following = null;
    });
    return starting;
  }

  async function start(): Promise<() => void> {
    const { destination: sender, ...object } = server;
    const gone = ({ member, body: [, before] }: Signal) => {
      if (member === 'NameOwnerChanged' && before !== '') forgetAll();
    };
    const started = [session.subscribe({ sender, ...object }, hear), session.subscribe(ownership, gone)];
    try {
      const stops = [...(await Promise.all(started)), session.onReconnected(() => {}, forgetAll)];
      return () => {
        for (const stop of stops) stop();
      };
    } catch (error) {
      for (const one of await Promise.allSettled(started)) if (one.status === 'fulfilled') one.value();
      throw error;
    }
  }

  /** Whoever showed them is gone, and so are they. */
  function forgetAll(): void {
    const gone = [...followed.values()];
    followed.clear();
    unfollowIfUnused();
    for (const events of gone) events.closed?.('unknown');
  }

  function unfollowIfUnused(): void {
    if (followed.size > 0 || sending > 0) return;
    const ended = following;
    following = null;
    void ended?.then(
      (stop) => stop(),
      () => {},
    );
  }

  function hear(signal: Signal): void {
    const [id, detail] = signal.body;
    const events = followed.get(Number(id));
    if (events === undefined) {
      if (early !== null && early.length < mostFollowed) early.push(signal);
      return;
    }
    if (signal.member === 'ActionInvoked') events.pressed?.(String(detail));
    if (signal.member !== 'NotificationClosed') return;
    followed.delete(Number(id));
    unfollowIfUnused();
    events.closed?.(reasons[Number(detail)] ?? 'unknown');
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Where a server takes markup in the body, words of others must not become any. */
export function withoutMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
