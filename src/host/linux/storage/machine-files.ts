import fs from 'node:fs';
import { directoriesAbove } from '../../../lib/directories-above.ts';
import { createTrustedFiles } from '../../machine-files.ts';
import type { MachineFiles } from '../../storage.ts';
import { locate, type Roots } from '../files.ts';

const writableByOthers = 0o022;
const sticky = 0o1000;

const usual = '/etc/hostler';

/**
 * /etc/hostler, as far as only root can change it. The variables of a user do not move it where it exists: that would remove its locks. `owner`: the
 * uid that counts as root, for tests.
 */
export function createMachineFiles(roots: Roots, owner = 0, exists = fs.existsSync): MachineFiles {
  return createTrustedFiles(exists(usual) ? usual : locate(roots, usual), {
    // A pipe must not block.
    flags: fs.constants.O_RDONLY | fs.constants.O_NONBLOCK,
    refusal: (file, stat) => exposureOf(file, stat, owner),
  });
}

function exposureOf(file: string, stat: fs.Stats, owner: number): string | null {
  if (stat.uid !== owner) return `${file} is not used because it does not belong to root: sudo chown root ${file}`;
  if ((stat.mode & writableByOthers) !== 0)
    return `${file} is not used because others than root may write to it: sudo chmod go-w ${file}`;
  // Its own path, and its real path: some systems have links in /etc.
  const places = [file, fs.realpathSync(file)].flatMap((place) => directoriesAbove(place));
  const above = places.find((place) => !isTrusted(place, owner));
  return above === undefined
    ? null
    : `${file} is not used because others than root may change ${above}: sudo chown root ${above}; sudo chmod go-w ${above}`;
}

/** In a sticky directory users can move their own files only. */
function isTrusted(directory: string, owner: number): boolean {
  const { uid, mode } = fs.statSync(directory);
  return (uid === 0 || uid === owner) && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0);
}
