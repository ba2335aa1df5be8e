import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type LoginSession, readSessions } from '../../../host/linux/login/logind.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import { mapLater } from '../../../lib/later.ts';
import type { SystemUser } from '../system.schema.ts';
import { type Login, readUtmp } from './utmp.ts';

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
}: Pick<LinuxHost, 'files' | 'environment' | 'dbus' | 'clock'>): (
  reasons: Reasons,
) => SystemUser[] | Promise<SystemUser[]> {
  const readLogins = unlessAbsent(clock, () => readUtmp(files, environment.machine));
  /** null: logind does not tell. */
  let asked: { sessions: LoginSession[] | null | Promise<LoginSession[] | null>; at: number } | null = null;
  const sessions = () => {
    if (asked !== null && clock.monotonic() - asked.at < askAgainMs) return asked.sessions;
    const asking = readSessions(dbus.system, callTimeoutMs).catch(() => null);
    const mine = { sessions: asking, at: clock.monotonic() };
    asked = mine;
    void asking.then((told) => {
      if (asked === mine) asked = { sessions: told, at: mine.at };
    });
    return asking;
  };
  return (reasons) => {
    const logins = readLogins();
    // Where processes of others are hidden, nothing can be said about them.
    const alive = ({ pid }: Login) => pid === 0 || files.exists(`/proc/${pid}`) || !files.exists('/proc/1');
    const users = (logins ?? []).filter(alive).map(fromLogin);
    if (users.length > 0) return users;
    const describe = (told: LoginSession[] | null): SystemUser[] => {
      if (told === null && logins === null) {
        reasons.missing(
          'users',
          'Neither /run/utmp nor systemd-logind tells who is logged in; in a container, mount /run/utmp or the system bus',
        );
      }
      return (told ?? []).filter(isLogin).map(fromSession);
    };
    return mapLater(sessions(), describe);
  };
}

/** Whether it is in the foreground is not on record. */
function fromLogin({ name, terminal, host, started, pid }: Login): SystemUser {
  return { name, active: true, terminal, host, started, pid };
}

/** Not login screens, service managers, or sessions whose user has left. */
function isLogin(session: LoginSession): boolean {
  return session.class.startsWith('user') && session.state !== 'closing' && session.user !== '';
}

function fromSession({ user, active, terminal, remoteHost, started, leader }: LoginSession): SystemUser {
  return { name: user, active, terminal, host: remoteHost, started, pid: leader };
}
