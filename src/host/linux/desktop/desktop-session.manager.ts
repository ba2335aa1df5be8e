import type { Dbus } from '@hostler/dbus/dbus.ts';
import { isManaged, systemdManager, systemdProperty } from '../systemd/systemd-bus.ts';
import { pick, type SessionVariables } from './desktop-session.variables.ts';

const timeoutMs = 500;

/** The variables that the desktop set in the user's systemd, as all large ones do. Empty: no systemd, or no variables. */
export async function askManager({ dbus: { session } }: { dbus: Dbus }): Promise<SessionVariables> {
  try {
    if (!(await isManaged(session, timeoutMs))) return {};
    return parseAssignments(await systemdProperty(session, systemdManager.path, 'Manager', 'Environment', timeoutMs));
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
