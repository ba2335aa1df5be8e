import { once } from '../../../lib/lazily.ts';
import type { Updates } from '../updates.schema.ts';

/** The state of a package manager, from the lists it fetched before. */
export interface ManagerState {
  name: ManagerName;
  /** null: unknown; `problem` says why. */
  updates: number | null;
  /** Number of security updates; null: not reported by this manager. */
  security: number | null;
  /** The first of them, security updates first. */
  packages: PackageUpdate[];
  /** Origins of the updates; empty if the manager does not report them. */
  origins: PackageOrigin[];
  /** When its lists were last refreshed, Unix milliseconds; null: never, or not known. */
  checkedAtMs: number | null;
  /** What could not be read. */
  problem: string | null;
  /** What it installed, upgraded and removed lately; null: it has no log that is read here. Read when asked for. */
  changes: (() => PackageChange[]) | null;
}

export type PackageChange = NonNullable<Updates['changes']>[number];

type Manager = Updates['managers'][number];
export type ManagerName = Exclude<Manager['name'], 'windows-update'>;
export type PackageUpdate = Manager['packages'][number];
type PackageOrigin = Manager['origins'][number];

/** More are counted, not named. */
const mostNamed = 250;
const mostOrigins = 50;
const longestText = 200;

/** A manager whose updates were all found. */
export function foundUpdates(
  name: ManagerName,
  updates: readonly (PackageUpdate & { origin?: string; architecture?: string })[],
  rest: Pick<ManagerState, 'checkedAtMs' | 'problem'> & { reportsSecurity: boolean; changes?: () => PackageChange[] },
): ManagerState {
  const { changes } = rest;
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
    security: rest.reportsSecurity ? updates.filter(({ security }) => security === true).length : null,
    packages: [...updates].sort(byUrgency).slice(0, mostNamed).map(named),
    origins: [...origins.values()].sort((a, b) => (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0)),
    checkedAtMs: rest.checkedAtMs,
    problem: rest.problem,
    changes: changes === undefined ? null : once(() => changes().map(tamedChange)),
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

const tamedChange = ({ name, from, to, ...rest }: PackageChange): PackageChange => ({
  ...rest,
  name: tamed(name),
  from: tamed(from),
  to: tamed(to),
});

/** Lists come from the network: control characters are replaced. */
function tamed(text: string): string {
  const shown = text.slice(0, longestText);
  // The tables for the other expression take 0.8 MiB.
  return /^[ -~]*$/.test(shown) ? shown : shown.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** A manager that is installed, but does not report its updates. */
export const silentManager = (name: ManagerName, problem: string): ManagerState => ({
  name,
  updates: null,
  security: null,
  packages: [],
  origins: [],
  checkedAtMs: null,
  problem,
  changes: null,
});
