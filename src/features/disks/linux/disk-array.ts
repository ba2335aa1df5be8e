/** Several drives that are used as one, or a file system that counts its errors. */
export interface DiskArray {
  /** `md0`, or the name of a volume group, a pool or a file system. */
  name: string;
  kind: 'md' | 'lvm' | 'zfs' | 'btrfs';
  /** `raid1`; null: unknown. */
  level: string | null;
  /** null: unknown. */
  state: ArrayState | null;
  /** The state as the system names it; null: not named. */
  reported: string | null;
  /** The operation in progress; null: none. */
  activity: ArrayActivity | null;
  /** How many drives are missing; null: unknown. */
  missing: number | null;
  members: ArrayMember[];
  /** Logical volumes of a volume group. */
  volumes: string[];
}

export type ArrayState = 'ok' | 'degraded' | 'failed' | 'inactive';

export interface ArrayActivity {
  action: string;
  /** null: unknown. */
  percent: number | null;
}

export interface ArrayMember {
  name: string;
  state: 'active' | 'spare' | 'rebuilding' | 'failed' | 'missing';
  /** Errors so far; null: unknown. */
  errors: number | null;
}

/** Bounds a corrupt or hostile listing. */
export const mostArrays = 200;
export const mostArrayMembers = 256;
