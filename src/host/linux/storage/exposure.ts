import fs from 'node:fs';
import path from 'node:path';
import { shellQuoted } from '../../../lib/quoted.ts';
import type { Owned } from '../../contained/contained.ts';
import type { Exposure } from '../../storage.ts';
import { isUnmappedUser } from '../proc/user-namespace.ts';
import { type AclWriter, aclWriters } from './acl.ts';
import { placesTo } from './links-to.ts';

/**
 * Whether a user other than this one and root could change a file or directory of ours, or replace it through a directory above. null: no,
 * or it does not exist and no other user could create it.
 */
export function exposureOf(target: string): Exposure | null {
  const me = process.getuid?.();
  if (me === undefined) return null;
  const own = statOf(target);
  const problem = own === null ? null : problemOf(target, own, me);
  return problem ?? exposureAbove(target);
}

/** Whether a user other than this one and root could replace the file, regardless of its own permissions, as for a socket. */
export function exposureAbove(target: string): Exposure | null {
  const me = process.getuid?.();
  if (me === undefined) return null;
  for (const [place, stat] of wayTo(target)) {
    const wrong = stat.isSymbolicLink() ? problemOfLink(place, stat, me) : problemAbove(place, stat, me);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** How users other than root and `me` can change a file, or replace what is in a directory, by facts of an open descriptor. */
export function exposureOfFacts(
  { realPath, mode, user, group, kind }: Owned,
  me = process.getuid?.() ?? 0,
  accounts?: AccountFiles,
): Exposure | null {
  const isDirectory = kind === 'directory';
  // In a user namespace the directories of root can belong to the unmapped user.
  if (user !== me && user !== 0 && !(isDirectory && isUnmappedUser(user)))
    return { problem: `${realPath} belongs to ${userName(user)}`, fix: chown(me, realPath, '-h') };
  // In such a directory a file can be replaced only by its owner.
  if (isDirectory && (mode & sticky) !== 0) return null;
  const writers = othersWho(realPath, { mode, gid: group }, me, accounts);
  return writers === null
    ? null
    : { problem: `${writers} may write to ${realPath}`, fix: `chmod go-w ${shellQuoted(realPath)}` };
}

/** Every directory and link on the way to it, as far as they exist and may be looked at, the nearest first. */
function wayTo(target: string): [place: string, stat: fs.Stats][] {
  const way = new Map<string, fs.Stats>();
  let last = '';
  try {
    for (const { place, stat } of placesTo(path.isAbsolute(target) ? target : `${process.cwd()}/${target}`)) {
      way.set(place, stat);
      last = place;
    }
    way.delete(last);
  } catch {
    // The target does not exist yet, or is not accessible to us either.
  }
  return [...way].reverse();
}

/** null: it is not there, or we may not look; then we cannot use it either, which is said elsewhere. */
function statOf(place: string): fs.Stats | null {
  try {
    return fs.statSync(place);
  } catch {
    return null;
  }
}

function problemOf(target: string, stat: fs.Stats, me: number): Exposure | null {
  if (stat.uid !== me && stat.uid !== 0)
    return { problem: `it belongs to ${userName(stat.uid)}`, fix: chown(me, target) };
  const writers = othersWho(realPath(target), stat, me);
  return writers === null ? null : { problem: `${writers} may write to it`, fix: `chmod go-w ${shellQuoted(target)}` };
}

/** The owner of a link can point it elsewhere. */
function problemOfLink(link: string, { uid }: fs.Stats, me: number): Exposure | null {
  if (uid === me || uid === 0 || isUnmappedUser(uid)) return null;
  return { problem: `the link ${link} on the way to it belongs to ${userName(uid)}`, fix: chown(me, link, '-h') };
}

/** Where the sticky bit is set, others can make what is not there yet, but move nothing that is: /tmp is fine. */
function problemAbove(above: string, stat: fs.Stats, me: number): Exposure | null {
  const { uid, mode } = stat;
  if (uid !== me && uid !== 0 && !isUnmappedUser(uid))
    return { problem: `${above}, in which it lies, belongs to ${userName(uid)}`, fix: chown(me, above) };
  const writers = (mode & sticky) !== 0 ? null : othersWho(above, stat, me);
  if (writers === null) return null;
  return { problem: `${writers} may write to ${above}, in which it lies`, fix: `chmod go-w ${shellQuoted(above)}` };
}

const sticky = 0o1000;

/**
 * Who may write to a file or directory, by its mode or its ACL, apart from this user and root; null: no other user. A group without other
 * members, which many systems create for each user together with the umask 002, is not another user. `place`: its real path.
 */
function othersWho(
  place: string,
  { mode, gid }: Pick<fs.Stats, 'mode' | 'gid'>,
  me: number,
  given?: AccountFiles,
): string | null {
  if ((mode & 0o002) !== 0) return 'any user';
  if ((mode & 0o020) === 0) return null;
  const writers = writersOf(place);
  if (writers === null) return 'users of an ACL that cannot be read';
  const accounts = given ?? readAccounts();
  for (const { kind, id } of writers) {
    if (kind === 'user' && id !== me && id !== 0) return `the user ${userName(id ?? 0)}`;
    const group = id ?? gid;
    if (kind === 'group' && !isStaffIn(place, group, accounts) && !isPrivateGroup(group, me, accounts))
      return `the group ${groupName(group)}`;
  }
  return null;
}

/** null: unknown. Without an ACL the owning group writes. */
function writersOf(place: string): AclWriter[] | null {
  try {
    return aclWriters(place) ?? [{ kind: 'group', id: null }];
  } catch {
    return null;
  }
}

interface AccountFiles {
  /** Lines of /etc/group and /etc/passwd, as fields. */
  groups: string[][];
  users: string[][];
}

const readAccounts = (): AccountFiles => ({ groups: entries('/etc/group'), users: entries('/etc/passwd') });

/** According to the account files; a group that is not in them may have any members. */
function isPrivateGroup(gid: number, me: number, { groups, users }: AccountFiles): boolean {
  // Several groups can have the same number.
  const same = groups.filter((fields) => fields[2] === String(gid));
  if (same.length === 0) return gid === 0;
  const members = same.flatMap(([, , , names = '']) => names.split(',').filter((member) => member !== ''));
  const trusted = (user: string | undefined) => user === String(me) || user === '0';
  const isTrusted = (name: string) => trusted(users.find((fields) => fields[0] === name)?.[2]);
  // Some systems have accounts without a shell in the group of root.
  const others = gid === 0 ? [] : users.filter((fields) => fields[3] === String(gid) && !trusted(fields[2]));
  return members.every(isTrusted) && others.length === 0;
}

/** Debian gives /usr/local to this group, whose members are administrators. */
const isStaffIn = (place: string, gid: number, { groups }: AccountFiles) =>
  gid === 50 &&
  (place === '/usr/local' || place.startsWith('/usr/local/')) &&
  groups.some(([name, , id]) => name === 'staff' && id === '50');

function realPath(target: string): string {
  try {
    return fs.realpathSync(target);
  } catch {
    return target;
  }
}

const chown = (me: number, target: string, option = '-R') =>
  `${me === 0 ? '' : 'sudo '}chown ${option} ${userName(me)} ${shellQuoted(target)}`;

const userName = (uid: number) =>
  entries('/etc/passwd').find((fields) => fields[2] === String(uid))?.[0] ?? String(uid);
const groupName = (gid: number) =>
  entries('/etc/group').find((fields) => fields[2] === String(gid))?.[0] ?? String(gid);

function entries(file: string): string[][] {
  try {
    return fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return [];
  }
}
