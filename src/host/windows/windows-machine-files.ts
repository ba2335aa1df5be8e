import fs from 'node:fs';
import path from 'node:path';
import { createTrustedFiles } from '../machine-files.ts';
import type { MachineFiles } from '../storage.ts';
import type { Rights } from './native/rights.ts';
import { isOfAdministrator, otherWriter } from './trusted-accounts.ts';

/**
 * %ProgramData%\hostler, as far as only administrators can change it. Every user may create directories in %ProgramData%, so the owner
 * and the permissions of this one count. `rights` are loaded when it exists.
 */
export function createWindowsMachineFiles(
  directory: string,
  loadRights: () => Promise<Pick<Rights, 'descriptor'>>,
  loaded: Pick<Rights, 'descriptor'> | null,
  protect: (directory: string, sddl: string) => Promise<boolean>,
): MachineFiles {
  let rights = loaded;
  return createTrustedFiles(directory, {
    flags: fs.constants.O_RDONLY,
    refusal: (file) => exposureOf(directory, file, rights),
    isPlanted: (file) => rights !== null && isPlanted(directory, file, rights),
    isForeign: (place) => rights === null || !isOfAdministrator(rights.descriptor(place) ?? ''),
    async beforeChanged() {
      rights ??= await loadRights();
    },
    async protect(place) {
      if (!(await protect(place, forAdministrators)))
        throw new Error(`The rights of ${place} cannot be set; run this as administrator`);
    },
  });
}

/** The system and the administrators: everything; users: reading. For new files as well. */
const forAdministrators = 'D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)';

function exposureOf(directory: string, file: string, rights: Pick<Rights, 'descriptor'> | null): string | null {
  for (const place of [directory, ...between(directory, file), file]) {
    // Its target may belong to an administrator who did not intend it for this.
    if (fs.lstatSync(place).isSymbolicLink()) return `${file} is not used because ${place} is a link`;
    const writer = otherWriter(rights?.descriptor(place) ?? '');
    if (writer !== null)
      return `${file} is not used because others than administrators (${writer}) may change ${place}: ${fix(place)}`;
  }
  return null;
}

/** Not planted: owned by an administrator, or in a directory that only administrators can change. */
function isPlanted(directory: string, file: string, rights: Pick<Rights, 'descriptor'>): boolean {
  if (fs.lstatSync(directory).isSymbolicLink()) return true;
  return otherWriter(rights.descriptor(directory) ?? '') !== null && !isOfAdministrator(rights.descriptor(file) ?? '');
}

function between(directory: string, file: string): string[] {
  const parent = path.dirname(file);
  return parent === directory || parent.length <= directory.length ? [] : [...between(directory, parent), parent];
}

/** *S-1-5-32-544 are the administrators in every language. */
const fix = (place: string) =>
  `icacls "${place}" /setowner *S-1-5-32-544, then icacls "${place}" /inheritance:r /grant *S-1-5-32-544:F *S-1-5-18:F *S-1-5-32-545:RX`;
