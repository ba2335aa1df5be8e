/** What is told of a drive that knows how it is. */
interface ToldDrive {
  passed: boolean | null;
  critical_warnings: readonly string[];
}

interface ToldArray {
  name: string;
  kind: 'md' | 'lvm' | 'zfs' | 'btrfs';
  state: 'ok' | 'degraded' | 'failed' | 'inactive' | null;
  members: readonly { state: string }[];
}

/** The drive says that it fails, or is about to. */
export const isFailing = ({ passed, critical_warnings }: ToldDrive) => passed === false || critical_warnings.length > 0;

/** null: nobody tells. */
export const isImpaired = ({ state, members }: Pick<ToldArray, 'state' | 'members'>) =>
  state === null ? null : state !== 'ok' || members.some((member) => member.state === 'failed');

/** Drives and arrays that need somebody to look, in words. */
export function disksInTrouble(
  devices: readonly { name: string; health: ToldDrive | null }[],
  arrays: readonly ToldArray[],
): string[] {
  return [
    ...devices.flatMap(({ name, health }) => (health !== null && isFailing(health) ? [`drive ${name}`] : [])),
    ...arrays.flatMap((array) => (isImpaired(array) === true ? [`${arrayWords[array.kind]} ${array.name}`] : [])),
  ];
}

export const arrayWords: Record<ToldArray['kind'], string> = {
  md: 'RAID array',
  lvm: 'volume group',
  zfs: 'pool',
  btrfs: 'file system',
};
