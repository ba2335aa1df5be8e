import type { Dbus } from '@hostler/dbus/dbus.ts';
import { pick, type SessionVariables } from './desktop-session.variables.ts';

const bus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const systemd = 'org.freedesktop.systemd1';
const timeoutMs = 500;

/** What the desktop told the systemd of the user, as all big ones do. Empty: there is none, or it was told nothing. */
export async function askManager({ dbus: { session } }: { dbus: Dbus }): Promise<SessionVariables> {
  try {
    // A call to it would be an attempt to start it on buses that it does not manage.
    const [runs] = await session.call({ ...bus, member: 'NameHasOwner', signature: 's', body: [systemd], timeoutMs });
    if (runs !== true) return {};
    const [environment] = await session.call({
      destination: systemd,
      path: '/org/freedesktop/systemd1',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [`${systemd}.Manager`, 'Environment'],
      timeoutMs,
    });
    return parseAssignments(environment);
  } catch {
    return {};
  }
}

export function parseAssignments(list: unknown): SessionVariables {
  const values = new Map<string, string>();
  for (const assignment of Array.isArray(list) ? list : []) {
    const at = String(assignment).indexOf('=');
    if (at > 0) values.set(String(assignment).slice(0, at), String(assignment).slice(at + 1));
  }
  return pick((name) => values.get(name));
}
