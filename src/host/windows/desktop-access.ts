import { ServiceError } from '../../lib/errors.ts';
import { address, pinned } from '../ffi.ts';
import { defineLibrary } from '../native-library.ts';
import { systemLibrary } from './native/library.ts';
import { slot } from './native/memory.ts';
import { readStruct, wideText } from './native/structs.ts';
import { USEROBJECTFLAGS } from './native/user32.structs.ts';
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

const inputDesktopLibrary = defineLibrary('inputDesktop', openInputDesktop);

/** The desktop that receives input, through user32.dll. */
function openInputDesktop() {
  const libraries = openLibraries();
  return {
    /** This process has no desktop. */
    isService: () => isService(libraries),
    /** The session of this process, and that of the screen of the machine. */
    sessions: () => ({ own: ownSession(libraries), atConsole: libraries.kernel32.WTSGetActiveConsoleSessionId() }),
    /** false: Windows shows another desktop of this session, such as the lock screen or a UAC prompt. */
    isShown: () => isShown(libraries),
  };
}

type Libraries = ReturnType<typeof openLibraries>;

function openLibraries() {
  const user32 = systemLibrary('user32.dll', {
    GetProcessWindowStation: { args: [], returns: 'u64' },
    GetThreadDesktop: { args: ['u32'], returns: 'u64' },
    OpenInputDesktop: { args: ['u32', 'i32', 'u32'], returns: 'u64' },
    CloseDesktop: { args: ['u64'], returns: 'i32' },
    GetUserObjectInformationW: { args: ['u64', 'i32', 'ptr', 'u32', 'ptr'], returns: 'i32' },
  });
  const kernel32 = systemLibrary('kernel32.dll', {
    GetCurrentProcessId: { args: [], returns: 'u32' },
    GetCurrentThreadId: { args: [], returns: 'u32' },
    ProcessIdToSessionId: { args: ['u32', 'ptr'], returns: 'i32' },
    WTSGetActiveConsoleSessionId: { args: [], returns: 'u32' },
  });
  return { user32, kernel32 };
}

function isShown(libraries: Libraries): boolean {
  const { user32, kernel32 } = libraries;
  const shown = BigInt(user32.OpenInputDesktop(0, 0, DESKTOP_READOBJECTS));
  if (shown === 0n) return false;
  // With sufficient rights the desktop of the lock screen can be opened too.
  const current = user32.GetThreadDesktop(kernel32.GetCurrentThreadId());
  const isOurs = desktopName(libraries, shown) === desktopName(libraries, current);
  user32.CloseDesktop(shown);
  return isOurs;
}

function isService(libraries: Libraries): boolean {
  // Session 0 is for services only.
  if (ownSession(libraries) === 0) return true;
  const flags = pinned(USEROBJECTFLAGS.size);
  const isKnown = readObject(libraries, libraries.user32.GetProcessWindowStation(), UOI_FLAGS, flags);
  return isKnown && (readStruct(USEROBJECTFLAGS, flags).dwFlags & WSF_VISIBLE) === 0;
}

/** -1: not reported. */
function ownSession({ kernel32 }: Libraries): number {
  const session = slot();
  return kernel32.ProcessIdToSessionId(kernel32.GetCurrentProcessId(), session.place) === 0 ? -1 : session.u32();
}

function desktopName(libraries: Libraries, desktop: number | bigint): string | null {
  const bytes = pinned(longestName);
  return readObject(libraries, desktop, UOI_NAME, bytes) ? wideText(bytes) : null;
}

const readObject = (
  { user32 }: Libraries,
  object: number | bigint,
  what: number,
  bytes: Uint8Array<ArrayBuffer>,
): boolean => user32.GetUserObjectInformationW(object, what, address(bytes), bytes.length, slot().place) !== 0;
