import type { Bus, Signal } from '@hostler/dbus/dbus.ts';
import { createStops } from '../../../lib/closing.ts';
import { firstOfMost } from '../../../lib/fair-share.ts';
import { namedPlace, ownersOf, signalsOf } from '../dbus/bus-properties.ts';

/** https://specifications.freedesktop.org/notification-spec */
export interface DesktopNotification {
  title: string;
  body?: string;
  /** Name of the application, if not the default. */
  app?: string;
  /** Name in the icon theme, or an absolute path. */
  icon?: string;
  /** Buttons; the key `default` is a click on the notification itself. */
  actions?: readonly { key: string; label: string }[];
  /** Plain values, or `variant()` where the type matters, such as `urgency: variant('y', 2)`. */
  hints?: Record<string, unknown>;
  /** 0: until the user closes it; -1, the default: the desktop decides. */
  timeoutMs?: number;
  replaces?: number;
}

export interface NotificationEvents {
  /** The token that sent it. Above the limit, the oldest notification of the owner with most is no longer followed. */
  owner?: string;
  pressed?(key: string): void;
  /** Once, however it ended, and the last event. */
  closed?(reason: CloseReason): void;
}

export type CloseReason = 'expired' | 'dismissed' | 'closed' | 'unknown';

export type DesktopNotifications = ReturnType<typeof createDesktopNotifications>;

const server = namedPlace('org.freedesktop.Notifications');
const reasons: CloseReason[] = ['unknown', 'expired', 'dismissed', 'closed'];
/** Bounds the subscriptions and the memory where a desktop does not report that a notification was closed. */
const mostFollowed = 200;
const usualTimeoutMs = 4000;
/** Ours are shorter. Longer ones would fill the memory until the reply with the id. */
const longestKey = 256;

/** Subscribes to the session bus only while the events of a notification are followed. */
export function createDesktopNotifications(session: Bus, name: string, timeoutMs: number = usualTimeoutMs) {
  const followed = new Map<number, NotificationEvents>();
  /** Signals with unknown ids: the reply with the id may be read after them. null: no reply is pending. */
  let early: Received[] | null = null;
  let sending = 0;
  let following: Promise<() => void> | null = null;
  const call = (member: string, signature = '', body: unknown[] = []) =>
    session.call({ ...server, member, signature, body, timeoutMs });

  function remember(id: number, events: NotificationEvents): void {
    followed.delete(id);
    const excess = followed.size < mostFollowed ? undefined : firstOfMost(followed, ([, { owner = '' }]) => owner);
    if (excess !== undefined) {
      followed.delete(excess[0]);
      excess[1].closed?.('unknown');
    }
    followed.set(id, events);
    for (const signal of early ?? []) if (signal.body[0] === id) receive(signal);
  }

  function follow(): Promise<() => void> {
    const starting = following ?? subscribe();
    following = starting;
    // After a failure the next notification tries again.
    starting.catch(() => {
      if (following === starting) following = null;
    });
    return starting;
  }

  /** One subscription for both signals of all notifications, and one for the end of the notification server. */
  async function subscribe(): Promise<() => void> {
    const gone = ({ member, body: [, before] }: Signal) => {
      if (member === 'NameOwnerChanged' && before !== '') forgetAll();
    };
    const started = [
      session.subscribe(signalsOf(server), ({ member, body: [id, detail] }) => {
        if (String(detail).length <= longestKey) receive({ member, body: [Number(id), detail] });
      }),
      session.subscribe(ownersOf(server.destination), gone),
    ];
    try {
      return createStops(
        ...(await Promise.all(started)),
        session.onReconnected(() => {}, forgetAll),
      ).end;
    } catch (error) {
      for (const one of await Promise.allSettled(started)) if (one.status === 'fulfilled') one.value();
      throw error;
    }
  }

  /** The notification server ended, and its notifications with it. */
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

  function receive(signal: Received): void {
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

  return {
    /** Shows one, and returns its id. Rejects with a BusError where there is no notification server. */
    async show(notification: DesktopNotification, events?: NotificationEvents): Promise<number> {
      const { title, body = '', icon = '', actions = [], hints = {}, replaces = 0, app = name } = notification;
      const { timeoutMs: shown = -1 } = notification;
      const buttons = actions.flatMap(({ key, label }) => [key, label]);
      sending++;
      early ??= [];
      try {
        if (events !== undefined) await follow();
        const values = [app, replaces, icon, title, body, buttons, hints, shown];
        const [answer] = await call('Notify', 'susssasa{sv}i', values);
        const id = Number(answer);
        if (events !== undefined) remember(id, events);
        return id;
      } finally {
        sending--;
        if (sending === 0) early = null;
        unfollowIfUnused();
      }
    },
    /** Removes it from the screen; no error if it is closed already. */
    async withdraw(id: number) {
      await call('CloseNotification', 'u', [id]).catch(() => {});
    },
    /** What the desktop can do: `actions`, `body`, `body-markup`, `sound`, `persistence` … */
    async capabilities(): Promise<Set<string>> {
      const [list] = await call('GetCapabilities');
      return new Set(Array.isArray(list) ? list.map(String) : []);
    },
    close() {
      followed.clear();
      unfollowIfUnused();
    },
  };
}

type Received = Pick<Signal, 'member' | 'body'>;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes untrusted text for servers that interpret markup in the body. */
export function withoutMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
