import type { Reasons } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';
import { readSessions, type Session } from '../../host/linux/logind.ts';
import { type Login, readUtmp } from '../../host/linux/utmp.ts';
import type { User } from './system.schema.ts';

/** There are two calls one after the other, and both together stay below a second. */
const callTimeoutMs = 450;

/** Who is logged in, from the record of logins, or from logind where that is not kept or names nobody. */
export async function readUsers(
  { files, environment, dbus }: Pick<Host, 'files' | 'environment' | 'dbus'>,
  reasons: Reasons,
): Promise<User[]> {
  const logins = readUtmp(files, environment.machine);
  // Where processes of others are hidden, nothing can be said about them.
  const alive = ({ pid }: Login) => pid === 0 || files.exists(`/proc/${pid}`) || !files.exists('/proc/1');
  const users = (logins ?? []).filter(alive).map(fromLogin);
  if (users.length > 0) return users;
  try {
    return (await readSessions(dbus.system, callTimeoutMs)).filter(isLogin).map(fromSession);
  } catch {
    if (logins === null) {
      reasons.missing(
        'users',
        'Neither /run/utmp nor systemd-logind tells who is logged in; in a container, mount /run/utmp or the system bus',
      );
    }
    return [];
  }
}

/** Whether it is in the foreground is not on record. */
function fromLogin({ name, terminal, host, started, pid }: Login): User {
  return { name, active: true, terminal, host, started, pid };
}

/** Not login screens, service managers, or sessions whose user has left. */
function isLogin(session: Session): boolean {
  return session.class.startsWith('user') && session.state !== 'closing' && session.user !== '';
}

function fromSession({ user, active, terminal, remoteHost, started, leader }: Session): User {
  return { name: user, active, terminal, host: remoteHost, started, pid: leader };
}
