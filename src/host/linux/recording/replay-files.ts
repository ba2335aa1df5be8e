import type { Files, PersistentFile } from '../files.ts';
import type { ShortFile } from '../proc/short-file.ts';
import type { RecordingIndex } from './recording.ts';

export interface ReplayedFiles extends Files {
  goOn(): void;
}

/** The files in the directory of a recording. */
export type PlainFiles = Pick<Files, 'bytes' | 'exists'>;

/** The files of a recording: those in its directory, and the facts about others in `recording.json`. */
export function replayFiles(
  plain: PlainFiles,
  plainLater: PlainFiles,
  index: Pick<RecordingIndex, 'directories' | 'links' | 'present' | 'denied' | 'modified' | 'oddFiles' | 'oddLater'>,
): ReplayedFiles {
  const present = new Set(index.present);
  const denied = new Set(index.denied);
  let isLater = false;
  const odd = (files: Record<string, string>, file: string) => {
    const text = own(files, file);
    return text === undefined ? null : Buffer.from(text, 'base64');
  };
  const bytes = (file: string): Buffer | null => {
    if (denied.has(file)) return null;
    const later = isLater ? (odd(index.oddLater, file) ?? plainLater.bytes(file)) : null;
    const found = later ?? odd(index.oddFiles, file) ?? plain.bytes(file);
    return found === null ? null : Buffer.from(found);
  };
  const text = (file: string) => bytes(file)?.toString('utf8') ?? null;
  const latin = (file: string) => bytes(file)?.toString('latin1') ?? null;
  const names = (directory: string) => own(index.directories, directory) ?? [];
  const exists = (file: string) =>
    present.has(file) || denied.has(file) || own(index.oddFiles, file) !== undefined || plain.exists(file);
  const list = (directory: string) => [...names(directory)];
  return {
    goOn() {
      isLater = true;
    },
    text,
    bytes,
    plain: (file, most) => bytes(file)?.subarray(0, most).toString('utf8') ?? null,
    textLater: async (file) => text(file),
    list,
    entries: list,
    names: async (directory) => list(directory),
    link: (file) => own(index.links, file) ?? null,
    exists,
    modified: (file) => own(index.modified, file) ?? null,
    moved: () => false,
    denied: (file) => denied.has(file),
    keep: (file) => keepReplayed(() => latin(file)),
    // biome-ignore lint/correctness/useYield: the whole content is available at once.
    *long(file) {
      return latin(file);
    },
    short: (file) => shortReplayed(() => bytes(file)),
  };
}

const own = <T>(values: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

const keepReplayed = (text: () => string | null): PersistentFile => ({
  text,
  number() {
    const found = /^-?\d+(?=[\n ]|$)/.exec(text() ?? '')?.[0];
    return found === undefined ? null : Number(found);
  },
  close: () => {},
});

const shortReplayed = (bytes: () => Buffer | null): ShortFile => ({
  read(into) {
    const found = bytes();
    if (found === null) return null;
    const piece = found.subarray(0, into.length);
    into.set(piece);
    return piece.length;
  },
  close: () => {},
});
