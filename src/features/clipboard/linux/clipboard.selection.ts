import { type FoundSession, findForUse, whyNoDesktop } from '../../../host/linux/desktop/desktop-session.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { CopiedBytes } from './clipboard.limits.ts';

export type ClipboardHost = Pick<LinuxHost, 'clock' | 'connectLocal' | 'environment' | 'files' | 'session'>;

/** What is on the clipboard at this moment. */
export interface ClipboardView {
  /** Which of the types in `knownTypes`; null: it is empty. */
  offered(): Promise<ReadonlySet<string> | null>;
  /** null: its owner does not give it. */
  fetch(type: string, mostBytes: number): Promise<CopiedBytes | null>;
  /** Whether it is still what `offered` told of: something else may have been copied since. */
  isSame(): Promise<boolean>;
  /** Resolves when others can ask; some programs serve one at a time, and forget the others. */
  close(): Promise<void>;
}

/** There is no clipboard that we could use. */
export class NoClipboard extends Error {
  override readonly name = 'NoClipboard';
}

/** The best one first. */
export const textTypes = [
  'text/plain;charset=utf-8',
  'UTF8_STRING',
  'text/plain;charset=UTF-8',
  'text/plain',
  'STRING',
] as const;
export const pngType = 'image/png';
/** What else people copy. */
export const otherTypes = [
  'text/html',
  'text/rtf',
  'text/uri-list',
  'image/jpeg',
  'image/webp',
  'image/svg+xml',
  'image/gif',
  'image/bmp',
  'image/tiff',
] as const;

/** Whichever of these is there, whatever it says: what is beside it is not meant to be seen. */
const secretMarks = [
  'x-kde-passwordManagerHint',
  'application/x-nspasteboard-concealed-type',
  'org.nspasteboard.ConcealedType',
  'Clipboard Viewer Ignore',
  'ClipboardViewerIgnore',
  'ExcludeClipboardContentFromMonitorProcessing',
] as const;

export const knownTypes: readonly string[] = [...textTypes, pngType, ...otherTypes, ...secretMarks];

export const isMarkedSecret = (offered: ReadonlySet<string>): boolean => secretMarks.some((mark) => offered.has(mark));

/** One after the other, whoever asks: some programs can hand over to one at a time, and forget the others. */
const door: { turn: Promise<unknown> } = { turn: Promise.resolve() };

export async function lookAtClipboard<T>(host: ClipboardHost, look: (view: ClipboardView) => Promise<T>): Promise<T> {
  const mine = door.turn.then(async () => {
    const view = await openClipboard(host);
    try {
      return await look(view);
    } finally {
      await view.close();
    }
  });
  // Nothing of it is kept.
  door.turn = mine.then(
    () => {},
    () => {},
  );
  return await mine;
}

export async function openClipboard(host: ClipboardHost): Promise<ClipboardView> {
  return await onDesktop(host, {
    wayland: async (socket) => (await import('./clipboard.selection.wayland.ts')).viewOnWayland(host, socket),
    x11: async (place) => (await import('./clipboard.selection.x11.ts')).viewOnX11(host, place),
  });
}

/** Puts it onto the clipboard until another program does (`lost`), or until the returned function is called: nobody else keeps it. */
export async function holdClipboard(
  host: ClipboardHost,
  contents: ReadonlyMap<string, Uint8Array>,
  lost: () => void,
): Promise<() => void> {
  return await onDesktop(host, {
    wayland: async (socket) =>
      (await import('./clipboard.selection.wayland.ts')).holdOnWayland(host, socket, contents, lost),
    x11: async (place) => (await import('./clipboard.selection.x11.ts')).holdOnX11(host, place, contents, lost),
  });
}

/** Calls back whenever something else is on the clipboard, and once when that is not heard any more. Returns the way to stop. */
export async function followClipboard(host: ClipboardHost, changed: () => void, gone: () => void): Promise<() => void> {
  return await onDesktop(host, {
    wayland: async (socket) =>
      (await import('./clipboard.selection.wayland.ts')).followOnWayland(host, socket, changed, gone),
    x11: async (place) => (await import('./clipboard.selection.x11.ts')).followOnX11(host, place, changed, gone),
  });
}

interface Ways<T> {
  /** null: this compositor does not let us. */
  wayland(socket: string): Promise<T | null>;
  x11(place: NonNullable<FoundSession['x11']>): Promise<T>;
}

/** Compositors hand the clipboard on to the X server for old programs, where there is one. */
async function onDesktop<T>({ session }: ClipboardHost, ways: Ways<T>): Promise<T> {
  const found = await findForUse(session);
  const { wayland, x11 } = found;
  const opened = wayland === null ? null : await ways.wayland(wayland);
  if (opened !== null) return opened;
  if (x11 !== null) return await ways.x11(x11);
  throw new NoClipboard(
    wayland === null
      ? whyNoDesktop(found, 'no desktop of this user is running, and a clipboard belongs to a desktop')
      : 'this compositor does not let programs in the background use the clipboard; it offers neither ext-data-control-v1 nor its forerunner of wlroots, as sway and KDE do, and no X server (Xwayland) runs beside it',
  );
}
