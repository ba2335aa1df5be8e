import fs from 'node:fs';
import path from 'node:path';

/** What replacing a program does to the disk, one call of the system each: a power cut can come between any two of them. */
export interface ProgramFiles {
  /** A new file; throws when there is one already. */
  create(file: string, mode: number): number;
  write(descriptor: number, bytes: Uint8Array): void;
  /** What was written is on the disk when it returns. */
  sync(descriptor: number): void;
  close(descriptor: number): void;
  /** A second name for a file; throws where the disk knows no such thing. */
  link(from: string, to: string): void;
  copy(from: string, to: string): void;
  rename(from: string, to: string): void;
  /** null: there is none. */
  read(file: string): string | null;
  remove(file: string): void;
  /** What lies in a directory; nothing where it cannot be listed. */
  names(directory: string): string[];
  /** The names in a directory are on the disk when it returns. */
  syncDirectory(directory: string): void;
}

export const programFiles: ProgramFiles = {
  create(file, mode) {
    const descriptor = fs.openSync(file, 'wx', mode);
    // Whatever the user's mask takes away from new files: others run this program as well.
    fs.fchmodSync(descriptor, mode);
    return descriptor;
  },
  write(descriptor, bytes) {
    for (let written = 0; written < bytes.length; )
      written += fs.writeSync(descriptor, bytes, written, bytes.length - written);
  },
  sync: (descriptor) => fs.fsyncSync(descriptor),
  close: (descriptor) => fs.closeSync(descriptor),
  link: (from, to) => fs.linkSync(from, to),
  copy: (from, to) => fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL),
  rename: (from, to) => fs.renameSync(from, to),
  read: (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null),
  remove: (file) => fs.rmSync(file, { force: true }),
  names(directory) {
    try {
      return fs.readdirSync(directory);
    } catch {
      return [];
    }
  },
  syncDirectory(directory) {
    try {
      const descriptor = fs.openSync(directory, 'r');
      fs.fsyncSync(descriptor);
      fs.closeSync(descriptor);
    } catch {
      // Not every system lets a directory be opened.
    }
  },
};

/** Names beside a program. What an update that was cut short left there is taken away by the next one. */
export const besideProgram = (program: string) => ({
  /** Nobody knows its name beforehand. */
  archive: (id: string) => `${program}.${id}.download`,
  fresh: `${program}.new`,
  previous: `${program}.previous`,
  /** Holds the number of the process that is updating it. */
  lock: `${program}.updating`,
  /** Where a lock that was left goes before it is removed. */
  aside: (id: string) => `${program}.${id}.updating`,
  /** `previous` in the making. */
  kept: `${program}.keeping`,
  directory: path.dirname(program),
});

/** What an update of this program that was cut short left under names that nobody knows beforehand. */
export function leftBeside(program: string, files: ProgramFiles): string[] {
  const directory = path.dirname(program);
  const prefix = `${path.basename(program)}.`;
  return files
    .names(directory)
    .filter((name) => name.startsWith(prefix) && leftover.test(name.slice(prefix.length)))
    .map((name) => path.join(directory, name));
}

const leftover = /^(?:[0-9a-f-]{36}\.(?:download|updating)|download)$/;

export interface Replacement {
  /** The new program lies beside the old one, as `besideProgram` says. It is in its place afterwards, and the old one can be put back. */
  replace(program: string): void;
  /** The old one again, after `replace`. */
  putBack(program: string): void;
}

/** Where a file may be replaced while it runs. After every step the program is the old one or the new one, whole. */
export function replaceInOneStep(files: ProgramFiles): Replacement {
  return {
    replace(program) {
      const { fresh, previous, kept, directory } = besideProgram(program);
      files.remove(kept);
      try {
        files.link(program, kept);
      } catch {
        files.copy(program, kept);
      }
      files.rename(kept, previous);
      // Where both are names of the same file already, after a power cut, renaming does nothing.
      files.remove(kept);
      files.rename(fresh, program);
      files.syncDirectory(directory);
    },
    putBack(program) {
      const { previous, directory } = besideProgram(program);
      files.rename(previous, program);
      files.syncDirectory(directory);
    },
  };
}
