import fs from 'node:fs';
import { messageOf } from '../../../lib/errors.ts';
import { locate, type Roots } from '../files.ts';
import { type AptList, aptLists, aptPriority } from './apt-archives.ts';
import type { AptPriority } from './apt-pins.ts';
import { controlField, eachParagraph } from './control-paragraphs.ts';
import { compareDebianVersions } from './debian-version.ts';
import { foundUpdates, type ManagerState } from './manager-state.ts';
import { newestOf, stateFilePieces } from './state-file.ts';

export const dpkgStatus = '/var/lib/dpkg/status';
/** A refresh works in `partial` even when it finds nothing new. */
export const aptRefreshed = [
  '/var/lib/apt/lists',
  '/var/lib/apt/lists/partial',
  '/var/lib/apt/periodic/update-success-stamp',
];

/** What apt would upgrade, from what dpkg installed and the lists apt fetched. null: this is no machine of dpkg's. */
export async function readApt(roots: Roots): Promise<ManagerState | null> {
  const status = locate(roots, dpkgStatus);
  if (!fs.existsSync(status)) return null;
  const installed = await readInstalled(status);
  const priority = aptPriority(roots);
  const problems: string[] = [];
  const lists = aptLists(roots);
  for (const list of lists) {
    try {
      await readList(list, installed, priority);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  if (lists.length === 0) problems.push('apt has no package lists yet; run "apt update"');
  const updates = [...installed.byKey.values()].flatMap((each) => updateOf(each, installed.native) ?? []);
  return foundUpdates('apt', updates, {
    tellsSecurity: true,
    checkedAtMs: lists.length === 0 ? null : newestOf(aptRefreshed.map((file) => locate(roots, file))),
    problem: problems.length === 0 ? null : problems.slice(0, 3).join('; '),
  });
}

interface Installed {
  /** By name, for a first look; by name and architecture. */
  names: Set<string>;
  byKey: Map<string, InstalledPackage>;
  /** What packages for all architectures count as. */
  native: string;
}

interface InstalledPackage {
  name: string;
  architecture: string;
  version: string;
  held: boolean;
  /** The highest priority of any archive that has this very version. */
  priority: number;
  offers: Map<string, Offer>;
}

interface Offer {
  priority: number;
  isSecurity: boolean;
  architecture: string;
  origins: Set<string>;
}

async function readInstalled(status: string): Promise<Installed> {
  const packages: InstalledPackage[] = [];
  await eachParagraph(stateFilePieces(status), (paragraph) => {
    const [wanted = '', , state = ''] = controlField(paragraph, 'Status')?.split(' ') ?? [];
    const name = controlField(paragraph, 'Package');
    const version = controlField(paragraph, 'Version');
    if (name === null || version === null || state === 'not-installed' || state === 'config-files') return;
    const architecture = controlField(paragraph, 'Architecture') ?? 'all';
    packages.push({ name, version, architecture, held: wanted === 'hold', priority: 100, offers: new Map() });
  });
  // dpkg is built for the machine itself; on a system without it most packages are.
  const native = packages.find(({ name }) => name === 'dpkg')?.architecture ?? mostCommon(packages);
  return {
    names: new Set(packages.map(({ name }) => name)),
    byKey: new Map(packages.map((each) => [keyOf(each.name, each.architecture, native), each])),
    native,
  };
}

const keyOf = (name: string, architecture: string, native: string) =>
  `${name}:${architecture === 'all' ? native : architecture}`;

function mostCommon(packages: readonly InstalledPackage[]): string {
  const counts = new Map<string, number>();
  for (const { architecture } of packages)
    if (architecture !== 'all') counts.set(architecture, (counts.get(architecture) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'all';
}

async function readList(
  { file, archive, isSecurity }: AptList,
  installed: Installed,
  priority: AptPriority,
): Promise<void> {
  const origin = `${archive.origin}:${archive.codename}/${archive.suite}`;
  const look = (paragraph: Buffer) => {
    const name = controlField(paragraph, 'Package');
    if (name === null || !installed.names.has(name)) return;
    const architecture = controlField(paragraph, 'Architecture') ?? 'all';
    const mine = installed.byKey.get(keyOf(name, architecture, installed.native));
    const version = mine === undefined ? null : controlField(paragraph, 'Version');
    if (mine === undefined || version === null || mine.held) return;
    const wanted = priority(name, version, archive);
    const order = version === mine.version ? 0 : compareDebianVersions(version, mine.version);
    if (order === 0) mine.priority = Math.max(mine.priority, wanted);
    // An older one is taken only where somebody insists on it.
    else if (order > 0 || wanted > 1000)
      addOffer(mine, version, { priority: wanted, isSecurity, architecture, origin });
  };
  await eachParagraph(stateFilePieces(file), look, (name) => installed.names.has(name));
}

function addOffer(
  { offers }: InstalledPackage,
  version: string,
  { origin, ...offer }: Omit<Offer, 'origins'> & { origin: string },
): void {
  const known = offers.get(version);
  if (known === undefined) return void offers.set(version, { ...offer, origins: new Set([origin]) });
  known.priority = Math.max(known.priority, offer.priority);
  known.isSecurity ||= offer.isSecurity;
  known.origins.add(origin);
}

/** null: what is installed is what apt wants. */
function updateOf({ name, architecture, version, priority, offers }: InstalledPackage, native: string) {
  let best = { version, priority };
  for (const [offered, { priority: wanted }] of offers) {
    if (wanted <= 0) continue;
    const isBetter =
      wanted === best.priority ? compareDebianVersions(offered, best.version) > 0 : wanted > best.priority;
    if (isBetter) best = { version: offered, priority: wanted };
  }
  const chosen = offers.get(best.version);
  if (chosen === undefined || compareDebianVersions(best.version, version) <= 0) return null;
  // One for security may have been followed by another one that is not, and is in it.
  const security = [...offers].some(
    ([offered, { isSecurity }]) => isSecurity && compareDebianVersions(offered, best.version) <= 0,
  );
  return {
    name: architecture === 'all' || architecture === native ? name : `${name}:${architecture}`,
    current: version,
    candidate: best.version,
    security,
    origin: [...chosen.origins].sort().join(','),
    architecture: chosen.architecture,
  };
}
