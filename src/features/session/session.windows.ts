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
import { readPowerProfile } from './session.power-profile.windows.ts';
import type { UserSession } from './session.schema.ts';
import { type Desk, deskLibrary } from './user-activity.windows.ts';

/** While somebody listens: Windows announces neither that nobody uses it nor, to other processes, what is in front. */
const lookEveryMs = 1000;
/** Windows tells the state of the lid right after it was asked to tell its changes. */
const { lidWaitMs, lidLookMs } = { lidWaitMs: 400, lidLookMs: 50 };
const longestTitle = 256;

/** The session this service runs in. The lock, the lid and the power supply are announced, the rest is asked for. */
export const sessionWindows: CreateSource<UserSession, WindowsHost> = (host, { settings, withheld = false }) => {
  const { messages, clock, environment } = host;
  const idleAfterMs = () => settings().session.idleAfter * 1000;

  const readLid = async (native: Native, reasons: Reasons): Promise<boolean | null> => {
    const bytes = native.powrprof.capabilities();
    if (bytes === null || readStruct(SYSTEM_POWER_CAPABILITIES, bytes).LidPresent === 0) {
      reasons.inherent('lid_closed', 'This machine has no lid');
      return null;
    }
    const known = messages.latest().lidClosed ?? (await askLid());
    if (known === null) reasons.missing('lid_closed', 'Windows has not yet told whether the lid is closed; ask again');
    return known;
  };
  const askLid = async (): Promise<boolean | null> => {
    const stop = await messages.follow(() => {}).catch(() => null);
    if (stop === null) return null;
    try {
      for (let waited = 0; waited < lidWaitMs && messages.latest().lidClosed === null; waited += lidLookMs)
        await sleep(clock, lidLookMs);
      return messages.latest().lidClosed;
    } finally {
      stop();
    }
  };
  /** What is not announced, in short. */
  const look = async () => {
    const { shell32, ntdll } = await host.native();
    const desk = await host.native(deskLibrary);
    const since = desk.sinceInput();
    const window = withheld ? null : desk.foreground();
    return [since === null ? null : since >= idleAfterMs(), window, shell32.notificationState(), ntdll.quietHours()];
  };

  return {
    async read(reasons) {
      const native = await host.native();
      const desk = await host.native(deskLibrary);
      const station = native.wtsapi32.ownStation();
      if (station === '') reasons.missing('seat', 'Windows does not report the name of this session');
      reasons.inherent('desktop', 'Windows has no other desktop than its own');
      reasons.inherent('night_light', 'Windows does not tell programs whether the night light is on');
      reasons.inherent('virtual_desktop', 'Windows does not tell programs which of its virtual desktops is in front');
      return {
        user: environment.userName,
        seat: station === '' ? null : shownText(station, 64),
        type: 'windows',
        desktop: null,
        ...readIdle(desk, idleAfterMs(), clock.now(), reasons),
        locked: readLock(native, messages.latest().locked, reasons),
        active_window: withheld ? noWindow(reasons) : readWindow(desk, native, reasons),
        do_not_disturb: readSilence(native, reasons),
        night_light: null,
        power_profile: readPowerProfile(native, reasons),
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
      const stopLooking = pollChanges(clock, lookEveryMs, look, changed);
      return () => {
        stopLooking();
        void following.then((stop) => stop());
      };
    },
  };
};

function readIdle(desk: Desk, afterMs: number, now: number, reasons: Reasons) {
  const since = desk.sinceInput();
  if (since === null) {
    for (const field of ['idle', 'idle_since']) reasons.missing(field, 'Windows does not say when a key was pressed');
    return { idle: null, idle_since: null };
  }
  const idle = since >= afterMs;
  if (!idle) reasons.inherent('idle_since', 'The session is in use');
  return { idle, idle_since: idle ? Math.floor((now - since) / 1000) : null };
}

/** What Windows says now, or what it said last. */
function readLock({ wtsapi32 }: Native, told: boolean | null, reasons: Reasons): boolean | null {
  const locked = wtsapi32.isLocked() ?? told;
  if (locked === null) reasons.missing('locked', 'Windows does not say whether this session is locked');
  return locked;
}

function noWindow(reasons: Reasons): null {
  reasons.inherent('active_window', 'No window has the focus');
  return null;
}

function readWindow(desk: Desk, { kernel32 }: Native, reasons: Reasons): UserSession['active_window'] {
  const window = desk.foreground();
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
  if (silent === null) reasons.missing('do_not_disturb', 'Windows does not say whether notifications are silenced');
  return silent;
}

function readSupply({ kernel32 }: Native, reasons: Reasons): boolean | null {
  const bytes = kernel32.powerStatus();
  const line = bytes === null ? 255 : readStruct(SYSTEM_POWER_STATUS, bytes).ACLineStatus;
  if (line <= 1) return line === 0;
  reasons.missing('on_battery', 'Windows does not say what the machine runs on');
  return null;
}
