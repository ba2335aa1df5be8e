import type { Reasons } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';
import { readSessions, type Session } from '../../host/linux/logind.ts';
import { type Login, readUtmp } from '../../host/linux/utmp.ts';
import type { User } from './system.schema.ts';

/** There are two calls one after the other, and both together stay below a second. */
const callTimeoutMs = 450;

/** logind is asked again after this; most machines keep a record that costs nothing to read. */
const askAgainMs = 5000;

/** Who is logged in, from the record of logins, or from logind where that is not kept or names nobody. */
export function createUserReader({
  files,
  environment,
  dbus,
  clock,
}: Pick<Host, 'files' | 'environment' | 'dbus' | 'clock'>): (reasons: Reasons) => Promise<User[]> {
  let asked: { sessions: Promise<Session[]>; at: number } | null = null;
  const sessions = (): Promise<Session[]> => {
    if (asked === null || clock.monotonic() - asked.at >= askAgainMs) {
      asked = { sessions: readSessions(dbus.system, callTimeoutMs), at: clock.monotonic() };
    }
    return asked.sessions;
  };
  return async (reasons) => {
    const logins = readUtmp(files, environment.machine);
    // Where processes of others are hidden, nothing can be said about them.
    const alive = ({ pid }: Login) => pid === 0 || files.exists(`/proc/${pid}`) || !files.exists('/proc/1');
    const users = (logins ?? []).filter(alive).map(fromLogin);
    if (users.length > 0) return users;
    try {
      return (await sessions()).filter(isLogin).map(fromSession);
    } catch {
      if (logins === null) {
        reasons.missing(
          'users',
          'Neither /run/utmp nor systemd-logind tells who is logged in; in a container, mount /run/utmp or the system bus',
        );
      }
      return [];
    }
  };
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
