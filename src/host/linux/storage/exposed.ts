import type { Owned } from '../../contained/contained.ts';
import type { Exposure } from '../../storage.ts';
import { isUnmappedUser } from '../proc/user-namespace.ts';
import { type AccountFiles, othersWho, shellQuoted, userName } from './exposure.ts';

const sticky = 0o1000;

/** How users other than root and `me` can change a file, or replace what is in a directory. */
export function exposureOfFacts(
  { realPath, mode, user, group, kind }: Owned,
  me = process.getuid?.() ?? 0,
  accounts?: AccountFiles,
): Exposure | null {
  const isDirectory = kind === 'directory';
  // In a user namespace the directories of root can belong to the unmapped user.
  if (user !== me && user !== 0 && !(isDirectory && isUnmappedUser(user))) {
    const fix = `${me === 0 ? '' : 'sudo '}chown -h ${userName(me)} ${shellQuoted(realPath)}`;
    return { problem: `${realPath} belongs to ${userName(user)}`, fix };
  }
  // In such a directory a file can be replaced only by its owner.
  if (isDirectory && (mode & sticky) !== 0) return null;
  const writers = othersWho(realPath, { mode, gid: group }, me, accounts);
  return writers === null
    ? null
    : { problem: `${writers} may write to ${realPath}`, fix: `chmod go-w ${shellQuoted(realPath)}` };
}
