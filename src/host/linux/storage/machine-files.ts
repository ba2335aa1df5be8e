import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../../lib/errors.ts';
import type { MachineFiles } from '../../storage.ts';
import { locate, type Roots } from '../files.ts';

/** More than any list of settings or tokens needs. */
const mostBytes = 256 * 1024;
const writableByOthers = 0o022;
const sticky = 0o1000;

/** /etc/hostler, as far as root alone can change it. `owner`: who counts as root, which is another one in a test. */
export function createMachineFiles(roots: Roots, owner = 0): MachineFiles {
  const directory = locate(roots, '/etc/hostler');
  const at = (name: string) => path.join(directory, name);
  const list = (name: string) => {
    try {
      return fs.readdirSync(at(name)).sort();
    } catch {
      return [];
    }
  };
  return {
    directory,
    list,
    read(name) {
      const file = at(name);
      let descriptor: number;
      try {
        // A pipe that somebody put there must not be waited for.
        descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
      } catch (error) {
        const code = codeOf(error);
        return code === 'ENOENT' || code === 'ENOTDIR' ? null : { refusal: `${file} cannot be read (${code})` };
      }
      try {
        const refusal = refusalOf(file, fs.fstatSync(descriptor), owner);
        // What is read is what was checked.
        return refusal === null ? { text: fs.readFileSync(descriptor, 'utf8') } : { refusal };
      } finally {
        fs.closeSync(descriptor);
      }
    },
    signature(name) {
      const stat = fs.statSync(at(name), { throwIfNoEntry: false });
      if (stat === undefined) return '';
      const own = `${stat.ino}:${stat.ctimeMs}:${stat.size}`;
      if (!stat.isDirectory()) return own;
      return [own, ...list(name).map((entry) => `${entry}=${this.signature(path.join(name, entry))}`)].join(' ');
    },
    watch(name, changed) {
      try {
        const watcher = fs.watch(at(name), { persistent: false }, () => changed());
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => {};
      }
    },
  };
}

function refusalOf(file: string, stat: fs.Stats, owner: number): string | null {
  if (!stat.isFile()) return `${file} is not a file`;
  if (stat.size > mostBytes) return `${file} is larger than ${mostBytes / 1024} KiB`;
  if (stat.uid !== owner) return `${file} is not used because it does not belong to root: sudo chown root ${file}`;
  if ((stat.mode & writableByOthers) !== 0)
    return `${file} is not used because others than root may write to it: sudo chmod go-w ${file}`;
  const above = directoriesAbove(file).find((place) => !isTrusted(place, owner));
  return above === undefined
    ? null
    : `${file} is not used because others than root may change ${above}: sudo chown root ${above}; sudo chmod go-w ${above}`;
}

/** By its own name, and by where that leads: some systems have links in /etc. */
function directoriesAbove(file: string): string[] {
  const above = (place: string): string[] => {
    const parent = path.dirname(place);
    return parent === place ? [] : [parent, ...above(parent)];
  };
  return [...new Set([...above(file), ...above(fs.realpathSync(file))])];
}

/** Where the sticky bit is set, nobody moves what is not theirs. */
function isTrusted(directory: string, owner: number): boolean {
  const { uid, mode } = fs.statSync(directory);
  return (uid === 0 || uid === owner) && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0);
}
