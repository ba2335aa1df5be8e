import { ServiceError } from '../../lib/errors.ts';
import { address, pinned } from '../ffi.ts';
import { defineLibrary } from '../native-library.ts';
import { slot } from './native/memory.ts';
import { readStruct, wideText } from './native/structs.ts';
import { USEROBJECTFLAGS } from './native/user32.structs.ts';
import { win32 } from './native/win32.ts';
import type { WindowsHost } from './windows-host.ts';

type DesktopHost = Pick<WindowsHost, 'native'>;

/**
 * Why the session of this process is not on a screen; null: it is on that of the machine, or of a remote client. After a switch of users
 * it is disconnected, and keyboard, screen and monitors belong to another user.
 */
export async function whyNoScreen(host: DesktopHost): Promise<string | null> {
  const desktop = await host.native(inputDesktopLibrary);
  if (desktop.isService())
    return 'Hostler runs as a service here, which has no desktop; start it in the session of the user at the screen';
  const { own, atConsole } = desktop.sessions();
  if (own === atConsole || (await host.native()).wtsapi32.ownState() === WTSActive) return null;
  return 'This session is not on the screen: another user signed in, or the remote connection ended; switch back to it and try again';
}

/** Why this process cannot use the desktop of the signed-in user now; null: it can. */
export async function whyNoInputDesktop(host: DesktopHost): Promise<string | null> {
  const why = await whyNoScreen(host);
  if (why !== null) return why;
  if (!(await host.native(inputDesktopLibrary)).isShown() || (await host.native()).wtsapi32.isLocked() === true)
    return 'The screen is locked, or Windows is asking an administrator for permission; try again afterwards';
  return null;
}

/** Refuses before anything reaches a desktop that the user does not see. */
export const requireDesktop = async (host: DesktopHost) => refuse(await whyNoInputDesktop(host));

/** Refuses what affects the monitors of another user. */
export const requireScreen = async (host: DesktopHost) => refuse(await whyNoScreen(host));

function refuse(why: string | null): void {
  if (why !== null) throw new ServiceError('unsupported', why);
}

const WTSActive = 0;

const UOI_FLAGS = 1;
const UOI_NAME = 2;
const WSF_VISIBLE = 1;
const DESKTOP_READOBJECTS = 1;
const longestName = 512;

/** The desktop that receives input, through user32.dll. */
const inputDesktopLibrary = defineLibrary('inputDesktop', () => ({
  /** This process has no desktop. */
  isService,
  /** The session of this process, and that of the screen of the machine. */
  sessions: () => ({ own: ownSession(), atConsole: win32.WTSGetActiveConsoleSessionId() }),
  /** false: Windows shows another desktop of this session, such as the lock screen or a UAC prompt. */
  isShown,
}));

function isShown(): boolean {
  const shown = BigInt(win32.OpenInputDesktop(0, 0, DESKTOP_READOBJECTS));
  if (shown === 0n) return false;
  // With sufficient rights the desktop of the lock screen can be opened too.
  const current = win32.GetThreadDesktop(win32.GetCurrentThreadId());
  const isOurs = desktopName(shown) === desktopName(current);
  win32.CloseDesktop(shown);
  return isOurs;
}

function isService(): boolean {
  // Session 0 is for services only.
  if (ownSession() === 0) return true;
  const flags = pinned(USEROBJECTFLAGS.size);
  const isKnown = readObject(win32.GetProcessWindowStation(), UOI_FLAGS, flags);
  return isKnown && (readStruct(USEROBJECTFLAGS, flags).dwFlags & WSF_VISIBLE) === 0;
}

/** -1: not reported. */
function ownSession(): number {
  const session = slot();
  return win32.ProcessIdToSessionId(win32.GetCurrentProcessId(), session.place) === 0 ? -1 : session.u32();
}

function desktopName(desktop: number | bigint): string | null {
  const bytes = pinned(longestName);
  return readObject(desktop, UOI_NAME, bytes) ? wideText(bytes) : null;
}

const readObject = (object: number | bigint, what: number, bytes: Uint8Array<ArrayBuffer>): boolean =>
  win32.GetUserObjectInformationW(object, what, address(bytes), bytes.length, slot().place) !== 0;
