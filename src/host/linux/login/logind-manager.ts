import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { getProperty } from '../dbus/bus-properties.ts';
import { type LoginSession, loginManager, readSessions } from './logind.ts';

export type MachineVerb = 'Suspend' | 'Hibernate' | 'Reboot' | 'PowerOff';

/** The login manager, which also controls sleep and shutdown. */
export interface LoginManager {
  name: string;
  /** `yes`, `no`, `challenge` (a password is required), `na` (not supported by the machine), and later values of logind. */
  can(verb: MachineVerb): Promise<string>;
  /** Resolves when it was accepted. Forced: ignores inhibitors. */
  order(verb: MachineVerb, force: boolean): Promise<void>;
  inhibitors(): Promise<Inhibitor[]>;
  sessions(): Promise<LoginSession[]>;
  lock(session: LoginSession): Promise<void>;
  isLocked(session: LoginSession): Promise<boolean>;
  /** null: not supported. */
  terminate: ((session: LoginSession) => Promise<void>) | null;
  /** The action in polkit's rules that allows it. `others`: other users are logged in. */
  policies(verb: MachineVerb, others: boolean, force: boolean): string[];
}

/** A program that blocks or delays an operation. */
export interface Inhibitor {
  /** Of `sleep`, `shutdown`, `idle`, `handle-lid-switch` and so on. */
  what: string[];
  who: string;
  why: string;
  /** `block`, `delay`, and `block-weak` since systemd 257. */
  mode: string;
  pid: number;
}

const timeoutMs = 4000;
// Flags of logind: root respects inhibitors as well (since systemd 247), and no caller does (since 257).
const respectAsRoot = 1;
const skipInhibitors = 16;

/**
 * systemd-logind, or elogind, which has the same interface under the same name.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
 */
export function createLogind(bus: Bus): LoginManager {
  const call = (member: string, signature = '', body: unknown[] = []) =>
    bus.call({ ...loginManager, member, signature, body, timeoutMs });
  const policyNames = { Suspend: 'suspend', Hibernate: 'hibernate', Reboot: 'reboot', PowerOff: 'power-off' };
  return {
    name: 'logind',
    can: async (verb) => String((await call(`Can${verb}`))[0]),
    async order(verb, force) {
      try {
        await call(`${verb}WithFlags`, 't', [force ? skipInhibitors : respectAsRoot]);
      } catch (error) {
        // Older versions lack the flag or the method; there, every permitted request is forced.
        if (!isUnknown(error)) throw error;
        await call(verb, 'b', [false]);
      }
    },
    inhibitors: async () => parseInhibitors((await call('ListInhibitors'))[0]),
    sessions: () => readSessions(bus, timeoutMs),
    lock: async ({ id }) => void (await call('LockSession', 's', [id])),
    async isLocked({ path }) {
      const session = { ...loginManager, path, interface: 'org.freedesktop.login1.Session' };
      return (await getProperty(bus, session, 'LockedHint', 500)) === true;
    },
    terminate: async ({ id }) => void (await call('TerminateSession', 's', [id])),
    policies(verb, others, force) {
      const name = `org.freedesktop.login1.${policyNames[verb]}`;
      return [others ? `${name}-multiple-sessions` : name, ...(force ? [`${name}-ignore-inhibit`] : [])];
    },
  };
}

const unknown = new Set([
  'org.freedesktop.DBus.Error.UnknownMethod',
  'org.freedesktop.DBus.Error.InvalidArgs',
  'org.freedesktop.DBus.Error.NotSupported',
]);

const isUnknown = (error: unknown): boolean => error instanceof BusError && unknown.has(error.errorName);

/** An array of (what, who, why, mode, uid, pid). */
export function parseInhibitors(list: unknown): Inhibitor[] {
  return (Array.isArray(list) ? list : []).flatMap((entry) => {
    if (!Array.isArray(entry)) return [];
    const [what, who, why, mode, , pid] = entry;
    return [
      { what: String(what).split(':'), who: String(who), why: String(why), mode: String(mode), pid: Number(pid) || 0 },
    ];
  });
}
