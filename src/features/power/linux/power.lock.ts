import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { chooseSession, findLoginManager } from '../../../host/linux/login/login-session.ts';
import type { LoginSession } from '../../../host/linux/login/logind.ts';
import type { LoginManager } from '../../../host/linux/login/logind-manager.ts';
import { sleep } from '../../../lib/clock.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { type LinuxVerb, requireManager, withServiceErrors } from './power.errors.ts';
import { findScreensavers, type Screensaver } from './screensaver.ts';

/** How long the lock is checked for. */
const confirmWithinMs = 2000;
const checkEveryMs = 100;
/** Desktops that follow logind have locked by then; the others are called directly. */
const listenersMs = 600;

export const lockLinux: LinuxVerb = {
  async check(host) {
    await findLockers(host);
  },
  async perform(host) {
    const lockers = await findLockers(host);
    const { manager, session, screensavers } = lockers;
    const whose = session === null ? 'The session' : `The session of ${session.user}`;
    const refusal = manager === null || session === null ? null : await attempt(() => manager.lock(session));
    if (refusal !== null && screensavers.length === 0) throw refusal;
    if (await confirmed(host, lockers, refusal !== null)) return `${whose} is locked`;
    if (refusal !== null) throw refusal;
    return `${whose} was asked to lock, but this was not confirmed within ${confirmWithinMs / 1000} s: its screen locker does not report its state`;
  },
};

interface Lockers {
  manager: LoginManager | null;
  session: LoginSession | null;
  screensavers: Screensaver[];
}

async function findLockers(host: LinuxHost): Promise<Lockers> {
  const manager = await withServiceErrors('lock', () => findLoginManager(host.dbus.system));
  const session =
    manager === null ? null : chooseSession(await withServiceErrors('lock', manager.sessions), host.environment.uid);
  const ours = session === null || session.uid === host.environment.uid;
  const screensavers = ours ? await findScreensavers(host.dbus.session) : [];
  if (session !== null || screensavers.length > 0) return { manager, session, screensavers };
  await requireManager(host, 'lock');
  throw new ServiceError('conflict', `There is no session to lock: ${whyNoSession(host)}`);
}

/** Names the users whose sessions were searched. */
export function whyNoSession({ environment }: LinuxHost): string {
  if (environment.uid === 0) return 'no user is logged in';
  return `${environment.userName}, the user this service runs as, is not logged in`;
}

async function confirmed(
  { clock }: LinuxHost,
  { manager, session, screensavers }: Lockers,
  askAtOnce: boolean,
): Promise<boolean> {
  const hinted = async () =>
    manager !== null && session !== null && (await manager.isLocked(session).catch(() => false));
  const active = async () => (await Promise.all(screensavers.map((each) => each.isActive()))).includes(true);
  const started = clock.monotonic();
  let asked = false;
  for (;;) {
    if ((await hinted()) || (await active())) return true;
    const passed = clock.monotonic() - started;
    if (passed >= confirmWithinMs) return false;
    if (!asked && (askAtOnce || manager === null || passed >= listenersMs)) {
      asked = true;
      // Some answer only once the screen is locked, and some never; the state decides.
      for (const screensaver of screensavers) void screensaver.lock().catch(() => {});
    }
    await sleep(clock, checkEveryMs);
  }
}

async function attempt(work: () => Promise<void>): Promise<unknown> {
  try {
    await withServiceErrors('lock', work);
    return null;
  } catch (error) {
    return error;
  }
}
