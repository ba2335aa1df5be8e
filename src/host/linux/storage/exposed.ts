import type { ContainedFacts } from '../../contained/contained.ts';

const groupWrite = 0o020;
const othersWrite = 0o002;
const sticky = 0o1000;
/** Debian's /usr/local belongs to `staff`. Groups below this number come with the system; `users` is 100. */
const firstOrdinaryGroup = 100;

/**
 * Whether users other than root and the one with these ids can change a file, or replace what is in a directory. The group of a user whose ids
 * are equal is private: systems that make such groups also make files that the group may write to.
 */
export function isExposedLinux(
  { mode, group, kind }: Pick<ContainedFacts, 'mode' | 'group' | 'kind'>,
  own = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 },
): boolean {
  // In such a directory a file can be replaced only by its owner.
  if (kind === 'directory' && (mode & sticky) !== 0) return false;
  const isPrivate = group < firstOrdinaryGroup || (group === own.group && own.group === own.user);
  return (mode & othersWrite) !== 0 || ((mode & groupWrite) !== 0 && !isPrivate);
}
