import fs from 'node:fs';
import path from 'node:path';
import type { Exposure } from '../../storage.ts';
import { isUnmappedUser } from '../proc/user-namespace.ts';

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
  for (const above of directoriesAbove(target)) {
    const stat = statOf(above);
    const wrong = stat === null ? null : problemAbove(above, stat, me);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** null: it does not exist, or is not accessible; its use fails with its own error. */
function statOf(place: string): fs.Stats | null {
  try {
    return fs.statSync(place);
  } catch {
    return null;
  }
}

function problemOf(target: string, { uid, gid, mode }: fs.Stats, me: number): Exposure | null {
  if (uid !== me && uid !== 0) return { problem: `it belongs to ${userName(uid)}`, fix: chown(me, target) };
  const writers = othersWho(mode, gid, me);
  return writers === null ? null : { problem: `${writers} may write to it`, fix: `chmod go-w ${shellQuoted(target)}` };
}

/** In a sticky directory, such as /tmp, others can create files but not move existing ones. */
function problemAbove(above: string, { uid, gid, mode }: fs.Stats, me: number): Exposure | null {
  if (uid !== me && uid !== 0 && !isUnmappedUser(uid))
    return { problem: `${above}, in which it lies, belongs to ${userName(uid)}`, fix: chown(me, above) };
  const writers = (mode & sticky) !== 0 ? null : othersWho(mode, gid, me);
  if (writers === null) return null;
  return { problem: `${writers} may write to ${above}, in which it lies`, fix: `chmod go-w ${shellQuoted(above)}` };
}

const sticky = 0o1000;

/** null: no other users. A private group, as every user has one with the umask 002, does not count. */
function othersWho(mode: number, gid: number, me: number): string | null {
  if ((mode & 0o002) !== 0) return 'any user';
  return (mode & 0o020) !== 0 && !isPrivateGroup(gid, me) ? `the group ${groupName(gid)}` : null;
}

/** By the files of accounts; an unknown group may have any members. */
function isPrivateGroup(gid: number, me: number): boolean {
  const group = entries('/etc/group').find((fields) => fields[2] === String(gid));
  const members = group?.[3]?.split(',').filter((member) => member !== '');
  if (members === undefined) return gid === 0;
  const accounts = entries('/etc/passwd');
  const trusted = (user: string | undefined) => user === String(me) || user === '0';
  const isTrusted = (name: string) => trusted(accounts.find((fields) => fields[0] === name)?.[2]);
  // Some systems have accounts without a shell in root's group.
  const others = gid === 0 ? [] : accounts.filter((fields) => fields[3] === String(gid) && !trusted(fields[2]));
  return members.every(isTrusted) && others.length === 0;
}

/** Its own path, and its real path. */
function directoriesAbove(target: string): Set<string> {
  return new Set([...above(target), ...above(realPath(target))]);
}

function above(target: string): string[] {
  const parent = path.dirname(target);
  return parent === target ? [] : [parent, ...above(parent)];
}

function realPath(target: string): string {
  try {
    return fs.realpathSync(target);
  } catch {
    return target;
  }
}

const chown = (me: number, target: string) =>
  `${me === 0 ? '' : 'sudo '}chown -R ${userName(me)} ${shellQuoted(target)}`;

export const userName = (uid: number) =>
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

/** For a shell. */
export const shellQuoted = (text: string) =>
  /^[\w/.@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
