import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type LoginSession, readSessions } from '../../../host/linux/login/logind.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import type { SystemUser } from '../system.schema.ts';
import { type Login, readUtmp } from './utmp.ts';

/** Two calls run one after the other, and together stay below a second. */
const callTimeoutMs = 450;

/** logind is queried again after this; most machines have login records that are cheap to read. */
const askAgainMs = 5000;

/** The logged-in users, from the login records, or from logind where those are missing or empty. */
export function createUserReader(host: Pick<LinuxHost, 'files' | 'environment' | 'dbus' | 'clock'>) {
  const { files, environment, dbus, clock } = host;
  const readLogins = unlessAbsent(clock, () => readUtmp(files, environment.machine));
  /** null: logind does not answer. */
  let asked: { sessions: Promise<LoginSession[] | null>; at: number } | null = null;
  const sessions = () => {
    if (asked === null || clock.monotonic() - asked.at >= askAgainMs)
      asked = { sessions: readSessions(dbus.system, callTimeoutMs).catch(() => null), at: clock.monotonic() };
    return asked.sessions;
  };
  return (reasons: Reasons): SystemUser[] | Promise<SystemUser[]> => {
    const logins = readLogins();
    // Where processes of others are hidden, they cannot be checked.
    const alive = ({ pid }: Login) => pid === 0 || files.exists(`/proc/${pid}`) || !files.exists('/proc/1');
    const users = (logins ?? []).filter(alive).map(fromLogin);
    if (users.length > 0) return users;
    const describe = (sessions: LoginSession[] | null): SystemUser[] => {
      if (sessions === null && logins === null) {
        reasons.missing(
          'users',
          'Neither /run/utmp nor systemd-logind reports who is logged in; in a container, mount /run/utmp or the system bus',
        );
      }
      return (sessions ?? []).filter(isLogin).map(fromSession);
    };
    return sessions().then(describe);
  };
}

/** The records do not say which session is in the foreground. */
function fromLogin({ name, terminal, host, started, pid }: Login): SystemUser {
  return { name, active: true, terminal, host, started, pid };
}

/** Excludes login screens, service managers, and sessions whose user has left. */
function isLogin(session: LoginSession): boolean {
  return session.class.startsWith('user') && session.state !== 'closing' && session.user !== '';
}

function fromSession({ user, active, terminal, remoteHost, started, leader }: LoginSession): SystemUser {
  return { name: user, active, terminal, host: remoteHost, started, pid: leader };
}
