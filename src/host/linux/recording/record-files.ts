import type { Files, KeptFile } from '../files.ts';
import type { ShortFile } from '../proc/short-file.ts';
import type { Recording } from './recording.ts';

/** Files as they are, and `recording` keeps what was asked and answered. `isLater`: whether this is the second look. */
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
    // Without an order: the order is that of who asks.
    if (!recording.directories.has(directory)) recording.directories.set(directory, found);
    return found;
  };
  return {
    text: (file) => text(file, files.text(file)),
    plain: (file, most) => text(file, files.plain(file, most)),
    textLater: async (file) => text(file, await files.textLater(file)),
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

function keepRecorded(kept: KeptFile, keep: (text: string | null) => void): KeptFile {
  return {
    ...kept,
    text() {
      const found = kept.text();
      keep(found);
      return found;
    },
    number() {
      const found = kept.number();
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
