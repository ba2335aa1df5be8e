import type { Files } from '../../host/files.ts';
import { isEnding, isKernelThread, type Stat } from './processes.stat.ts';

/** What a process seldom changes: it would have to run another program, to become another user, or to go elsewhere. */
export interface Facts {
  name: string;
  path: string | null;
  workingDirectory: string | null;
  /** null: it has ended meanwhile. */
  uid: number | null;
}

/** `comm` is the kernel's name of the process, a character for each byte; `before` is what was known of it. */
export type ReadFacts = (pid: number, comm: string, stat: Pick<Stat, 'flags' | 'state'>, before: Facts | null) => Facts;

export function createFactsReader(files: Files): ReadFacts {
  const buffer = Buffer.allocUnsafeSlow(4096);

  const readText = (path: string) => {
    const file = files.short(path);
    const length = file.read(buffer) ?? 0;
    file.close();
    return buffer.toString('latin1', 0, length);
  };

  return (pid, comm, stat, before) => {
    // Threads of the kernel change their names all the time, but nothing else.
    if (before !== null && isKernelThread(stat)) return { ...before, name: toText(comm) };
    const directory = `/proc/${pid}`;
    const uid = parseUid(readText(`${directory}/status`));
    if (isEnding(stat)) return { name: toText(comm), path: null, workingDirectory: null, uid };
    const workingDirectory = readPlace(files, `${directory}/cwd`);
    if (isKernelThread(stat)) return { name: toText(comm), path: null, workingDirectory, uid };
    return {
      name: comm.length < longestComm ? toText(comm) : wholeName(comm, readText(`${directory}/cmdline`)),
      path: readPlace(files, `${directory}/exe`),
      workingDirectory,
      uid,
    };
  };
}

/** The kernel keeps this many bytes of a name. */
const longestComm = 15;
const longestName = 255;

/** A name that was cut is taken from the command line, if that begins alike. */
function wholeName(comm: string, cmdline: string): string {
  const [program = ''] = cmdline.split('\0', 1);
  const name = program.slice(program.lastIndexOf('/') + 1).slice(0, longestName);
  // The cut may go through a character.
  return name.startsWith(comm) ? toText(name) : toText(comm).replace(/\ufffd$/, '');
}

const toText = (bytes: string) => Buffer.from(bytes, 'latin1').toString();

const deleted = ' (deleted)';

/** The kernel marks what was removed or replaced since; a file may really have such a name. */
function readPlace(files: Files, link: string): string | null {
  const place = files.link(link);
  return place?.endsWith(deleted) && !files.exists(place) ? place.slice(0, -deleted.length) : place;
}

/** The real user, as psutil has it. The first line is the name, in which the kernel escapes newlines. */
function parseUid(status: string): number | null {
  const at = status.indexOf('\nUid:\t');
  const uid = at === -1 ? Number.NaN : Number.parseInt(status.slice(at + 6, at + 20), 10);
  return Number.isNaN(uid) ? null : uid;
}
