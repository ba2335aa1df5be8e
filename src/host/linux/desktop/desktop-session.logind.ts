import type { Dbus } from '@hostler/dbus/dbus.ts';
import { getProperties } from '../dbus/bus-properties.ts';
import type { LinuxEnvironment } from '../linux-environment.ts';
import type { SessionVariables } from './desktop-session.variables.ts';

const logind = { destination: 'org.freedesktop.login1' };
const timeoutMs = 500;

/** The graphical session of this user in logind, which knows the display of X11, but not the one of Wayland. */
export async function askLogind({
  dbus: { system },
  environment: { uid },
}: {
  dbus: Dbus;
  environment: Pick<LinuxEnvironment, 'uid'>;
}): Promise<SessionVariables> {
  const properties = async (path: string, kind: string): Promise<Map<string, unknown>> => {
    const place = { ...logind, path, interface: `org.freedesktop.login1.${kind}` };
    return new Map(Object.entries(await getProperties(system, place, timeoutMs)));
  };
  try {
    const [user] = await system.call({
      ...logind,
      path: '/org/freedesktop/login1',
      interface: 'org.freedesktop.login1.Manager',
      member: 'GetUser',
      signature: 'u',
      body: [uid ?? 0],
      timeoutMs,
    });
    // The main session of the user: the graphical one, if any.
    const display = (await properties(String(user), 'User')).get('Display');
    const path = Array.isArray(display) ? String(display[1]) : '/';
    return path === '/' ? {} : parseGraphical(await properties(path, 'Session'));
  } catch {
    return {};
  }
}

export function parseGraphical(session: Map<string, unknown>): SessionVariables {
  const text = (name: string) => {
    const value = session.get(name);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const names = { DISPLAY: 'Display', XDG_SESSION_TYPE: 'Type', XDG_SESSION_ID: 'Id', XDG_SESSION_DESKTOP: 'Desktop' };
  return Object.fromEntries(
    Object.entries(names).flatMap(([variable, property]) => {
      const value = text(property);
      return value === null ? [] : [[variable, value]];
    }),
  );
}
