import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../lib/errors.ts';
import type { MachineFiles } from '../storage.ts';
import type { Rights } from './native/rights.ts';
import { otherWriter } from './trusted-accounts.ts';

/** More than any list of settings or tokens needs. */
const mostBytes = 256 * 1024;

/**
 * %ProgramData%\hostler, as far as administrators alone can change it. Every user may make directories in %ProgramData%, so what counts is who
 * owns this one and may write to it. `rights` are loaded when there is something to look at.
 */
export function createWindowsMachineFiles(
  directory: string,
  loadRights: () => Promise<Pick<Rights, 'descriptor'>>,
  loaded: Pick<Rights, 'descriptor'> | null,
): MachineFiles {
  const at = (name: string) => path.join(directory, name);
  let rights = loaded;
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
        descriptor = fs.openSync(file, 'r');
      } catch (error) {
        const code = codeOf(error);
        return code === 'ENOENT' || code === 'ENOTDIR' ? null : { refusal: `${file} cannot be read (${code})` };
      }
      try {
        const refusal = refusalOf(file, fs.fstatSync(descriptor)) ?? exposureOf(directory, file, rights);
        return refusal === null ? { text: fs.readFileSync(descriptor, 'utf8') } : { refusal };
      } finally {
        fs.closeSync(descriptor);
      }
    },
    signature(name) {
      const stat = fs.statSync(at(name), { throwIfNoEntry: false });
      if (stat === undefined) return '';
      const own = `${stat.ino}:${stat.ctimeMs}:${stat.mtimeMs}:${stat.size}`;
      if (!stat.isDirectory()) return own;
      return [own, ...list(name).map((entry) => `${entry}=${this.signature(path.join(name, entry))}`)].join(' ');
    },
    watch(name, changed) {
      const heard = async () => {
        rights ??= await loadRights();
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

function refusalOf(file: string, stat: fs.Stats): string | null {
  if (!stat.isFile()) return `${file} is not a file`;
  return stat.size > mostBytes ? `${file} is larger than ${mostBytes / 1024} KiB` : null;
}

function exposureOf(directory: string, file: string, rights: Pick<Rights, 'descriptor'> | null): string | null {
  for (const place of [directory, ...between(directory, file), file]) {
    // What it leads to may belong to an administrator who never meant it for this.
    if (fs.lstatSync(place).isSymbolicLink()) return `${file} is not used because ${place} is a link`;
    const writer = otherWriter(rights?.descriptor(place) ?? '');
    if (writer !== null)
      return `${file} is not used because others than administrators (${writer}) may change ${place}: ${mend(place)}`;
  }
  return null;
}

function between(directory: string, file: string): string[] {
  const parent = path.dirname(file);
  return parent === directory || parent.length <= directory.length ? [] : [...between(directory, parent), parent];
}

/** *S-1-5-32-544 are the administrators in every language. */
const mend = (place: string) =>
  `icacls "${place}" /setowner *S-1-5-32-544, then icacls "${place}" /inheritance:r /grant *S-1-5-32-544:F *S-1-5-18:F *S-1-5-32-545:RX`;
