import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { codeOf } from '../../lib/errors.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createHangingFiles, type HangingFiles } from '../contained/contained.hanging.ts';
import { findByName } from '../contained/contained.portable.ts';
import { type Contained, inside } from '../contained/contained.ts';
import type { Kernel32 } from './native/kernel32.ts';
import { windowsExposure } from './windows-exposure.ts';
import type { Accounts } from './windows-storage.ts';

export interface WindowsContainedParts {
  isOurs: Contained['isOurs'];
  /** The system drive, such as C:. */
  systemDrive: string | null;
  kernel32(): Promise<Pick<Kernel32, 'driveType'>>;
  accounts(): Promise<Pick<Accounts, 'ownSid' | 'descriptor'>>;
  elsewhere: HangingFiles;
  here?: typeof findByName;
  readLink?: typeof readLinkOnly;
}

/** Removable, fixed, and in memory. Others are network drives, optical drives, or missing. https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew */
const ofThisMachine = [2, 3, 6];
/** The limit of Windows. */
const mostLinks = 63;

/**
 * Access to network drives may block, so each has its own thread; also where a link leads to one, for which
 * links are read before they are followed. A user who swaps a link in between can only block their own service.
 */
export function createWindowsContained({
  isOurs,
  systemDrive,
  kernel32,
  accounts,
  elsewhere,
  here = findByName,
  readLink = readLinkOnly,
}: WindowsContainedParts): Contained {
  const isSystem = (root: string) => systemDrive !== null && root === `${systemDrive.toLowerCase()}\\`;
  let driveType: Kernel32['driveType'] | null = null;

  /** `unknown`: the type of a letter requires a library that is not loaded yet. */
  const distance = (root: string): 'near' | 'far' | 'unknown' => {
    if (isSystem(root)) return 'near';
    if (!/^[a-z]:\\$/.test(root)) return 'far';
    if (driveType === null) return 'unknown';
    return ofThisMachine.includes(driveType(root)) ? 'near' : 'far';
  };

  /** The first root on the way to a file that may hang; null: none. It is not accessed. */
  const farOnWay = (file: string): string | null | 'unknown' => {
    let { root, names } = partsOf(file);
    let place = root;
    for (let links = 0; ; ) {
      const away = distance(root);
      if (away !== 'near') return away === 'far' ? root : 'unknown';
      const name = names.shift();
      if (name === undefined) return null;
      const next = path.win32.join(place, name);
      const target = readLink(next);
      // Nothing below it can block, however many names follow.
      if (target === undefined) return null;
      if (target === null) {
        place = next;
        continue;
      }
      links += 1;
      // Following it fails with the error of Windows.
      if (links > mostLinks) return null;
      const led = partsOf(isDevice(target) ? target : path.win32.resolve(place, target));
      ({ root } = led);
      place = root;
      names = [...led.names, ...names];
    }
  };

  const findLater = async (base: string, relative: string) => {
    ({ driveType } = await kernel32());
    const far = farOnWay(path.win32.join(base, relative));
    return far === null ? here(base, relative) : await elsewhere.find(far, base, relative);
  };

  return {
    find: inside((base, relative) => {
      const far = farOnWay(path.win32.join(base, relative));
      if (far === 'unknown') return findLater(base, relative);
      return far === null ? here(base, relative) : elsewhere.find(far, base, relative);
    }),
    isOurs,
    mayHang: (file) => farOnWay(file) !== null,
    async exposureOf({ realPath, kind }, isAbove) {
      return windowsExposure(await accounts(), { place: realPath, isDirectory: kind === 'directory', isAbove });
    },
  };
}

/** A target that is neither a path nor a share, such as `\\?\GLOBALROOT\Device\Mup\…`; a name for itself. */
const isDevice = (target: string) => /^\\\\[?.]\\/.test(target);

function partsOf(file: string): { root: string; names: string[] } {
  if (isDevice(file)) return { root: file.toLowerCase(), names: [] };
  const parsed = path.win32.parse(path.win32.normalize(file)).root;
  const names = path.win32.normalize(file).slice(parsed.length).split('\\').filter(Boolean);
  const root = parsed.toLowerCase();
  return { root: root.endsWith('\\') ? root : `${root}\\`, names };
}

/** The target of a link or junction, without accessing it; null: not a link, or one to another disk of this machine (`\\?\Volume{…}\`); undefined: missing. */
export function readLinkOnly(file: string): string | null | undefined {
  try {
    return plainTarget(fs.readlinkSync(file));
  } catch (error) {
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' ? undefined : null;
  }
}

/** The stored form may begin with `\??\` or `\\?\`. */
export function plainTarget(target: string): string | null {
  const [, device] = /^\\[\\?]\?\\(.*)$/s.exec(target) ?? [];
  if (device === undefined) return target.replaceAll('/', '\\');
  if (/^UNC\\/i.test(device)) return `\\\\${device.slice(4)}`;
  if (/^Volume\{/i.test(device)) return null;
  return /^[a-z]:/i.test(device) ? device : `\\\\?\\${device}`;
}

export const windowsHangingFiles = (clock: Clock, startThread: StartThread): HangingFiles =>
  createHangingFiles(clock, startThread, 'contained-by-name');
