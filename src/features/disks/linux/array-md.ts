import type { Files } from '../../../host/linux/files.ts';
import type { ArrayMember, StorageArray } from '../disks.schema.ts';

/** Bounds a corrupt or hostile listing. */
export const mostArrayMembers = 256;

/** A RAID array of the kernel. https://docs.kernel.org/admin-guide/md.html */
export function readMdArray(files: Files, device: string): StorageArray | null {
  const place = `/sys/block/${device}/md`;
  const about = (key: string) => files.text(`${place}/${key}`)?.trim() ?? '';
  const reported = about('array_state');
  // A stopped array leaves its name behind.
  if (reported === '' || reported === 'clear') return null;
  const level = about('level');
  const disks = Number(about('raid_disks')) || 0;
  const members = files
    .list(place)
    .filter((name) => name.startsWith('dev-'))
    .slice(0, mostArrayMembers)
    .map((name) => readMember(files, place, name));
  const missing = missingOf(about('degraded'), disks, members);
  return {
    name: device,
    kind: 'md',
    level: level === '' ? null : level,
    state: stateOf(reported, level, disks, missing),
    reported,
    activity: parseMdActivity(about('sync_action'), about('sync_completed')),
    missing,
    members,
    volumes: [],
  };
}

function readMember(files: Files, place: string, name: string): ArrayMember {
  const about = (key: string) => files.text(`${place}/${name}/${key}`)?.trim() ?? '';
  const errors = about('errors');
  return {
    name: name.slice('dev-'.length),
    state: parseMdMember(about('state'), about('slot')),
    errors: /^\d+$/.test(errors) ? Number(errors) : null,
  };
}

/** From a list of flags such as `in_sync,write_error`, and the slot in the array. */
function parseMdMember(words: string, slot: string): ArrayMember['state'] {
  const flags = words.split(',');
  if (flags.includes('faulty')) return 'failed';
  if (flags.includes('in_sync')) return 'active';
  // A spare that is being rebuilt already has a slot.
  return /^\d+$/.test(slot) ? 'rebuilding' : 'spare';
}

/** Arrays without redundancy have no such count. */
function missingOf(degraded: string, disks: number, members: readonly ArrayMember[]): number {
  if (/^\d+$/.test(degraded)) return Number(degraded);
  return Math.max(0, disks - members.filter(({ state }) => state === 'active').length);
}

/** How many drives may be missing; for raid10 it depends on which. */
const spared: Record<string, (disks: number) => number> = {
  raid1: (disks) => disks - 1,
  raid4: () => 1,
  raid5: () => 1,
  raid6: () => 2,
  raid10: (disks) => disks - 1,
};

function stateOf(reported: string, level: string, disks: number, missing: number): StorageArray['state'] {
  if (reported === 'broken') return 'failed';
  if (reported === 'inactive') return 'inactive';
  if (missing === 0) return 'ok';
  return missing > (spared[level]?.(disks) ?? 0) ? 'failed' : 'degraded';
}

const actions: Record<string, string> = {
  resync: 'resync',
  recover: 'rebuild',
  check: 'check',
  repair: 'repair',
  reshape: 'reshape',
};

/** `recover` and `1234 / 5678`, in sectors. */
function parseMdActivity(action: string, completed: string): StorageArray['activity'] {
  const word = actions[action];
  if (word === undefined) return null;
  const [, done, all] = /^(\d+) \/ (\d+)$/.exec(completed) ?? [];
  const percent = done === undefined || Number(all) === 0 ? null : (100 * Number(done)) / Number(all);
  return { action: word, percent: percent === null ? null : Math.round(Math.min(100, percent) * 10) / 10 };
}
