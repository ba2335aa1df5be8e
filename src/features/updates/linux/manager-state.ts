/** What a package manager knows from the lists it fetched before. */
export interface ManagerState {
  name: ManagerName;
  /** null: it cannot be told; `problem` says why. */
  updates: number | null;
  /** How many of them are for security; null: this manager does not tell. */
  security: number | null;
  /** The first of them, those for security before the others. */
  packages: PackageUpdate[];
  /** Where they come from; empty where the manager does not tell. */
  origins: PackageOrigin[];
  /** When its lists were last refreshed, Unix milliseconds; null: never, or not known. */
  checkedAtMs: number | null;
  /** What could not be read. */
  problem: string | null;
}

export type ManagerName = 'apt' | 'flatpak' | 'fwupd' | 'packagekit' | 'pacman' | 'snap';

export interface PackageUpdate {
  name: string;
  current: string;
  candidate: string;
  security: boolean | null;
}

export interface PackageOrigin {
  origin: string;
  architecture: string;
  updates: number;
}

/** More are counted, not named. */
const mostNamed = 250;
const mostOrigins = 50;
const longestText = 200;

/** A manager whose updates were all found. */
export function foundUpdates(
  name: ManagerName,
  updates: readonly (PackageUpdate & { origin?: string; architecture?: string })[],
  rest: Pick<ManagerState, 'checkedAtMs' | 'problem'> & { tellsSecurity: boolean },
): ManagerState {
  const origins = new Map<string, PackageOrigin>();
  for (const { origin, architecture = '' } of updates) {
    if (origin === undefined) continue;
    const key = `${origin} ${architecture}`;
    const known = origins.get(key);
    if (known !== undefined) known.updates += 1;
    else if (origins.size < mostOrigins)
      origins.set(key, { origin: tamed(origin), architecture: tamed(architecture), updates: 1 });
  }
  return {
    name,
    updates: updates.length,
    security: rest.tellsSecurity ? updates.filter(({ security }) => security === true).length : null,
    packages: [...updates].sort(byUrgency).slice(0, mostNamed).map(named),
    origins: [...origins.values()].sort((a, b) => (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0)),
    checkedAtMs: rest.checkedAtMs,
    problem: rest.problem,
  };
}

const named = ({ name, current, candidate, security }: PackageUpdate): PackageUpdate => ({
  name: tamed(name),
  current: tamed(current),
  candidate: tamed(candidate),
  security,
});

function byUrgency(a: PackageUpdate, b: PackageUpdate): number {
  if (a.security !== b.security) return a.security === true ? -1 : b.security === true ? 1 : 0;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Lists come from elsewhere: what is no name is shown as such. */
function tamed(text: string): string {
  return text
    .slice(0, longestText)
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** A manager that is there, and does not say how many updates wait. */
export const silentManager = (name: ManagerName, problem: string): ManagerState => ({
  name,
  updates: null,
  security: null,
  packages: [],
  origins: [],
  checkedAtMs: null,
  problem,
});
