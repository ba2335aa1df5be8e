import fs from 'node:fs';

/** In a namespace of users all those who have no number in it are shown with this one: whoever has it may be anybody. */
export const isUnmappedUser = (user: number): boolean => createUnmappedUser()(user);

/** The same for who asks with each message of an agent: the map of a namespace is written once, so reading it once will do. */
export function createUnmappedUser(): (user: number) => boolean {
  let everybody: boolean | null = null;
  return (user) => {
    everybody ??= isEverybodyMapped();
    return !everybody && user === Number(textOf('/proc/sys/kernel/overflowuid') ?? 65_534);
  };
}

function isEverybodyMapped(): boolean {
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
