import { isMachineEvent } from '../../host/windows/messages.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { createWindowsNotifications } from '../../host/windows/notifications.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Announcements, Notice, PowerControl, VerbControl } from './power.contract.ts';
import { sleepingWindows } from './power.sleep.windows.ts';
import type { Verb } from './power.verbs.ts';

/** Orders to Windows. Those of other programs are received by a hidden window. */
export function powerWindows(host: WindowsHost): PowerControl {
  const allowed = async () => {};
  const ending = (verb: 'restart' | 'shutdown', done: string): VerbControl => ({
    check: allowed,
    async perform({ force }) {
      const { advapi32 } = await host.native();
      advapi32.enablePrivilege('SeShutdownPrivilege');
      if (!advapi32.initiateShutdown({ restart: verb === 'restart', force })) throw refused(verb);
      return done;
    },
  });
  const session = (verb: 'lock' | 'logout', done: string, order: (native: Native, force: boolean) => boolean) => ({
    check: allowed,
    async perform({ force }: { force: boolean }) {
      if (!order(await host.native(), force)) throw refused(verb);
      return done;
    },
  });
  return {
    verbs: {
      sleep: sleepingWindows(host, 'sleep', 'The machine goes to sleep'),
      hibernate: sleepingWindows(host, 'hibernate', 'The machine hibernates'),
      restart: ending('restart', 'The machine restarts'),
      shutdown: ending('shutdown', 'The machine shuts down'),
      lock: session('lock', 'The session is locked', ({ user32 }) => user32.lockWorkStation()),
      logout: session('logout', 'The user is logged out', ({ user32 }, force) => user32.logOff(force)),
    },
    announcements: announcementsOf(host),
    notify: (notice) => notifyWindows(host, notice),
  };
}

function announcementsOf({ messages }: Pick<WindowsHost, 'messages'>): Announcements {
  return {
    follow: (listener) =>
      messages.follow(
        (event) => {
          if (isMachineEvent(event)) listener(event);
        },
        () => listener('reconnected'),
      ),
    delay: async () => messages.delay(),
  };
}

/** A persistent toast with its button; where Windows does not know this program a balloon, which cannot be removed. */
async function notifyWindows(host: WindowsHost, { title, body, cancel }: Notice): Promise<() => void> {
  const toasts = createWindowsNotifications(host);
  if ((await toasts.state()) !== 'on') {
    if (!(await toasts.balloon(title, body))) throw new Error('there is no desktop');
    return () => {};
  }
  const buttons = cancel === null ? [] : [{ key: 'cancel', label: 'Cancel' }];
  const pressed = (key: string) => {
    if (key === 'cancel') cancel?.();
  };
  const id = await toasts.show(
    { title, body, buttons, stays: true, isLong: true, isSilent: false },
    { pressed, closed: () => {} },
  );
  // The caller does not wait; after a failure of Windows the toast stays.
  return () =>
    void toasts
      .withdraw(id)
      .catch(() => {})
      .then(toasts.close);
}

function refused(verb: Verb): ServiceError {
  const sentence = {
    restart: 'the user lacks the right to shut the machine down, or it is being shut down already',
    shutdown: 'the user lacks the right to shut the machine down, or it is being shut down already',
    lock: 'no user is connected to this session, or a policy forbids it',
    logout: 'the session ends already, or a policy forbids it',
    sleep: '',
    hibernate: '',
  }[verb];
  return new ServiceError('forbidden', `power.${verb} was refused by Windows: ${sentence}`);
}
