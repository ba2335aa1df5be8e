import { requireScreen } from '../../host/windows/desktop-access.ts';
import { isMachineEvent } from '../../host/windows/messages.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import { createWindowsNotifications } from '../../host/windows/notifications.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Announcements, Notice, PowerControl, VerbControl } from './power.contract.ts';
import type { Verb } from './power.verbs.ts';

/** SetSuspendState blocks until the machine is awake again, so the response is sent first. */
const answerFirstMs = 250;

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
  const sleeping = (verb: 'sleep' | 'hibernate', done: string): VerbControl => {
    const check = async () => {
      const reason = whyNot(verb, await host.native());
      if (reason !== null) throw new ServiceError('unsupported', reason);
    };
    return {
      check,
      async perform() {
        await check();
        const { advapi32, powrprof, user32 } = await host.native();
        // With Modern Standby, SetSuspendState hibernates or does nothing: such machines sleep when their displays are off.
        if (verb === 'sleep' && capabilitiesOf(powrprof)?.['spare2[2]']) {
          await requireScreen(host);
          if (!user32.switchDisplays(false))
            throw new ServiceError(
              'failed',
              'power.sleep: Windows did not accept the request to switch the displays off',
            );
          return `${done} as soon as its displays are off and nothing keeps it awake (Modern Standby)`;
        }
        advapi32.enablePrivilege('SeShutdownPrivilege');
        host.clock.after(answerFirstMs, () => void powrprof.suspend(verb === 'hibernate'));
        return done;
      },
    };
  };
  const session = (verb: 'lock' | 'logout', done: string, order: (native: Native, force: boolean) => boolean) => ({
    check: allowed,
    async perform({ force }: { force: boolean }) {
      if (!order(await host.native(), force)) throw refused(verb);
      return done;
    },
  });
  return {
    verbs: {
      sleep: sleeping('sleep', 'The machine goes to sleep'),
      hibernate: sleeping('hibernate', 'The machine hibernates'),
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

function whyNot(verb: 'sleep' | 'hibernate', { powrprof }: Native): string | null {
  const found = capabilitiesOf(powrprof);
  if (found === null)
    return `power.${verb} is not supported here: Windows does not report which sleep states this machine has`;
  const { SystemS1, SystemS2, SystemS3, SystemS4, HiberFilePresent, 'spare2[2]': modernStandby } = found;
  if (verb === 'sleep')
    return SystemS1 || SystemS2 || SystemS3 || modernStandby
      ? null
      : 'This machine cannot sleep: its firmware has no such state';
  return SystemS4 && HiberFilePresent
    ? null
    : 'This machine cannot hibernate: "powercfg /hibernate on" in an administrator’s console allows it, unless its firmware forbids it';
}

function capabilitiesOf(powrprof: Native['powrprof']) {
  const bytes = powrprof.capabilities();
  return bytes && readStruct(SYSTEM_POWER_CAPABILITIES, bytes);
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
