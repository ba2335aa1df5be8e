/** Several drives that are used as one, or one that counts its own errors. */
export interface DiskArray {
  /** `md0`, or the name of a volume group, a pool or a file system. */
  name: string;
  kind: 'md' | 'lvm' | 'zfs' | 'btrfs';
  /** `raid1`; null: not told. */
  level: string | null;
  /** null: not told. */
  state: ArrayState | null;
  /** The system's own word for it; null: it has none. */
  reported: string | null;
  /** What it does besides; null: nothing. */
  activity: ArrayActivity | null;
  /** How many drives are not there; null: not told. */
  missing: number | null;
  members: ArrayMember[];
  /** Logical volumes of a volume group. */
  volumes: string[];
}

export type ArrayState = 'ok' | 'degraded' | 'failed' | 'inactive';

export interface ArrayActivity {
  action: string;
  /** null: not told. */
  percent: number | null;
}

export interface ArrayMember {
  name: string;
  state: 'active' | 'spare' | 'rebuilding' | 'failed' | 'missing';
  /** Errors it has made so far; null: not told. */
  errors: number | null;
}

/** More than that would be a mistake, or somebody's joke. */
export const mostArrays = 200;
export const mostArrayMembers = 256;
