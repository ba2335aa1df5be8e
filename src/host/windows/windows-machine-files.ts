import fs from 'node:fs';
import path from 'node:path';
import { createTrustedFiles } from '../machine-files.ts';
import type { MachineFiles } from '../storage.ts';
import type { Rights } from './native/rights.ts';
import { isOfAdministrator, otherWriter } from './trusted-accounts.ts';

/**
 * %ProgramData%\hostler, as far as administrators alone can change it. Every user may make directories in %ProgramData%, so what counts is who
 * owns this one and may write to it. `rights` are loaded when there is something to look at.
 */
export function createWindowsMachineFiles(
  directory: string,
  loadRights: () => Promise<Pick<Rights, 'descriptor'>>,
  loaded: Pick<Rights, 'descriptor'> | null,
): MachineFiles {
  let rights = loaded;
  return createTrustedFiles(directory, {
    flags: fs.constants.O_RDONLY,
    refusal: (file) => exposureOf(directory, file, rights),
    isPlanted: (file) => rights !== null && isPlanted(directory, file, rights),
    async beforeChanged() {
      rights ??= await loadRights();
    },
  });
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

/** Only what an administrator owns, or what lies in a directory that only administrators can change, is not planted. */
function isPlanted(directory: string, file: string, rights: Pick<Rights, 'descriptor'>): boolean {
  if (fs.lstatSync(directory).isSymbolicLink()) return true;
  return otherWriter(rights.descriptor(directory) ?? '') !== null && !isOfAdministrator(rights.descriptor(file) ?? '');
}

function between(directory: string, file: string): string[] {
  const parent = path.dirname(file);
  return parent === directory || parent.length <= directory.length ? [] : [...between(directory, parent), parent];
}

/** *S-1-5-32-544 are the administrators in every language. */
const mend = (place: string) =>
  `icacls "${place}" /setowner *S-1-5-32-544, then icacls "${place}" /inheritance:r /grant *S-1-5-32-544:F *S-1-5-18:F *S-1-5-32-545:RX`;
