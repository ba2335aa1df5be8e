import type { Files } from '../../../host/linux/files.ts';
import { createNames, type ProcessName, toText } from './processes.names.ts';
import { isEnding, isKernelThread, type ProcessStat } from './processes.stat.ts';

/** Values that change rarely: name, program, user and working directory. */
export interface ProcessFacts {
  /** The name in the kernel, one character per byte. */
  comm: string;
  name: ProcessName;
  path: string | null;
  workingDirectory: string | null;
  /** null: it has ended. */
  uid: number | null;
}

export function createFactsReader(files: Files) {
  const findName = createNames(files);
  const buffer = Buffer.allocUnsafeSlow(4096);

  const readStatus = (directory: string) => {
    const file = files.short(`${directory}/status`);
    const length = file.read(buffer) ?? 0;
    file.close();
    return buffer.toString('latin1', 0, length);
  };

  /** `before`: the facts of the last read. */
  return (
    pid: number,
    comm: string,
    stat: Pick<ProcessStat, 'flags' | 'state'>,
    before: ProcessFacts | null,
  ): ProcessFacts => {
    const short = { text: toText(comm) };
    // Kernel threads change their names constantly, but nothing else.
    if (before !== null && isKernelThread(stat)) return { ...before, comm, name: short };
    const directory = `/proc/${pid}`;
    const uid = parseUid(readStatus(directory));
    if (isEnding(stat)) return { comm, name: short, path: null, workingDirectory: null, uid };
    const workingDirectory = readPlace(files, `${directory}/cwd`);
    if (isKernelThread(stat)) return { comm, name: short, path: null, workingDirectory, uid };
    const path = readPlace(files, `${directory}/exe`);
    const same = before !== null && before.comm === comm && before.path === path;
    return { comm, name: same ? before.name : findName(pid, comm, path), path, workingDirectory, uid };
  };
}

const deleted = ' (deleted)';

/** Without the mark of the kernel for removed files. A file may really have such a name: looking it up could hang, on a file system of a user. */
function readPlace(files: Files, link: string): string | null {
  const place = files.link(link);
  return place?.endsWith(deleted) === true ? place.slice(0, -deleted.length) : place;
}

/** The real user, as in psutil. The first line is the name, in which the kernel escapes newlines. */
function parseUid(status: string): number | null {
  const at = status.indexOf('\nUid:\t');
  const uid = at === -1 ? Number.NaN : Number.parseInt(status.slice(at + 6, at + 20), 10);
  return Number.isNaN(uid) ? null : uid;
}
