import type { Bus } from '@hostler/dbus/dbus.ts';
import { getProperties, namedPlace } from '../dbus/bus-properties.ts';

export interface LoginSession {
  id: string;
  path: string;
  user: string;
  uid: number;
  /** `x11`, `wayland`, `mir`, `tty`, `unspecified`. */
  type: string;
  /** In the foreground of its seat; always so without a seat. */
  active: boolean;
  /** `user`, `greeter`, `manager`, `background` … */
  class: string;
  /** `online`, `active`, or `closing` when the user has logged out. */
  state: string;
  terminal: string;
  remoteHost: string;
  /** Unix seconds. */
  started: number;
  leader: number;
}

export const loginManager = namedPlace('org.freedesktop.login1', 'org.freedesktop.login1.Manager');
const mostSessions = 100;

/** https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html */
export async function readSessions(bus: Bus, timeoutMs: number): Promise<LoginSession[]> {
  const [list] = await bus.call({ ...loginManager, member: 'ListSessions', timeoutMs });
  const paths = (Array.isArray(list) ? list : []).flatMap((entry) =>
    Array.isArray(entry) && typeof entry[4] === 'string' ? [entry[4]] : [],
  );
  // A session that ends between the two calls is no longer one.
  const sessions = await Promise.all(
    paths.slice(0, mostSessions).map((path) => readSession(bus, path, timeoutMs).catch(() => null)),
  );
  return sessions.filter((session) => session !== null);
}

async function readSession(bus: Bus, path: string, timeoutMs: number): Promise<LoginSession> {
  const place = { ...loginManager, path, interface: 'org.freedesktop.login1.Session' };
  return parseSession(await getProperties(bus, place, timeoutMs), path);
}

export function parseSession(properties: unknown, path = '/'): LoginSession {
  const values = new Map<string, unknown>(Object.entries(properties ?? {}));
  const text = (name: string) => String(values.get(name) ?? '');
  const number = (name: string) => Math.max(0, Number(values.get(name) ?? 0)) || 0;
  const owner = values.get('User');
  return {
    id: text('Id'),
    path,
    user: text('Name'),
    uid: Array.isArray(owner) ? Number(owner[0]) : -1,
    type: text('Type'),
    active: values.get('Active') === true,
    class: text('Class'),
    state: text('State'),
    terminal: text('TTY') || text('Display'),
    remoteHost: text('RemoteHost'),
    started: Math.floor(number('Timestamp') / 1_000_000),
    leader: number('Leader'),
  };
}
