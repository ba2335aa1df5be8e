import type { Owned } from '../../contained/contained.ts';
import type { Exposure } from '../../storage.ts';
import { isUnmappedUser } from '../proc/user-namespace.ts';
import { shellQuoted, userName } from './exposure.ts';

const groupWrite = 0o020;
const othersWrite = 0o002;
const sticky = 0o1000;
/** Groups below this number belong to the system, such as `staff` of Debian's /usr/local; `users` is 100. */
const firstOrdinaryGroup = 100;

/**
 * How users other than root and the one with these ids can change a file, or replace what is in a directory. The group of a user whose ids
 * are equal is private: systems that create such groups also create group-writable files.
 */
export function exposureOfFacts(
  { realPath, mode, user, group, kind }: Owned,
  own = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 },
): Exposure | null {
  const isDirectory = kind === 'directory';
  // In a user namespace the directories of root can belong to the unmapped user.
  if (user !== own.user && user !== 0 && !(isDirectory && isUnmappedUser(user))) {
    const fix = `${own.user === 0 ? '' : 'sudo '}chown -h ${userName(own.user)} ${shellQuoted(realPath)}`;
    return { problem: `${realPath} belongs to ${userName(user)}`, fix };
  }
  // In such a directory a file can be replaced only by its owner.
  if (isDirectory && (mode & sticky) !== 0) return null;
  const isPrivate = group < firstOrdinaryGroup || (group === own.group && own.group === own.user);
  const isWritable = (mode & othersWrite) !== 0 || ((mode & groupWrite) !== 0 && !isPrivate);
  return isWritable ? { problem: `others may write to ${realPath}`, fix: `chmod go-w ${shellQuoted(realPath)}` } : null;
}
