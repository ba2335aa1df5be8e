import fs from 'node:fs';
import { locate, type Roots } from '../../../host/linux/files.ts';
import type { PackageChange } from './manager-state.ts';

/** The end of a log: a distribution upgrade writes about 1 MiB. */
const mostBytes = 1024 * 1024;

/** What dpkg did, by its log and the one before the last rotation. */
export const readDpkgLog = (roots: Roots): PackageChange[] =>
  ['/var/log/dpkg.log.1', '/var/log/dpkg.log'].flatMap((file) => parseDpkgLog(endOf(locate(roots, file))));

export const readPacmanLog = (roots: Roots): PackageChange[] =>
  parsePacmanLog(endOf(locate(roots, '/var/log/pacman.log')));

function endOf(file: string): string {
  try {
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      const { size } = fs.fstatSync(descriptor);
      const bytes = Buffer.alloc(Math.min(size, mostBytes));
      const read = fs.readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8', 0, read);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

/** `2026-11-18 20:20:58 upgrade bash:amd64 5.2.15-2 5.2.15-3`, in local time; `<none>`: not installed. */
export function parseDpkgLog(text: string): PackageChange[] {
  return [...text.matchAll(/^(\S+) (\S+) (install|upgrade|remove) (\S+) (\S+) (\S+)$/gm)].flatMap(
    ([, day, time, , name = '', before = '', after = '']) => {
      const [from, to] = [versionOf(before), versionOf(after)];
      return from === to
        ? []
        : changeAt(`${day}T${time}`, { manager: 'apt', name: name.replace(/:all$/, ''), from, to });
    },
  );
}

const versionOf = (text: string) => (text === '<none>' ? '' : text);

/** `[2026-11-18T20:20:58+0100] [ALPM] upgraded linux (6.7.4-1 -> 6.7.5-1)` */
export function parsePacmanLog(text: string): PackageChange[] {
  const lines = /^\[(\S+[+-]\d\d)(\d\d)\] \[ALPM\] (installed|upgraded|downgraded|removed) (\S+) \((.+)\)$/gm;
  return [...text.matchAll(lines)].flatMap(([, time = '', minutes, verb, name = '', versions = '']) => {
    const [first = '', second = ''] = versions.split(' -> ');
    const [from, to] = verb === 'installed' ? ['', first] : verb === 'removed' ? [first, ''] : [first, second];
    return changeAt(`${time}:${minutes}`, { manager: 'pacman', name, from, to });
  });
}

function changeAt(time: string, change: Omit<PackageChange, 'at'>): PackageChange[] {
  const at = Date.parse(time) / 1000;
  return Number.isFinite(at) ? [{ at, ...change }] : [];
}
