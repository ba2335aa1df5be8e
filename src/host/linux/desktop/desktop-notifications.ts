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
  const state: State = { session, followed: new Map(), early: null, sending: 0, following: null };
  const call = (member: string, signature = '', body: unknown[] = []) =>
    session.call({ ...server, member, signature, body, timeoutMs });
  return {
    /** Shows one, and returns its id. Rejects with a BusError where there is no notification server. */
    async show(notification: DesktopNotification, events?: NotificationEvents): Promise<number> {
      const { title, body = '', icon = '', actions = [], hints = {}, replaces = 0, app = name } = notification;
      const { timeoutMs: shown = -1 } = notification;
      const buttons = actions.flatMap(({ key, label }) => [key, label]);
      state.sending++;
      state.early ??= [];
      try {
        if (events !== undefined) await follow(state);
        const values = [app, replaces, icon, title, body, buttons, hints, shown];
        const [answer] = await call('Notify', 'susssasa{sv}i', values);
        const id = Number(answer);
        if (events !== undefined) remember(state, id, events);
        return id;
      } finally {
        state.sending--;
        if (state.sending === 0) state.early = null;
        unfollowIfUnused(state);
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
      state.followed.clear();
      unfollowIfUnused(state);
    },
  };
}

interface State {
  readonly session: Bus;
  readonly followed: Map<number, NotificationEvents>;
  /** Signals with unknown ids: the reply with the id may be read after them. null: no reply is pending. */
  early: Received[] | null;
  sending: number;
  following: Promise<() => void> | null;
}

type Received = Pick<Signal, 'member' | 'body'>;

function remember(state: State, id: number, events: NotificationEvents): void {
  const { followed, early } = state;
  followed.delete(id);
  const excess = followed.size < mostFollowed ? undefined : firstOfMost(followed, ([, { owner = '' }]) => owner);
  if (excess !== undefined) {
    followed.delete(excess[0]);
    excess[1].closed?.('unknown');
  }
  followed.set(id, events);
  for (const signal of early ?? []) if (signal.body[0] === id) receive(state, signal);
}

function follow(state: State): Promise<() => void> {
  const starting = state.following ?? subscribe(state);
  state.following = starting;
  // After a failure the next notification tries again.
  starting.catch(() => {
    if (state.following === starting) state.following = null;
  });
  return starting;
}

/** One subscription for both signals of all notifications, and one for the end of the notification server. */
async function subscribe(state: State): Promise<() => void> {
  const { session } = state;
  const gone = ({ member, body: [, before] }: Signal) => {
    if (member === 'NameOwnerChanged' && before !== '') forgetAll(state);
  };
  const started = [
    session.subscribe(signalsOf(server), ({ member, body: [id, detail] }) => {
      if (String(detail).length <= longestKey) receive(state, { member, body: [Number(id), detail] });
    }),
    session.subscribe(ownersOf(server.destination), gone),
  ];
  try {
    const lost = () => forgetAll(state);
    return createStops(
      ...(await Promise.all(started)),
      session.onReconnected(() => {}, lost),
    ).end;
  } catch (error) {
    for (const one of await Promise.allSettled(started)) if (one.status === 'fulfilled') one.value();
    throw error;
  }
}

/** The notification server ended, and its notifications with it. */
function forgetAll(state: State): void {
  const gone = [...state.followed.values()];
  state.followed.clear();
  unfollowIfUnused(state);
  for (const events of gone) events.closed?.('unknown');
}

function unfollowIfUnused(state: State): void {
  if (state.followed.size > 0 || state.sending > 0) return;
  const ended = state.following;
  state.following = null;
  void ended?.then(
    (stop) => stop(),
    () => {},
  );
}

function receive(state: State, signal: Received): void {
  const [id, detail] = signal.body;
  const events = state.followed.get(Number(id));
  if (events === undefined) {
    if (state.early !== null && state.early.length < mostFollowed) state.early.push(signal);
    return;
  }
  if (signal.member === 'ActionInvoked') events.pressed?.(String(detail));
  if (signal.member !== 'NotificationClosed') return;
  state.followed.delete(Number(id));
  unfollowIfUnused(state);
  events.closed?.(reasons[Number(detail)] ?? 'unknown');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes untrusted text for servers that interpret markup in the body. */
export function withoutMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}
