import { copyFrom, memoryAt } from '../../host/ffi.ts';
import { defineLibrary } from '../../host/native-library.ts';
import { systemLibrary } from '../../host/windows/native/library.ts';
import { wide } from '../../host/windows/native/memory.ts';

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
  const windows = openLibraries();
  return {
    /** The first of these kinds that is available; `most`: bytes as UTF-8, or of the picture. */
    read: (kinds: ClipboardKind[], most: Record<ClipboardKind, number>) =>
      withClipboard(windows, 0n, () => readFirst(windows, kinds, most)) ?? { problem: 'busy' },
    /** The media types, and at most `mostBytes` of the text as UTF-8. Nothing is read of a secret. */
    look: (mostBytes: number) => withClipboard(windows, 0n, () => inspect(windows, mostBytes)) ?? { problem: 'busy' },
    /** `bytes`: UTF-8, or a picture. The content stays when this process ends. */
    write: (kind: ClipboardKind, bytes: Uint8Array) => replace(windows, kind, bytes),
  };
}

type Libraries = ReturnType<typeof openLibraries>;

function openLibraries() {
  const user32 = systemLibrary('user32.dll', {
    OpenClipboard: { args: ['u64'], returns: 'i32' },
    CloseClipboard: { args: [], returns: 'i32' },
    EmptyClipboard: { args: [], returns: 'i32' },
    CountClipboardFormats: { args: [], returns: 'i32' },
    IsClipboardFormatAvailable: { args: ['u32'], returns: 'i32' },
    GetClipboardData: { args: ['u32'], returns: 'u64' },
    SetClipboardData: { args: ['u32', 'u64'], returns: 'u64' },
    RegisterClipboardFormatW: { args: ['ptr'], returns: 'u32' },
    CreateWindowExW: {
      args: ['u32', 'ptr', 'ptr', 'u32', 'i32', 'i32', 'i32', 'i32', 'i64', 'u64', 'u64', 'u64'],
      returns: 'u64',
    },
    DestroyWindow: { args: ['u64'], returns: 'i32' },
  });
  const kernel32 = systemLibrary('kernel32.dll', {
    GlobalAlloc: { args: ['u32', 'u64'], returns: 'u64' },
    GlobalFree: { args: ['u64'], returns: 'u64' },
    GlobalLock: { args: ['u64'], returns: 'u64' },
    GlobalUnlock: { args: ['u64'], returns: 'i32' },
    GlobalSize: { args: ['u64'], returns: 'u64' },
    Sleep: { args: ['u32'], returns: 'void' },
  });
  return { user32, kernel32 };
}

const formatNumber = ({ user32 }: Libraries, format: number | string) =>
  typeof format === 'number' ? format : user32.RegisterClipboardFormatW(wide(format));

const isAvailable = (windows: Libraries, format: number | string) =>
  windows.user32.IsClipboardFormatAvailable(formatNumber(windows, format)) !== 0;

/** null: another program keeps the clipboard open. */
function withClipboard<T>({ user32, kernel32 }: Libraries, window: bigint, use: () => T): T | null {
  for (let tried = 0; user32.OpenClipboard(window) === 0; tried += 1) {
    if (tried >= tries) return null;
    kernel32.Sleep(pauseMs);
  }
  try {
    return use();
  } finally {
    user32.CloseClipboard();
  }
}

/** The first `most` bytes. */
function contentIn({ user32, kernel32 }: Libraries, format: number, most: number): Uint8Array | null {
  const handle = BigInt(user32.GetClipboardData(format));
  if (handle === 0n) return null;
  const [place, size] = [Number(kernel32.GlobalLock(handle)), Number(kernel32.GlobalSize(handle))];
  if (place === 0) return null;
  try {
    return copyFrom(place, Math.min(size, most));
  } finally {
    kernel32.GlobalUnlock(handle);
  }
}

function refusalOf(windows: Libraries): { problem: 'empty' | 'secret' } | null {
  if (windows.user32.CountClipboardFormats() === 0) return { problem: 'empty' };
  return isSecret(windows) ? { problem: 'secret' } : null;
}

const isSecret = (windows: Libraries) =>
  marks.some((name) => isAvailable(windows, name)) ||
  permissions.some((name) => {
    if (!isAvailable(windows, name)) return false;
    const bytes = contentIn(windows, formatNumber(windows, name), 4);
    // A value that cannot be read does not permit anything.
    return bytes === null || bytes.length < 4 || bytes.every((byte) => byte === 0);
  });

function readFirst(
  windows: Libraries,
  kinds: readonly ClipboardKind[],
  most: Record<ClipboardKind, number>,
): ClipboardFound {
  const refusal = refusalOf(windows);
  if (refusal !== null) return refusal;
  for (const kind of kinds) {
    const found = readKind(windows, kind, most[kind]);
    if (found !== null) return found;
  }
  return { problem: 'none' };
}

function readKind(windows: Libraries, kind: ClipboardKind, most: number): ClipboardFound | null {
  const format = (kind === 'text' ? [CF_UNICODETEXT] : pictures).find((each) => isAvailable(windows, each));
  if (format === undefined) return null;
  const content = contentIn(
    windows,
    formatNumber(windows, format),
    kind === 'text' ? 2 * most + 2 : most + mostPadding,
  );
  if (content === null) return { problem: 'failed' };
  const bytes = kind === 'text' ? utf8Of(content) : pngOf(content);
  return bytes.length > most ? { problem: 'too large', kind } : { kind, bytes };
}

function inspect(windows: Libraries, mostBytes: number): ClipboardLook {
  const refusal = refusalOf(windows);
  if (refusal !== null) return refusal;
  const types = mediaTypes.flatMap(([type, formats]) =>
    formats.some((format) => isAvailable(windows, format)) ? [type] : [],
  );
  if (!isAvailable(windows, CF_UNICODETEXT)) return { types };
  // Two bytes of UTF-16 are at least one of UTF-8.
  const content = contentIn(windows, CF_UNICODETEXT, 2 * mostBytes + 2);
  return { types, text: content && cutText(content, mostBytes) };
}

function replace(windows: Libraries, kind: ClipboardKind, bytes: Uint8Array): 'done' | 'busy' | 'failed' {
  const { user32 } = windows;
  const given = kind === 'text' ? wide(Buffer.from(bytes).toString('utf8')) : bytes;
  const format = formatNumber(windows, kind === 'text' ? CF_UNICODETEXT : 'PNG');
  // EmptyClipboard needs a window as the owner. It is destroyed at once, because other programs would wait for its answers.
  const window = BigInt(
    user32.CreateWindowExW(0, wide('STATIC'), wide('Hostler'), 0, 0, 0, 0, 0, MESSAGE_ONLY, 0, 0, 0),
  );
  if (window === 0n) return 'failed';
  try {
    const done = withClipboard(windows, window, () => user32.EmptyClipboard() !== 0 && put(windows, format, given));
    return done === null ? 'busy' : done ? 'done' : 'failed';
  } finally {
    user32.DestroyWindow(window);
  }
}

function put({ user32, kernel32 }: Libraries, format: number, bytes: Uint8Array): boolean {
  const handle = BigInt(kernel32.GlobalAlloc(GMEM_MOVEABLE, bytes.length));
  const place = handle === 0n ? 0 : Number(kernel32.GlobalLock(handle));
  if (place === 0) return false;
  memoryAt(place, bytes.length).set(bytes);
  kernel32.GlobalUnlock(handle);
  // On success the memory belongs to Windows.
  if (BigInt(user32.SetClipboardData(format, handle)) !== 0n) return true;
  kernel32.GlobalFree(handle);
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
