import { copyFrom, memoryAt } from '../../host/ffi.ts';
import { defineLibrary } from '../../host/native-library.ts';
import { wide } from '../../host/windows/native/memory.ts';
import { win32 } from '../../host/windows/native/win32.ts';

type ClipboardKind = 'text' | 'png';
export type ClipboardFound =
  | { kind: ClipboardKind; bytes: Uint8Array }
  | { problem: 'busy' | 'empty' | 'secret' | 'none' | 'failed' }
  | { problem: 'too large'; kind: ClipboardKind };

export type ClipboardLook =
  | { problem: 'busy' | 'empty' | 'secret' }
  /** `types`: the well-known media types it is offered in. `text`: undefined without text, null if its owner did not supply it. */
  | { types: string[]; text?: { bytes: Uint8Array; isCut: boolean } | null };

const CF_UNICODETEXT = 13;
const GMEM_MOVEABLE = 2;
const MESSAGE_ONLY = -3n;
/** Other programs keep it open for a moment only. */
const tries = 30;
const pauseMs = 50;

/** Formats that password managers set: `marks` by their presence, `permissions` by the value 0. */
const marks = ['ExcludeClipboardContentFromMonitorProcessing', 'Clipboard Viewer Ignore'];
const permissions = ['CanIncludeInClipboardHistory', 'CanUploadToCloudClipboard'];
/** The name that Office and Windows use, and that of browsers. */
const pictures = ['PNG', 'image/png'];
/** Clipboard formats of each media type: numbers of Windows, and registered names. */
const mediaTypes: [type: string, formats: (number | string)[]][] = [
  ['text/plain', [CF_UNICODETEXT]],
  ['image/png', pictures],
  ['text/html', ['HTML Format', 'text/html']],
  ['text/rtf', ['Rich Text Format', 'text/rtf']],
  // CF_HDROP: files.
  ['text/uri-list', [15, 'text/uri-list']],
  ['image/jpeg', ['JFIF', 'image/jpeg']],
  ['image/webp', ['image/webp']],
  ['image/svg+xml', ['image/svg+xml']],
  ['image/gif', ['GIF', 'image/gif']],
  // CF_BITMAP, CF_DIB, CF_DIBV5.
  ['image/bmp', [2, 8, 17, 'image/bmp']],
  // CF_TIFF.
  ['image/tiff', [6, 'image/tiff']],
];

export const clipboardLibrary = defineLibrary('clipboard', openWindowsClipboard);

/** user32.dll: the clipboard. Programs may render the content only on request, so it is read in a thread that may block. */
function openWindowsClipboard() {
  return {
    /** The first of these kinds that is available; `most`: bytes as UTF-8, or of the picture. */
    read: (kinds: ClipboardKind[], most: Record<ClipboardKind, number>) =>
      withClipboard(0n, () => readFirst(kinds, most)) ?? { problem: 'busy' },
    /** The media types, and at most `mostBytes` of the text as UTF-8. Nothing is read of a secret. */
    look: (mostBytes: number) => withClipboard(0n, () => inspect(mostBytes)) ?? { problem: 'busy' },
    /** `bytes`: UTF-8, or a picture. The content stays when this process ends. */
    write: (kind: ClipboardKind, bytes: Uint8Array) => replace(kind, bytes),
  };
}

const formatNumber = (format: number | string) =>
  typeof format === 'number' ? format : win32.RegisterClipboardFormatW(wide(format));

const isAvailable = (format: number | string) => win32.IsClipboardFormatAvailable(formatNumber(format)) !== 0;

/** null: another program keeps the clipboard open. */
function withClipboard<T>(window: bigint, use: () => T): T | null {
  for (let tried = 0; win32.OpenClipboard(window) === 0; tried += 1) {
    if (tried >= tries) return null;
    win32.Sleep(pauseMs);
  }
  try {
    return use();
  } finally {
    win32.CloseClipboard();
  }
}

/** The first `most` bytes. */
function contentIn(format: number, most: number): Uint8Array | null {
  const handle = BigInt(win32.GetClipboardData(format));
  if (handle === 0n) return null;
  const [place, size] = [Number(win32.GlobalLock(handle)), Number(win32.GlobalSize(handle))];
  if (place === 0) return null;
  try {
    return copyFrom(place, Math.min(size, most));
  } finally {
    win32.GlobalUnlock(handle);
  }
}

function refusalOf(): { problem: 'empty' | 'secret' } | null {
  if (win32.CountClipboardFormats() === 0) return { problem: 'empty' };
  return isSecret() ? { problem: 'secret' } : null;
}

const isSecret = () =>
  marks.some((name) => isAvailable(name)) ||
  permissions.some((name) => {
    if (!isAvailable(name)) return false;
    const bytes = contentIn(formatNumber(name), 4);
    // A value that cannot be read does not permit anything.
    return bytes === null || bytes.length < 4 || bytes.every((byte) => byte === 0);
  });

function readFirst(kinds: readonly ClipboardKind[], most: Record<ClipboardKind, number>): ClipboardFound {
  const refusal = refusalOf();
  if (refusal !== null) return refusal;
  for (const kind of kinds) {
    const found = readKind(kind, most[kind]);
    if (found !== null) return found;
  }
  return { problem: 'none' };
}

function readKind(kind: ClipboardKind, most: number): ClipboardFound | null {
  const format = (kind === 'text' ? [CF_UNICODETEXT] : pictures).find((each) => isAvailable(each));
  if (format === undefined) return null;
  const content = contentIn(formatNumber(format), kind === 'text' ? 2 * most + 2 : most + mostPadding);
  if (content === null) return { problem: 'failed' };
  const bytes = kind === 'text' ? utf8Of(content) : pngOf(content);
  return bytes.length > most ? { problem: 'too large', kind } : { kind, bytes };
}

function inspect(mostBytes: number): ClipboardLook {
  const refusal = refusalOf();
  if (refusal !== null) return refusal;
  const types = mediaTypes.flatMap(([type, formats]) => (formats.some((format) => isAvailable(format)) ? [type] : []));
  if (!isAvailable(CF_UNICODETEXT)) return { types };
  // Two bytes of UTF-16 are at least one of UTF-8.
  const content = contentIn(CF_UNICODETEXT, 2 * mostBytes + 2);
  return { types, text: content && cutText(content, mostBytes) };
}

function replace(kind: ClipboardKind, bytes: Uint8Array): 'done' | 'busy' | 'failed' {
  const given = kind === 'text' ? wide(Buffer.from(bytes).toString('utf8')) : bytes;
  const format = formatNumber(kind === 'text' ? CF_UNICODETEXT : 'PNG');
  // EmptyClipboard needs a window as the owner. It is destroyed at once, because other programs would wait for its answers.
  const window = BigInt(
    win32.CreateWindowExW(0, wide('STATIC'), wide('Hostler'), 0, 0, 0, 0, 0, MESSAGE_ONLY, 0, 0, 0),
  );
  if (window === 0n) return 'failed';
  try {
    const done = withClipboard(window, () => win32.EmptyClipboard() !== 0 && put(format, given));
    return done === null ? 'busy' : done ? 'done' : 'failed';
  } finally {
    win32.DestroyWindow(window);
  }
}

function put(format: number, bytes: Uint8Array): boolean {
  const handle = BigInt(win32.GlobalAlloc(GMEM_MOVEABLE, bytes.length));
  const place = handle === 0n ? 0 : Number(win32.GlobalLock(handle));
  if (place === 0) return false;
  memoryAt(place, bytes.length).set(bytes);
  win32.GlobalUnlock(handle);
  // On success the memory belongs to Windows.
  if (BigInt(win32.SetClipboardData(format, handle)) !== 0n) return true;
  win32.GlobalFree(handle);
  return false;
}

/** Windows rounds sizes up. */
const mostPadding = 4096;

/** Up to the NUL, or all of it. */
export function utf8Of(bytes: Uint8Array): Uint8Array {
  const whole = bytes.subarray(0, bytes.length & ~1);
  const units = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf16le');
  const end = units.indexOf('\0');
  return Buffer.from((end < 0 ? units : units.slice(0, end)).toWellFormed());
}

/** The beginning of a UTF-16 text, at most `mostBytes` as UTF-8. */
export function cutText(units: Uint8Array, mostBytes: number): { bytes: Uint8Array; isCut: boolean } {
  const bytes = utf8Of(units);
  return { bytes: bytes.subarray(0, mostBytes), isCut: bytes.length > mostBytes };
}

/** Without the padding that Windows adds. */
export function pngOf(bytes: Uint8Array): Uint8Array {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf('IEND');
  return end < 0 ? bytes : bytes.slice(0, Math.min(bytes.length, end + 8));
}
