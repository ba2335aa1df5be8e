/** The token of a process, as Windows reports it. */
export interface ProcessToken {
  /** TOKEN_ELEVATION_TYPE: 1 the user has one token only, 2 that of an administrator, 3 that of the user's other programs. */
  elevationType: number;
  /** The security identifier of its integrity level, such as S-1-16-8192; null: not reported. */
  integrity: string | null;
}

/** Compared with the other programs of the user. */
export type ProcessRights = 'low' | 'usual' | 'administrator' | 'system';

const full = 2;
/** https://learn.microsoft.com/windows/win32/secauthz/mandatory-integrity-control */
const { medium, high, system } = { medium: 0x2000, high: 0x3000, system: 0x4000 };

/** Without UAC, all programs of an administrator have a high level: then it is the usual one. */
export function rightsOf({ elevationType, integrity }: ProcessToken): ProcessRights {
  const level = integrity === null ? null : Number(/^S-1-16-(\d+)$/.exec(integrity)?.[1] ?? medium);
  if (level !== null && level >= system) return 'system';
  if (level !== null && level < medium) return 'low';
  return elevationType === full && (level === null || level >= high) ? 'administrator' : 'usual';
}
