import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../lib/errors.ts';
import type { MachineFileRefusal, MachineFiles } from './storage.ts';

/** More than any list of settings or tokens needs. */
const mostBytes = 256 * 1024;

/** What the platforms say differently of the files that only an administrator can change. */
interface MachineFileParts {
  /** How such a file is opened. */
  flags: number;
  /** Why this one is not used; null: nobody else could have written it. */
  refusal(file: string, stat: fs.Stats): string | null;
  /** Whether an ordinary user can have put it there; left out: no ordinary user can. */
  isPlanted?(file: string): boolean;
  /** Told first of every change. */
  beforeChanged?(): Promise<void>;
}

/** The files of this directory, each as far as the platform trusts it. */
export function createTrustedFiles(
  directory: string,
  { flags, refusal, isPlanted, beforeChanged }: MachineFileParts,
): MachineFiles {
  const at = (name: string) => path.join(directory, name);
  const refuse = (file: string, reason: string): MachineFileRefusal =>
    isPlanted?.(file) === true ? { refusal: reason, isPlanted: true } : { refusal: reason };
  const list = (name: string) => {
    try {
      return fs.readdirSync(at(name)).sort();
    } catch {
      return [];
    }
  };
  const signature = (name: string): string => {
    const stat = statOrCode(at(name));
    if (stat === undefined) return '';
    if (typeof stat === 'string') return stat;
    const own = `${stat.ino}:${stat.ctimeMs}:${stat.mtimeMs}:${stat.size}`;
    if (!stat.isDirectory()) return own;
    return [own, ...list(name).map((entry) => `${entry}=${signature(path.join(name, entry))}`)].join(' ');
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
        const code = codeOf(error);
        return code === 'ENOENT' || code === 'ENOTDIR' ? null : refuse(file, `${file} cannot be read (${code})`);
      }
      try {
        const stat = fs.fstatSync(descriptor);
        const reason = shapeRefusal(file, stat) ?? refusal(file, stat);
        // What is read is what was checked.
        return reason === null ? { text: fs.readFileSync(descriptor, 'utf8') } : refuse(file, reason);
      } finally {
        fs.closeSync(descriptor);
      }
    },
    signature,
    watch(name, changed) {
      const heard = async () => {
        await beforeChanged?.();
        changed();
      };
      try {
        const watcher = fs.watch(at(name), { persistent: false }, () => void heard());
        watcher.on('error', () => watcher.close());
        return () => watcher.close();
      } catch {
        return () => {};
      }
    },
  };
}

/** Its error code if the system refuses to look, for example in a directory of root alone; undefined: it does not exist. */
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
