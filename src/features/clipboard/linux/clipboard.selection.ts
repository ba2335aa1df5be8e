import { type FoundSession, findForUse, whyNoDesktop } from '../../../host/linux/desktop/desktop-session.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { CopiedBytes } from './clipboard.limits.ts';

export type ClipboardHost = Pick<LinuxHost, 'clock' | 'connectLocal' | 'environment' | 'files' | 'session'>;

export interface ClipboardView {
  /** Those of `knownTypes` that are available; null: the clipboard is empty. */
  offered(): Promise<ReadonlySet<string> | null>;
  /** null: its owner does not supply it. */
  fetch(type: string, mostBytes: number): Promise<CopiedBytes | null>;
  /** Whether nothing else was copied since `offered`. */
  isSame(): Promise<boolean>;
  /** Resolves when the owner can serve the next reader. */
  close(): Promise<void>;
}

export class NoClipboard extends Error {
  override readonly name = 'NoClipboard';
}

/** In order of preference. */
export const textTypes = [
  'text/plain;charset=utf-8',
  'UTF8_STRING',
  'text/plain;charset=UTF-8',
  'text/plain',
  'STRING',
] as const;
export const pngType = 'image/png';
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

/** Any of these types, whatever its value, marks the content as a secret. */
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

/** Reads are serialised: some programs serve one reader at a time, and forget the others. */
const queue: { tail: Promise<unknown> } = { tail: Promise.resolve() };

export async function withClipboardView<T>(host: ClipboardHost, use: (view: ClipboardView) => Promise<T>): Promise<T> {
  const reading = queue.tail.then(async () => {
    const view = await openClipboard(host);
    try {
      return await use(view);
    } finally {
      await view.close();
    }
  });
  // The queue must not retain the content.
  queue.tail = reading.then(
    () => {},
    () => {},
  );
  return await reading;
}

export async function openClipboard(host: ClipboardHost): Promise<ClipboardView> {
  return await onDesktop(host, {
    wayland: async (socket) => (await import('./clipboard.selection.wayland.ts')).viewOnWayland(host, socket),
    x11: async (place) => (await import('./clipboard.selection.x11.ts')).viewOnX11(host, place),
  });
}

/** Owns the clipboard until another program does (`lost`), or until the returned function is called. */
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

/** Calls back on every change, and once when the connection ends (`gone`). Returns a function that stops. */
export async function followClipboard(
  host: ClipboardHost,
  found: FoundSession,
  changed: () => void,
  gone: () => void,
): Promise<() => void> {
  return await onFound(found, {
    wayland: async (socket) =>
      (await import('./clipboard.selection.wayland.ts')).followOnWayland(host, socket, changed, gone),
    x11: async (place) => (await import('./clipboard.selection.x11.ts')).followOnX11(host, place, changed, gone),
  });
}

interface Ways<T> {
  /** null: this compositor does not allow it. */
  wayland(socket: string): Promise<T | null>;
  x11(place: NonNullable<FoundSession['x11']>): Promise<T>;
}

const onDesktop = async <T>({ session }: ClipboardHost, ways: Ways<T>): Promise<T> =>
  onFound(await findForUse(session), ways);

/** Compositors share the clipboard with Xwayland, where it runs. */
async function onFound<T>(found: FoundSession, ways: Ways<T>): Promise<T> {
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
