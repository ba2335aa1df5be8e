import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { chooseSession, findLoginManager } from '../../../host/linux/login/login-session.ts';
import type { LoginSession } from '../../../host/linux/login/logind.ts';
import type { LoginManager } from '../../../host/linux/login/logind-manager.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { type LinuxVerb, longestWords, requireManager, withServiceErrors } from './power.errors.ts';
import { whyNoSession } from './power.lock.ts';
import { findSessionManager, type SessionManager } from './session-manager.ts';

/** The desktop ends its session if it can, so that programs may save. Otherwise logind ends everything in it. */
export const logoutLinux: LinuxVerb = {
  async check(host, { force }) {
    const { desktop } = await findWays(host);
    if (desktop !== null) await refuseBlocked(desktop, force);
  },
  async perform(host, { force }) {
    const { manager, session, desktop } = await findWays(host);
    const whose = session === null ? 'The user' : session.user;
    if (desktop !== null) {
      await refuseBlocked(desktop, force);
      await withServiceErrors('logout', () => desktop.logout(force));
      return `${whose} is being logged out by ${desktop.name}`;
    }
    const terminate = manager?.terminate ?? null;
    if (terminate === null || session === null) throw withoutWay(manager);
    await withServiceErrors('logout', () => terminate(session));
    return `${whose} is being logged out`;
  },
};

interface Ways {
  manager: LoginManager | null;
  session: LoginSession | null;
  desktop: SessionManager | null;
}

async function findWays(host: LinuxHost): Promise<Ways> {
  const manager = await withServiceErrors('logout', () => findLoginManager(host.dbus.system));
  const session =
    manager === null ? null : chooseSession(await withServiceErrors('logout', manager.sessions), host.environment.uid);
  // The bus of another user is not accessible, not even for root.
  const ours = session === null || session.uid === host.environment.uid;
  const desktop = ours ? await findSessionManager(host.dbus.session) : null;
  if (desktop !== null) return { manager, session, desktop };
  if (session !== null && manager?.terminate) return { manager, session, desktop };
  await requireManager(host, 'logout');
  if (session !== null) throw withoutWay(manager);
  throw new ServiceError('conflict', `There is no session to log out of: ${whyNoSession(host)}`);
}

async function refuseBlocked(desktop: SessionManager, force: boolean): Promise<void> {
  const blockers = force ? [] : await desktop.blockers().catch(() => []);
  if (blockers.length === 0) return;
  const list = blockers
    .map(({ who, why }) => `${shownText(who, longestWords)} (${shownText(why, longestWords)})`)
    .join(' and by ');
  throw new ServiceError('conflict', `power.logout is blocked by ${list}. Close it first, or send {"force": true}`);
}

function withoutWay(manager: LoginManager | null): ServiceError {
  return new ServiceError(
    'unsupported',
    `power.logout is not supported here: the desktop has no known session manager, and ${manager === null ? 'there is no login manager to end the session' : `${manager.name} cannot end a session`}`,
  );
}
