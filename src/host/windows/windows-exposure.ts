import path from 'node:path';
import type { Exposure } from '../storage.ts';
import { otherReplacer, otherWriter } from './trusted-accounts.ts';
import type { Accounts } from './windows-storage.ts';

/**
 * How accounts besides administrators and our own can change a file or directory; `isAbove`: or replace what is in a directory above that of a
 * file.
 */
export function windowsExposure(
  { ownSid, descriptor }: Pick<Accounts, 'ownSid' | 'descriptor'>,
  { place, isDirectory, isAbove }: { place: string; isDirectory: boolean; isAbove: boolean },
): Exposure | null {
  const own = ownSid();
  const sddl = descriptor(place);
  // Administrators have hidden the permissions of some directories there. Elsewhere another user may have hidden those of theirs.
  if (sddl === null && isAbove && isOfWindows(place)) return null;
  const isRoot = path.win32.dirname(place) === place;
  const account = isAbove ? otherReplacer(sddl ?? '', own, isRoot) : otherWriter(sddl ?? '', own);
  if (account === null) return null;
  const inherited = isDirectory ? '(OI)(CI)' : '';
  const grants = [own, 'S-1-5-18', 'S-1-5-32-544'].map((sid) => `*${sid}:${inherited}F`).join(' ');
  return {
    problem: `other users (${account}) may change ${place}`,
    fix: `icacls "${place}" /inheritance:r /grant:r ${grants}`,
  };
}

function isOfWindows(place: string): boolean {
  const { SystemRoot = 'C:\\Windows', ProgramFiles = 'C:\\Program Files' } = process.env;
  return [SystemRoot, ProgramFiles].some((root) => place.toLowerCase().startsWith(`${root.toLowerCase()}\\`));
}
