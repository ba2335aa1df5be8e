import type { BusCall } from '@hostler/dbus/dbus.ts';
import { definePart, partOf } from '../../core/part.ts';
import { createDesktopNotifications, withoutMarkup } from '../../host/linux/desktop/desktop-notifications.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { delaySleepAndShutdown, followAnnouncements } from '../../host/linux/login/inhibit.ts';
import { chooseSession, findLoginManager } from '../../host/linux/login/login-session.ts';
import type { LoginSession } from '../../host/linux/login/logind.ts';
import type { LoginManager } from '../../host/linux/login/logind-manager.ts';
import { ServiceError } from '../../lib/errors.ts';
import { type LinuxVerb, listBlockers, requireManager, withServiceErrors } from './linux/power.errors.ts';
import { lockLinux, whyNoSession } from './linux/power.lock.ts';
import { machineVerb } from './linux/power.machine.ts';
import { findSessionManager, type SessionManager } from './linux/session-manager.ts';
import type { Notice, PowerControl, VerbControl } from './power.contract.ts';

export function powerLinux(host: LinuxHost): PowerControl {
  const on = ({ check, perform }: LinuxVerb): VerbControl => ({
    check: (options) => check(host, options),
    perform: (options) => perform(host, options),
  });
  return {
    verbs: {
      sleep: on(machineVerb({ order: 'Suspend', inhibitedBy: 'sleep', done: 'The machine is going to sleep' })),
      hibernate: on(machineVerb({ order: 'Hibernate', inhibitedBy: 'sleep', done: 'The machine is hibernating' })),
      restart: on(machineVerb({ order: 'Reboot', inhibitedBy: 'shutdown', done: 'The machine is restarting' })),
      shutdown: on(machineVerb({ order: 'PowerOff', inhibitedBy: 'shutdown', done: 'The machine is shutting down' })),
      lock: on(lockLinux),
      logout: on(logoutLinux),
    },
    announcements: {
      follow: (listener) => followAnnouncements(host.dbus.system, listener),
      delay: async () =>
        delaySleepAndShutdown(await partOf(host, holdPart), 'Clients get their answer and a last update'),
    },
    notify: (notice) => notifyLinux(host, notice),
  };
}

/** Calls a method of the system bus that returns a pipe, and holds it until the returned function is called. */
export const holdPart = definePart<(call: BusCall) => Promise<() => void>, LinuxHost>({
  name: 'power.hold',
  create: (host) => async (call) => (await import('../../host/linux/login/hold-pipe.ts')).holdPipe(host, call),
  absent: async () => {
    throw new Error('A recording has no bus that hands out descriptors');
  },
});

/** Stays on the screen until it is pressed or removed. */
async function notifyLinux({ dbus }: LinuxHost, { title, body, cancel }: Notice): Promise<() => void> {
  const notifications = createDesktopNotifications(dbus.session, 'Hostler');
  const button = { key: 'cancel', label: 'Cancel' };
  const pressed = (key: string) => {
    if (key === button.key) cancel?.();
  };
  // A refusal quotes the inhibiting programs in their own words.
  const text = (await notifications.capabilities()).has('body-markup') ? withoutMarkup(body) : body;
  const id = await notifications.show(
    { title, body: text, icon: 'system-shutdown', timeoutMs: 0, actions: cancel === null ? [] : [button] },
    cancel === null ? undefined : { pressed },
  );
  return () => void notifications.withdraw(id).finally(notifications.close);
}

/** The desktop ends its session if it can, so that programs may save. Otherwise logind ends everything in it. */
const logoutLinux: LinuxVerb = {
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
  const list = listBlockers(blockers);
  throw new ServiceError('conflict', `power.logout is blocked by ${list}. Close it first, or send {"force": true}`);
}

function withoutWay(manager: LoginManager | null): ServiceError {
  return new ServiceError(
    'unsupported',
    `power.logout is not supported here: the desktop has no known session manager, and ${manager === null ? 'there is no login manager to end the session' : `${manager.name} cannot end a session`}`,
  );
}
