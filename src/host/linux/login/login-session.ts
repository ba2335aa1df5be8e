import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import type { LoginSession } from './logind.ts';
import { createLogind, type LoginManager, parseInhibitors } from './logind-manager.ts';

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

const isInFront = ({ active, type }: LoginSession): boolean => active && graphical.has(type);

const destination = 'org.freedesktop.ConsoleKit';
const sessionInterface = 'org.freedesktop.ConsoleKit.Session';
const timeoutMs = 4000;

/** ConsoleKit2, for systems without logind. https://consolekit2.github.io/ConsoleKit2/ */
export function createConsoleKit(bus: Bus): LoginManager {
  const call = async (member: string, signature = '', body: unknown[] = []) =>
    await bus.call({
      destination,
      path: '/org/freedesktop/ConsoleKit/Manager',
      interface: 'org.freedesktop.ConsoleKit.Manager',
      member,
      signature,
      body,
      timeoutMs,
    });
  const ask = async (path: string, member: string): Promise<unknown> =>
    (await bus.call({ destination, path, interface: sessionInterface, member, timeoutMs }))[0];
  const policyNames = { Suspend: 'suspend', Hibernate: 'hibernate', Reboot: 'restart', PowerOff: 'stop' };
  return {
    name: 'ConsoleKit2',
    can: async (verb) => String((await call(`Can${verb}`))[0]),
    order: async (verb) => void (await call(verb, 'b', [false])),
    inhibitors: async () => parseInhibitors((await call('ListInhibitors'))[0]),
    async sessions() {
      const [paths] = await call('GetSessions');
      const found = (Array.isArray(paths) ? paths : []).map((path) => readSession(ask, String(path)).catch(() => null));
      return (await Promise.all(found)).filter((session) => session !== null);
    },
    lock: async ({ path }) => void (await ask(path, 'Lock')),
    isLocked: async ({ path }) => (await ask(path, 'GetLockedHint')) === true,
    terminate: null,
    policies(verb, others) {
      const name = `org.freedesktop.consolekit.system.${policyNames[verb]}`;
      return [others ? `${name}-multiple-users` : name];
    },
  };
}

async function readSession(
  ask: (path: string, member: string) => Promise<unknown>,
  path: string,
): Promise<LoginSession> {
  const members = ['GetUnixUser', 'IsActive', 'GetSessionClass', 'GetSessionType', 'GetX11Display', 'GetCreationTime'];
  const [uid, active, kind, type, display, created] = await Promise.all(members.map((member) => ask(path, member)));
  return {
    id: path.slice(path.lastIndexOf('/') + 1),
    path,
    user: `the user ${Number(uid)}`,
    uid: Number(uid),
    type: String(type) || (display ? 'x11' : 'tty'),
    active: active === true,
    class: String(kind) || 'user',
    state: active === true ? 'active' : 'online',
    terminal: String(display ?? ''),
    remoteHost: '',
    started: Math.floor(Date.parse(String(created)) / 1000) || 0,
    leader: 0,
  };
}
