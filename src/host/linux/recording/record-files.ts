import type { Files, PersistentFile } from '../files.ts';
import type { ShortFile } from '../proc/short-file.ts';
import type { Recording } from './recording.ts';

/** The real files; `recording` records requests and answers. `isLater`: whether this is the second sample. */
export function recordFiles(files: Files, recording: Recording, isLater: () => boolean): Files {
  const keep = (file: string, bytes: Buffer | null) => {
    if (bytes === null) {
      if (files.denied(file)) recording.denied.add(file);
      return;
    }
    const before = recording.files.get(file);
    if (before === undefined) recording.files.set(file, bytes);
    else if (isLater() && !before.equals(bytes)) recording.later.set(file, bytes);
  };
  const text = (file: string, found: string | null, encoding: BufferEncoding = 'utf8') => {
    keep(file, found === null ? null : Buffer.from(found, encoding));
    return found;
  };
  const names = (directory: string, found: string[]) => {
    // Unsorted: the caller sorts.
    if (!recording.directories.has(directory)) recording.directories.set(directory, found);
    return found;
  };
  return {
    text: (file) => text(file, files.text(file)),
    plain: (file, most) => text(file, files.plain(file, most)),
    textLater: async (file, most) => text(file, await files.textLater(file, most)),
    bytes(file) {
      const found = files.bytes(file);
      keep(file, found === null ? null : Buffer.from(found));
      return found;
    },
    list: (directory) => names(directory, files.list(directory)),
    entries: (directory) => names(directory, files.entries(directory)),
    names: async (directory) => names(directory, await files.names(directory)),
    link(file) {
      const target = files.link(file);
      if (target !== null && !recording.links.has(file)) recording.links.set(file, target);
      return target;
    },
    exists(file) {
      const there = files.exists(file);
      if (there) recording.present.add(file);
      return there;
    },
    modified(file) {
      const at = files.modified(file);
      if (at !== null && !recording.modified.has(file)) recording.modified.set(file, at);
      return at;
    },
    moved: () => false,
    denied(file) {
      const isDenied = files.denied(file);
      if (isDenied) recording.denied.add(file);
      return isDenied;
    },
    keep: (file) => keepRecorded(files.keep(file), (found) => text(file, found, 'latin1')),
    *long(file) {
      return text(file, yield* files.long(file), 'latin1');
    },
    short: (file) => shortRecorded(files.short(file), (bytes) => keep(file, bytes)),
  };
}

function keepRecorded(real: PersistentFile, keep: (text: string | null) => void): PersistentFile {
  return {
    ...real,
    text() {
      const found = real.text();
      keep(found);
      return found;
    },
    number() {
      const found = real.number();
      keep(found === null ? null : `${found}\n`);
      return found;
    },
  };
}

function shortRecorded(short: ShortFile, keep: (bytes: Buffer | null) => void): ShortFile {
  return {
    ...short,
    read(into) {
      const length = short.read(into);
      keep(length === null ? null : Buffer.from(into.subarray(0, length)));
      return length;
    },
  };
}
