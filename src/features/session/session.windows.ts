import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { pollChanges } from '../../host/windows/change-poller.ts';
import { SYSTEM_POWER_STATUS } from '../../host/windows/native/kernel32.structs.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import { isSilenced } from '../../host/windows/quiet-hours.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { sleep } from '../../lib/clock.ts';
import { shownText } from '../../lib/printable-text.ts';
import { keepAwakeOf } from './keep-awake.ts';
import { powerProfilesOf, readPowerProfile } from './session.power-profile.windows.ts';
import type { UserSession } from './session.schema.ts';
import { type UserActivity, userActivityLibrary } from './user-activity.windows.ts';

/** While there are listeners: Windows announces neither idleness nor, to other processes, the active window. */
const pollEveryMs = 1000;
/** Windows sends the state of the lid right after the subscription to its changes. */
const lidWaitMs = 400;
const lidPollMs = 50;
const longestTitle = 256;

/** The session this service runs in. The lock, the lid and the power supply are announced, the rest is polled. */
export const sessionWindows: CreateSource<UserSession, WindowsHost> = (host, { settings, withheld = false }) => {
  const { messages, clock, environment } = host;
  const idleAfterMs = () => settings().session.idleAfter * 1000;

  const readLid = async (native: Native, reasons: Reasons): Promise<boolean | null> => {
    const bytes = native.powrprof.capabilities();
    if (bytes === null || readStruct(SYSTEM_POWER_CAPABILITIES, bytes).LidPresent === 0) {
      reasons.inherent('lid_closed', 'This machine has no lid');
      return null;
    }
    const known = messages.latest().lidClosed ?? (await awaitLid());
    if (known === null)
      reasons.missing('lid_closed', 'Windows has not yet reported whether the lid is closed; read it again');
    return known;
  };
  const awaitLid = async (): Promise<boolean | null> => {
    const stop = await messages.follow(() => {}).catch(() => null);
    if (stop === null) return null;
    try {
      for (let waited = 0; waited < lidWaitMs && messages.latest().lidClosed === null; waited += lidPollMs)
        await sleep(clock, lidPollMs);
      return messages.latest().lidClosed;
    } finally {
      stop();
    }
  };
  const poll = async () => {
    const { shell32, ntdll } = await host.native();
    const activity = await host.native(userActivityLibrary);
    const since = activity.sinceInput();
    const window = withheld ? null : activity.foreground();
    return [since === null ? null : since >= idleAfterMs(), window, shell32.notificationState(), ntdll.quietHours()];
  };

  return {
    async read(reasons) {
      const native = await host.native();
      const activity = await host.native(userActivityLibrary);
      const station = native.wtsapi32.ownStation();
      if (station === '') reasons.missing('seat', 'Windows does not report the name of this session');
      reasons.inherent('desktop', 'Windows has no other desktop than its own');
      reasons.inherent('night_light', 'Windows does not report to programs whether the night light is on');
      reasons.inherent(
        'virtual_desktop',
        'Windows does not report to programs which of its virtual desktops is in front',
      );
      return {
        user: environment.userName,
        seat: station === '' ? null : shownText(station, 64),
        type: 'windows',
        desktop: null,
        ...readIdle(activity, idleAfterMs(), clock.now(), reasons),
        locked: readLock(native, messages.latest().locked, reasons),
        active_window: withheld ? noWindow(reasons) : readWindow(activity, native, reasons),
        do_not_disturb: readSilence(native, reasons),
        night_light: null,
        power_profile: readPowerProfile(native, reasons),
        power_profiles: powerProfilesOf(native),
        keep_awake: [...keepAwakeOf(host).current()],
        lid_closed: await readLid(native, reasons),
        on_battery: readSupply(native, reasons),
        virtual_desktop: null,
      };
    },
    watch(changed) {
      const following = messages
        .follow((event) => {
          if (event !== 'shutdown' && event !== 'shutdown-cancelled' && event !== 'session-end') changed();
        })
        .catch(() => () => {});
      const stopPolling = pollChanges(clock, pollEveryMs, poll, changed);
      const stopAwake = keepAwakeOf(host).onChange(changed);
      return () => {
        stopPolling();
        stopAwake();
        void following.then((stop) => stop());
      };
    },
  };
};

function readIdle(activity: UserActivity, afterMs: number, now: number, reasons: Reasons) {
  const since = activity.sinceInput();
  if (since === null) {
    for (const field of ['idle', 'idle_since'])
      reasons.missing(field, 'Windows does not report when a key was pressed');
    return { idle: null, idle_since: null };
  }
  const idle = since >= afterMs;
  if (!idle) reasons.inherent('idle_since', 'The session is in use');
  return { idle, idle_since: idle ? Math.floor((now - since) / 1000) : null };
}

/** The current state, else the last one announced. */
function readLock({ wtsapi32 }: Native, announced: boolean | null, reasons: Reasons): boolean | null {
  const locked = wtsapi32.isLocked() ?? announced;
  if (locked === null) reasons.missing('locked', 'Windows does not report whether this session is locked');
  return locked;
}

function noWindow(reasons: Reasons): null {
  reasons.inherent('active_window', 'No window has the focus');
  return null;
}

function readWindow(activity: UserActivity, { kernel32 }: Native, reasons: Reasons): UserSession['active_window'] {
  const window = activity.foreground();
  if (window === null) return noWindow(reasons);
  const program = window.pid === 0 ? null : kernel32.processImage(window.pid);
  const app = program === null ? null : shownText(program.split('\\').at(-1) ?? '', 128);
  if (app === null) reasons.inherent('active_window.app', 'Windows does not let this user see which program it is');
  if (window.pid === 0) reasons.inherent('active_window.pid', 'The window belongs to no process');
  return {
    title: shownText(window.title, longestTitle),
    app,
    pid: window.pid === 0 ? null : window.pid,
    fullscreen: window.fullscreen,
  };
}

function readSilence(native: Native, reasons: Reasons): boolean | null {
  const silent = isSilenced(native);
  if (silent === null) reasons.missing('do_not_disturb', 'Windows does not report whether notifications are silenced');
  return silent;
}

function readSupply({ kernel32 }: Native, reasons: Reasons): boolean | null {
  const bytes = kernel32.powerStatus();
  const line = bytes === null ? 255 : readStruct(SYSTEM_POWER_STATUS, bytes).ACLineStatus;
  if (line <= 1) return line === 0;
  reasons.missing('on_battery', 'Windows does not report what the machine runs on');
  return null;
}
