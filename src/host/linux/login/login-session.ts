import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import type { LoginSession } from './logind.ts';
import { createConsoleKit } from './logind-consolekit.ts';
import { createLogind, type LoginManager } from './logind-manager.ts';

/** The login manager; null: none. Queried each time, because the call may start it. */
export async function findLoginManager(system: Bus): Promise<LoginManager | null> {
  for (const { destination, create } of managers) {
    try {
      await system.call({ destination, path: '/', interface: 'org.freedesktop.DBus.Peer', member: 'Ping' });
      return create(system);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  return null;
}

const managers = [
  { destination: 'org.freedesktop.login1', create: createLogind },
  { destination: 'org.freedesktop.ConsoleKit', create: createConsoleKit },
];

/** The name has no owner, and none could be started. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof BusError)) return false;
  return /^(Client\.NoBus|org\.freedesktop\.(DBus\.Error\.(ServiceUnknown|NameHasNoOwner|Spawn\..*)|systemd1\..*))$/.test(
    error.errorName,
  );
}

/**
 * The current session of the user: for root that of any user, else our own. The one in
 * the foreground comes first, then the newest. null: no user is logged in.
 */
export function chooseSession(sessions: readonly LoginSession[], uid: number | null): LoginSession | null {
  const [first] = sessions
    .filter((session) => session.class.startsWith('user') && session.state !== 'closing')
    .filter((session) => uid === 0 || session.uid === uid)
    .sort((a, b) => Number(isInFront(b)) - Number(isInFront(a)) || b.started - a.started);
  return first ?? null;
}

const graphical = new Set(['x11', 'wayland', 'mir']);

function isInFront({ active, type }: LoginSession): boolean {
  return active && graphical.has(type);
}
