import { BusError, busDaemon, type Signal, type SignalMatch } from './dbus.ts';
import { type BusLink, replyTimeoutMs } from './link.ts';
import { matches, toRule } from './match.ts';
import type { BusMessage } from './message.ts';
import { wrap } from './wrap.ts';

/** Subscribers and their match rules; survives the connection. */
export interface Subscriptions {
  readonly size: number;
  add(link: BusLink, match: SignalMatch, onSignal: (signal: Signal) => void): Promise<() => void>;
  /** Subscribes a new connection to everything the old one had. */
  restore(link: BusLink): Promise<void>;
  dispatch(message: BusMessage): void;
  clear(): void;
}

export function createSubscriptions(current: () => BusLink | null, report: (error: unknown) => void): Subscriptions {
  const subscribers = new Set<Subscriber>();
  /** Several subscribers can share a rule: it is added for the first and removed after the last. */
  const rules = new Map<string, { users: number; added: Promise<unknown> }>();
  /** Signals carry the unique name of their sender, so of each well-known name the owner is followed. */
  const names = new Map<string, Followed>();
  const ownerOf = (name: string) => names.get(name)?.owner ?? null;

  return {
    get size() {
      return subscribers.size;
    },
    async add(link, match, onSignal) {
      const subscriber = { match, onSignal };
      const rule = toRule(match);
      subscribers.add(subscriber);
      const ready = [hold(link, rule), follow(link, match.sender)];
      const release = () => {
        if (!subscribers.delete(subscriber)) return;
        drop(rule);
        unfollow(match.sender);
      };
      try {
        await Promise.all(ready);
      } catch (error) {
        release();
        throw error;
      }
      return release;
    },
    async restore(link) {
      for (const [rule, held] of rules) held.added = askQuietly(link, 'AddMatch', rule);
      for (const [name, followed] of names) followed.known = learnOwner(link, name, followed);
      await Promise.all([
        ...[...rules.values()].map(({ added }) => added),
        ...[...names.values()].map(({ known }) => known),
      ]);
    },
    dispatch(message) {
      noteOwner(message);
      const concerned = [...subscribers].filter(({ match }) => matches(match, message, ownerOf));
      if (concerned.length === 0) return;
      const signal = toSignal(message);
      for (const subscriber of concerned) {
        // A handler may have unsubscribed another one.
        if (subscribers.has(subscriber)) attempt(() => subscriber.onSignal(signal), report);
      }
    },
    clear() {
      subscribers.clear();
      rules.clear();
      names.clear();
    },
  };

  function hold(link: BusLink, rule: string): Promise<unknown> {
    const held = rules.get(rule) ?? { users: 0, added: askQuietly(link, 'AddMatch', rule) };
    held.users++;
    rules.set(rule, held);
    return held.added;
  }

  function drop(rule: string): void {
    const held = rules.get(rule);
    if (!held || --held.users > 0) return;
    rules.delete(rule);
    const link = current();
    if (link) askQuietly(link, 'RemoveMatch', rule);
  }

  async function follow(link: BusLink, name: string | undefined): Promise<void> {
    if (!isWellKnown(name)) return;
    const followed = names.get(name) ?? startFollowing(link, name);
    followed.users++;
    await Promise.all([rules.get(ownerRule(name))?.added, followed.known]);
  }

  function startFollowing(link: BusLink, name: string): Followed {
    const followed: Followed = { users: 0, owner: undefined, known: Promise.resolve() };
    names.set(name, followed);
    // The rule is sent before the request, so no change is missed between the reply and the first signal.
    hold(link, ownerRule(name));
    followed.known = learnOwner(link, name, followed);
    return followed;
  }

  function unfollow(name: string | undefined): void {
    if (!isWellKnown(name)) return;
    const followed = names.get(name);
    if (!followed || --followed.users > 0) return;
    names.delete(name);
    drop(ownerRule(name));
  }

  async function learnOwner(link: BusLink, name: string, followed: Followed): Promise<void> {
    followed.owner = undefined;
    const owner = await ask(link, 'GetNameOwner', name).then(([owner]) => String(owner), noOwner);
    // A change announced meanwhile is newer than this reply.
    if (followed.owner === undefined) followed.owner = owner;
  }

  function noteOwner(message: BusMessage): void {
    if (message.sender !== busDaemon.destination || message.member !== 'NameOwnerChanged') return;
    const [name, , owner] = message.body;
    const followed = names.get(String(name));
    if (followed) followed.owner = String(owner ?? '') || null;
  }
}

/** Calls a callback, which may be async; a rejection must not end the process either. */
export function attempt(callback: () => unknown, report: (error: unknown) => void): void {
  try {
    Promise.resolve(callback()).catch(report);
  } catch (error) {
    report(error);
  }
}

interface Subscriber {
  match: SignalMatch;
  onSignal(signal: Signal): void;
}

interface Followed {
  users: number;
  /** null: no owner. undefined: not known yet. */
  owner: string | null | undefined;
  known: Promise<void>;
}

function ask(link: BusLink, member: string, argument: string): Promise<unknown[]> {
  return link.request({ ...busDaemon, member, signature: 's', body: wrap('s', [argument]) }, replyTimeoutMs);
}

/** The caller may ignore the failure. */
function askQuietly(link: BusLink, member: string, argument: string): Promise<unknown[]> {
  const reply = ask(link, member, argument);
  reply.catch(() => {});
  return reply;
}

function noOwner(error: unknown): null {
  if (error instanceof BusError && error.errorName === 'org.freedesktop.DBus.Error.NameHasNoOwner') return null;
  throw error;
}

function isWellKnown(name: string | undefined): name is string {
  return name !== undefined && !name.startsWith(':') && name !== busDaemon.destination;
}

function ownerRule(name: string): string {
  return toRule({
    sender: busDaemon.destination,
    interface: busDaemon.interface,
    member: 'NameOwnerChanged',
    arg0: name,
  });
}

function toSignal({ sender = '', path = '', interface: iface = '', member = '', body }: BusMessage): Signal {
  return { sender, path, interface: iface, member, body };
}
