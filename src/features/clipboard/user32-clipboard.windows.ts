import { copyFrom, memoryAt } from '../../host/ffi.ts';
import { defineLibrary } from '../../host/native-library.ts';
import { systemLibrary } from '../../host/windows/native/library.ts';
import { wide } from '../../host/windows/native/memory.ts';

/** user32.dll: the clipboard. Programs may put what they copied there only when it is asked for, so it is read in a thread that may block. */
export interface WindowsClipboard {
  /** The first of these kinds that is there; `most`: bytes as UTF-8, or of the picture. */
  read(kinds: ClipboardKind[], most: Record<ClipboardKind, number>): ClipboardFound;
  /** What kind of thing is there, and its text: at most so many bytes as UTF-8. Of a secret nothing is read. */
  look(mostBytes: number): ClipboardLook;
  /** `bytes`: UTF-8, or a picture. What is put there stays, also when this process ends. */
  write(kind: ClipboardKind, bytes: Uint8Array): 'done' | 'busy' | 'failed';
}

export type ClipboardKind = 'text' | 'png';
export type ClipboardFound =
  | { kind: ClipboardKind; bytes: Uint8Array }
  | { problem: 'busy' | 'empty' | 'secret' | 'none' | 'failed' }
  | { problem: 'too large'; kind: ClipboardKind };

export type ClipboardLook =
  | { problem: 'busy' | 'empty' | 'secret' }
  /** `types`: the well-known media types it can be had in. `text`: left out where there is none, null where it is not handed over. */
  | { types: string[]; text?: { bytes: Uint8Array; isCut: boolean } | null };

const { CF_UNICODETEXT, GMEM_MOVEABLE, MESSAGE_ONLY } = { CF_UNICODETEXT: 13, GMEM_MOVEABLE: 2, MESSAGE_ONLY: -3n };
/** Another program has it open for a moment only. */
const { tries, pauseMs } = { tries: 30, pauseMs: 50 };

/** Marks of password managers: being there is enough for the first ones, the others say no with a zero. */
const marks = ['ExcludeClipboardContentFromMonitorProcessing', 'Clipboard Viewer Ignore'];
const permissions = ['CanIncludeInClipboardHistory', 'CanUploadToCloudClipboard'];
/** As Office and Windows name it, and as browsers do. */
const pictures = ['PNG', 'image/png'];
/** What Windows and its programs call the media types that people copy: numbers of Windows itself, and names. */
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

export function openWindowsClipboard(): WindowsClipboard {
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
  const numbers = (names: readonly string[]) => names.map((name) => user32.RegisterClipboardFormatW(wide(name)));
  const isThere = (format: number) => user32.IsClipboardFormatAvailable(format) !== 0;

  const opened = <T>(window: bigint, use: () => T): T | null => {
    for (let tried = 0; user32.OpenClipboard(window) === 0; tried += 1) {
      if (tried >= tries) return null;
      kernel32.Sleep(pauseMs);
    }
    try {
      return use();
    } finally {
      user32.CloseClipboard();
    }
  };
  /** At most so many bytes of it, and how many there are. */
  const taken = (format: number, most: number): { bytes: Uint8Array; size: number } | null => {
    const handle = BigInt(user32.GetClipboardData(format));
    if (handle === 0n) return null;
    const [place, size] = [Number(kernel32.GlobalLock(handle)), Number(kernel32.GlobalSize(handle))];
    if (place === 0) return null;
    try {
      return { bytes: copyFrom(place, Math.min(size, most)), size };
    } finally {
      kernel32.GlobalUnlock(handle);
    }
  };
  const isSecret = () =>
    numbers(marks).some(isThere) ||
    numbers(permissions).some((format) => {
      if (!isThere(format)) return false;
      const told = taken(format, 4);
      // What cannot be read is not taken for a permission.
      return told === null || told.bytes.length < 4 || told.bytes.every((byte) => byte === 0);
    });
  const readKind = (kind: ClipboardKind, most: number): ClipboardFound | null => {
    const format = kind === 'text' ? CF_UNICODETEXT : numbers(pictures).find(isThere);
    if (format === undefined || !isThere(format)) return null;
    const found = taken(format, kind === 'text' ? 2 * most + 2 : most + mostPadding);
    if (found === null) return { problem: 'failed' };
    const bytes = kind === 'text' ? utf8Of(found.bytes) : pngOf(found.bytes);
    return bytes.length > most ? { problem: 'too large', kind } : { kind, bytes };
  };
  const put = (format: number, bytes: Uint8Array): boolean => {
    const handle = BigInt(kernel32.GlobalAlloc(GMEM_MOVEABLE, bytes.length));
    const place = handle === 0n ? 0 : Number(kernel32.GlobalLock(handle));
    if (place === 0) return false;
    memoryAt(place, bytes.length).set(bytes);
    kernel32.GlobalUnlock(handle);
    // From then on it belongs to Windows.
    if (BigInt(user32.SetClipboardData(format, handle)) !== 0n) return true;
    kernel32.GlobalFree(handle);
    return false;
  };

  return {
    read(kinds, most) {
      const found = opened(0n, (): ClipboardFound => {
        if (user32.CountClipboardFormats() === 0) return { problem: 'empty' };
        if (isSecret()) return { problem: 'secret' };
        for (const kind of kinds) {
          const one = readKind(kind, most[kind]);
          if (one !== null) return one;
        }
        return { problem: 'none' };
      });
      return found ?? { problem: 'busy' };
    },
    look(mostBytes) {
      const found = opened(0n, (): ClipboardLook => {
        if (user32.CountClipboardFormats() === 0) return { problem: 'empty' };
        if (isSecret()) return { problem: 'secret' };
        const named = (format: number | string) =>
          typeof format === 'number' ? format : user32.RegisterClipboardFormatW(wide(format));
        const types = mediaTypes.flatMap(([type, formats]) =>
          formats.some((format) => isThere(named(format))) ? [type] : [],
        );
        if (!isThere(CF_UNICODETEXT)) return { types };
        // Two bytes of UTF-16 are at least one of UTF-8.
        const handed = taken(CF_UNICODETEXT, 2 * mostBytes + 2);
        return { types, text: handed && cutText(handed.bytes, mostBytes) };
      });
      return found ?? { problem: 'busy' };
    },
    write(kind, bytes) {
      const given = kind === 'text' ? wide(Buffer.from(bytes).toString('utf8')) : bytes;
      const [png = 0] = numbers(pictures);
      // Whoever empties the clipboard has to be a window. It goes at once: others would wait for its answers.
      const window = BigInt(
        user32.CreateWindowExW(0, wide('STATIC'), wide('Hostler'), 0, 0, 0, 0, 0, MESSAGE_ONLY, 0, 0, 0),
      );
      if (window === 0n) return 'failed';
      try {
        const done = opened(
          window,
          () => user32.EmptyClipboard() !== 0 && put(kind === 'text' ? CF_UNICODETEXT : png, given),
        );
        return done === null ? 'busy' : done ? 'done' : 'failed';
      } finally {
        user32.DestroyWindow(window);
      }
    },
  };
}

/** Windows rounds sizes up. */
const mostPadding = 4096;

/** Up to its NUL; without one it is as long as it was allowed to be. */
export function utf8Of(bytes: Uint8Array): Uint8Array {
  const whole = bytes.subarray(0, bytes.length & ~1);
  const units = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf16le');
  const end = units.indexOf('\0');
  return Buffer.from((end < 0 ? units : units.slice(0, end)).toWellFormed());
}

/** The beginning of a text of UTF-16 that has at most so many bytes as UTF-8. */
export function cutText(units: Uint8Array, mostBytes: number): { bytes: Uint8Array; isCut: boolean } {
  const bytes = utf8Of(units);
  return { bytes: bytes.subarray(0, mostBytes), isCut: bytes.length > mostBytes };
}

/** Without what Windows has put behind it. */
export function pngOf(bytes: Uint8Array): Uint8Array {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf('IEND');
  return end < 0 ? bytes : bytes.slice(0, Math.min(bytes.length, end + 8));
}
