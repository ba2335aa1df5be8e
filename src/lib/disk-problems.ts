/** The self-assessment of a drive. */
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

/** The drive reports that it fails, or is about to. */
export const isFailing = ({ passed, critical_warnings }: ToldDrive) => passed === false || critical_warnings.length > 0;

/** null: not reported. */
export const isImpaired = ({ state, members }: Pick<ToldArray, 'state' | 'members'>) =>
  state === null ? null : state !== 'ok' || hasLost(members);

/** The arrays with a member on this drive; its partitions are `sda1`, `nvme0n1p1`. */
export function arraysOn<A extends { members: readonly { name: string }[] }>(drive: string, arrays: readonly A[]): A[] {
  const isOnIt = (member: string) => member.startsWith(drive) && /^(?:p?\d+)?$/.test(member.slice(drive.length));
  return arrays.filter(({ members }) => members.some(({ name }) => isOnIt(name)));
}

/** Problems of drives and arrays: sentences without a full stop, stable while nothing changes. */
export function disksInTrouble(
  devices: readonly { name: string; health: ToldDrive | null }[],
  arrays: readonly ToldArray[],
): string[] {
  return [
    ...devices.flatMap(({ name, health }) =>
      health !== null && isFailing(health) ? [`Drive ${name} is failing`] : [],
    ),
    ...arrays.flatMap((array) => (isImpaired(array) === true ? [sentenceOf(array)] : [])),
  ];
}

function sentenceOf({ name, kind, state, members }: ToldArray): string {
  if (state === 'ok' && hasLost(members)) return `${arrayWords[kind]} ${name} has a failed member`;
  return `${arrayWords[kind]} ${name} ${stateWords[state ?? 'ok']}`;
}

const hasLost = (members: ToldArray['members']) => members.some(({ state }) => state === 'failed');

const stateWords = { ok: 'is complete', degraded: 'is degraded', failed: 'has failed', inactive: 'is not running' };

export const arrayWords: Record<ToldArray['kind'], string> = {
  md: 'RAID array',
  lvm: 'Volume group',
  zfs: 'Pool',
  btrfs: 'File system',
};
