import path from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createHangingFiles, type HangingFiles } from '../contained.hanging.ts';
import { findByName } from '../contained.portable.ts';
import { containedThread } from '../contained.thread-line.ts';
import { type Contained, inside } from '../contained.ts';
import type { Kernel32 } from './native/kernel32.ts';

export interface WindowsContainedParts {
  isOurs: Contained['isOurs'];
  /** Such as C:, on which Windows itself is. */
  systemDrive: string | null;
  kernel32(): Promise<Pick<Kernel32, 'driveType'>>;
  elsewhere: HangingFiles;
  here?: typeof findByName;
}

/** Removable, fixed, and in memory. Others are of another machine, have to turn first, or are gone. https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew */
const ofThisMachine = [2, 3, 6];

/** Drives of other machines, which may keep whoever asks them waiting, each in a thread of its own. Links that lead to one are not known before they are followed. */
export function createWindowsContained({
  isOurs,
  systemDrive,
  kernel32,
  elsewhere,
  here = findByName,
}: WindowsContainedParts): Contained {
  const isSystem = (root: string) => systemDrive !== null && root === `${systemDrive.toLowerCase()}\\`;
  const isShare = (root: string) => root.startsWith('\\\\');
  const rootOf = (file: string) => {
    const root = path.win32.parse(file).root.replaceAll('/', '\\').toLowerCase();
    return root.endsWith('\\') ? root : `${root}\\`;
  };

  const findOnDrive = async (root: string, base: string, relative: string) => {
    const { driveType } = await kernel32();
    return ofThisMachine.includes(driveType(root)) ? here(base, relative) : await elsewhere.find(root, base, relative);
  };

  return {
    find: inside((base, relative) => {
      const root = rootOf(base);
      if (isSystem(root)) return here(base, relative);
      return isShare(root) ? elsewhere.find(root, base, relative) : findOnDrive(root, base, relative);
    }),
    isOurs,
    mayHang: (file) => !isSystem(rootOf(file)),
  };
}

export const windowsHangingFiles = (clock: Clock, startThread: StartThread): HangingFiles =>
  createHangingFiles(clock, containedThread(startThread, 'contained-by-name'));
