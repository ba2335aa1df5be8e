import fs from 'node:fs';
import path from 'node:path';
import { codeOf, isTemporary } from '../lib/errors.ts';
import type { MachineFileRefusal, MachineFiles } from './storage.ts';

/** More than any list of settings or tokens needs. */
const mostBytes = 256 * 1024;

/** The platform's part of reading files that only an administrator can change. */
interface MachineFileParts {
  /** Opens such a file. */
  flags: number;
  /** Why the file is not used; null: no other user could have written it. */
  refusal(file: string, stat: fs.Stats): string | null;
  /** Whether an ordinary user could have created it; left out: no ordinary user can. */
  isPlanted?(file: string): boolean;
  /** Whether a directory belongs to an ordinary user; left out: it cannot. */
  isForeign?(directory: string): boolean;
  /** Called first at every change. */
  beforeChanged?(): Promise<void>;
  /** Lets only administrators change a directory, and everyone read it; left out: its mode does that. */
  protect?(directory: string): Promise<void>;
}

/** The files of this directory, each as far as the platform trusts it. */
export function createTrustedFiles(
  directory: string,
  { flags, refusal, isPlanted, isForeign, beforeChanged, protect }: MachineFileParts,
): MachineFiles {
  const at = (name: string) => path.join(directory, name);
  const refuse = (file: string, reason: string): MachineFileRefusal =>
    isPlanted?.(file) === true ? { refusal: reason, isPlanted: true } : { refusal: reason };
  const list = (name: string) => {
    try {
      return fs.readdirSync(at(name)).sort();
    } catch (error) {
      if (isTemporary(error)) throw error;
      return [];
    }
  };
  const signed = (name: string): string => {
    try {
      return list(name)
        .map((entry) => `${entry}=${signature(path.join(name, entry))}`)
        .join(' ');
    } catch (error) {
      return codeOf(error) ?? 'unknown';
    }
  };
  const signature = (name: string): string => {
    const stat = statOrCode(at(name));
    if (stat === undefined) return '';
    if (typeof stat === 'string') return stat;
    const own = `${stat.ino}:${stat.ctimeMs}:${stat.mtimeMs}:${stat.size}`;
    return stat.isDirectory() ? `${own} ${signed(name)}` : own;
  };
  return {
    directory,
    list,
    read(name) {
      const file = at(name);
      let descriptor: number;
      try {
        descriptor = fs.openSync(file, flags);
      } catch (error) {
        if (isTemporary(error)) throw error;
        const code = codeOf(error);
        return code === 'ENOENT' || code === 'ENOTDIR' ? null : refuse(file, `${file} cannot be read (${code})`);
      }
      try {
        const stat = fs.fstatSync(descriptor);
        const reason = shapeRefusal(file, stat) ?? refusal(file, stat);
        // Reads the descriptor that was checked.
        return reason === null ? { text: fs.readFileSync(descriptor, 'utf8') } : refuse(file, reason);
      } finally {
        fs.closeSync(descriptor);
      }
    },
    async write(name, text) {
      await beforeChanged?.();
      fs.mkdirSync(directory, { recursive: true, mode: 0o755 });
      // Before its rights change: every user may create it first on Windows, also as a link to another directory.
      if (!fs.lstatSync(directory).isDirectory() || isForeign?.(directory))
        throw new Error(`${directory} is not used: it is a link, or does not belong to an administrator. Remove it`);
      await protect?.(directory);
      const next = at(`${name}.new`);
      fs.rmSync(next, { force: true });
      fs.writeFileSync(next, text, { flag: 'wx' });
      fs.chmodSync(next, 0o644);
      fs.renameSync(next, at(name));
    },
    signature,
    watch(name, changed) {
      const reportChange = async () => {
        await beforeChanged?.();
        changed();
      };
      try {
        const watcher = fs.watch(at(name), { persistent: false }, () => void reportChange());
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => {};
      }
    },
  };
}

/** Its error code if the system denies access, for example in a directory of root; undefined: it does not exist. */
function statOrCode(file: string): fs.Stats | string | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    return codeOf(error) ?? 'unknown';
  }
}

function shapeRefusal(file: string, stat: fs.Stats): string | null {
  if (!stat.isFile()) return `${file} is not a file`;
  return stat.size > mostBytes ? `${file} is larger than ${mostBytes / 1024} KiB` : null;
}
