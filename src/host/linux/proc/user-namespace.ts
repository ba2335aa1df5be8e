import fs from 'node:fs';

/** The uid that a user namespace shows for all users without a mapping: its owner is ambiguous. */
export const isUnmappedUser = (user: number): boolean => createUnmappedUser()(user);

/** The same for frequent calls: the map of a namespace is written once, so it is read once. */
export function createUnmappedUser(): (user: number) => boolean {
  let allMapped: boolean | null = null;
  return (user) => {
    allMapped ??= areAllMapped();
    return !allMapped && user === Number(textOf('/proc/sys/kernel/overflowuid') ?? 65_534);
  };
}

function areAllMapped(): boolean {
  const map = textOf('/proc/self/uid_map');
  return map === null || /^\s*0\s+0\s+4294967295\s*$/.test(map);
}

function textOf(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
