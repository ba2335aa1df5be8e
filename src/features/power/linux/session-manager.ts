import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { runningNames } from './screensaver.ts';

/** The part of a desktop that ends its session in order, so that programs may save. */
export interface SessionManager {
  name: string;
  /** Programs that inhibit logout, each with its reason. */
  blockers(): Promise<{ who: string; why: string }[]>;
  logout(force: boolean): Promise<void>;
}

const timeoutMs = 5000;
/** Of these the flags are read; a refusal names five. */
const mostInhibitors = 100;

/** null: none, or no desktop. */
export async function findSessionManager(session: Bus): Promise<SessionManager | null> {
  const names = await runningNames(session);
  const found = known.find(({ running }) => names.has(running));
  return found?.create(session) ?? null;
}

const known: { running: string; create(session: Bus): SessionManager }[] = [
  // The managers of Cinnamon and MATE have this name as well.
  { running: 'org.gnome.SessionManager', create: gnome },
  { running: 'org.kde.ksmserver', create: plasma },
  { running: 'org.xfce.SessionManager', create: xfce },
  { running: 'org.lxqt.session', create: lxqt },
];

/** https://gitlab.gnome.org/GNOME/gnome-session: org.gnome.SessionManager.xml */
function gnome(session: Bus): SessionManager {
  const destination = 'org.gnome.SessionManager';
  const call = (member: string, signature = '', body: unknown[] = [], path = '/org/gnome/SessionManager') =>
    session.call({
      destination,
      path,
      interface: path === '/org/gnome/SessionManager' ? destination : `${destination}.Inhibitor`,
      member,
      signature,
      body,
      timeoutMs,
    });
  const loggingOut = 1;
  const text = async (member: string, path: string) => String((await call(member, '', [], path))[0]);
  return {
    name: 'GNOME',
    async blockers() {
      const [inhibited] = await call('IsInhibited', 'u', [loggingOut]);
      if (inhibited !== true) return [];
      const [paths] = await call('GetInhibitors');
      const asked = (Array.isArray(paths) ? paths.map(String) : []).slice(0, mostInhibitors);
      const found = await Promise.all(
        asked.map(async (path) => {
          const [flags] = await call('GetFlags', '', [], path);
          if ((Number(flags) & loggingOut) === 0) return [];
          return [{ who: await text('GetAppId', path), why: await text('GetReason', path) }];
        }),
      );
      return found.flat();
    },
    // 1: without asking the user; 2: also without waiting for programs.
    logout: async (force) => void (await call('Logout', 'u', [force ? 2 : 1])),
  };
}

/** Plasma ends through a program started for it; before 5.20 the session manager did that itself. */
function plasma(session: Bus): SessionManager {
  const destination = 'org.kde.Shutdown';
  const noConfirmation = 0;
  const nothingFurther = 0;
  return {
    name: 'Plasma',
    blockers: async () => [],
    async logout(force) {
      try {
        await session.call({ destination, path: '/Shutdown', interface: destination, member: 'logout', timeoutMs });
      } catch (error) {
        if (!(error instanceof BusError && error.errorName === 'org.freedesktop.DBus.Error.ServiceUnknown'))
          throw error;
        await session.call({
          destination: 'org.kde.ksmserver',
          path: '/KSMServer',
          interface: 'org.kde.KSMServerInterface',
          member: 'logout',
          signature: 'iii',
          body: [noConfirmation, nothingFurther, force ? 2 : 0],
          timeoutMs,
        });
      }
    },
  };
}

function xfce(session: Bus): SessionManager {
  const withoutDialog = false;
  return {
    name: 'Xfce',
    blockers: async () => [],
    async logout(force) {
      await session.call({
        destination: 'org.xfce.SessionManager',
        path: '/org/xfce/SessionManager',
        interface: 'org.xfce.Session.Manager',
        member: 'Logout',
        signature: 'bb',
        // Saving the session may be refused; with force it is not attempted.
        body: [withoutDialog, !force],
        timeoutMs,
      });
    },
  };
}

function lxqt(session: Bus): SessionManager {
  const destination = 'org.lxqt.session';
  return {
    name: 'LXQt',
    blockers: async () => [],
    async logout() {
      await session.call({ destination, path: '/LXQtSession', interface: destination, member: 'logout', timeoutMs });
    },
  };
}
