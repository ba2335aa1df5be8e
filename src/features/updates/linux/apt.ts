import fs from 'node:fs';
import { locate, type Roots } from '../../../host/linux/files.ts';
import { foundUpdates, type ManagerState, type PackageUpdate } from './manager-state.ts';
import { readDpkgLog } from './package-log.ts';
import { namesIn, newestOf, type QueryParts, query } from './query.ts';

const dpkgStatus = '/var/lib/dpkg/status';
const lists = '/var/lib/apt/lists';
/** A refresh works in `partial` even when it finds nothing new. */
const refreshed = [lists, `${lists}/partial`, '/var/lib/apt/periodic/update-success-stamp'];

/**
 * What `apt-get dist-upgrade` would upgrade now. apt itself applies pins, holds and phasing. A simulation takes no lock,
 * needs no privileges and does not use the network; `-f` makes it work with broken dependencies as well.
 * null: the machine does not use dpkg.
 */
export async function readApt({ roots, run }: QueryParts): Promise<ManagerState | null> {
  if (!fs.existsSync(locate(roots, dpkgStatus))) return null;
  const rest = { reportsSecurity: true, changes: () => readDpkgLog(roots) };
  if (!namesIn(roots, lists).some((name) => /_Packages(?:\.\w+)?$/.test(name))) {
    const problem = 'apt has no package lists yet; run "apt update"';
    return foundUpdates('apt', [], { ...rest, checkedAtMs: null, problem });
  }
  const apt = (program: string, ...args: string[]) => query(run, program, [...optionsFor(roots), ...args]);
  const simulated = parseSimulation(await apt('/usr/bin/apt-get', '-s', '-q', '-f', 'dist-upgrade'));
  const others = simulated.filter(({ security }) => !security).map(({ name }) => name);
  const superseded = others.length === 0 ? '' : await apt('/usr/bin/apt-cache', 'policy', ...others);
  const secured = parseSecured(superseded);
  const named = simulated.length === 0 ? '' : await apt('/usr/bin/apt-get', 'indextargets', '--format', targetFormat);
  const origins = parseTargets(named);
  const updates = simulated.map(({ origin, ...update }) => ({
    ...update,
    security: update.security || secured.has(update.name),
    origin: origin
      .split(', ')
      .map((each) => origins.get(each) ?? each)
      .sort()
      .join(','),
  }));
  return foundUpdates('apt', updates, { ...rest, checkedAtMs: newestOf(roots, refreshed), problem: null });
}

/** For a machine in a directory apt keeps its own settings, and reads everything else there. */
function optionsFor({ all, etc }: Roots): string[] {
  const moved =
    all === undefined
      ? []
      : [
          `Dir=${all}`,
          `Dir::State::status=${all}${dpkgStatus}`,
          `DPkg::Options::=--admindir=${all}/var/lib/dpkg`,
          ...(etc === undefined ? [] : [`Dir::Etc=${etc}/apt`]),
        ];
  const options = ['Debug::NoLocking=true', 'APT::Get::Show-User-Simulation-Note=false', ...moved];
  return options.flatMap((option) => ['-o', option]);
}

type Simulated = PackageUpdate & { origin: string; architecture: string };

/** `Inst name [installed] (candidate label:version/suite, … [architecture])`; a new package has no installed version. */
export function parseSimulation(text: string): Simulated[] {
  const downgraded = /^The following packages will be DOWNGRADED:\n((?: .*\n)+)/m.exec(text)?.[1] ?? '';
  const names = new Set(downgraded.split(/\s+/));
  return [...text.matchAll(/^Inst (\S+) \[(\S+)\] \((\S+) (.*) \[([\w-]+)\]\)/gm)].flatMap(
    ([, name = '', current = '', candidate = '', origin = '', architecture = '']) => {
      const security = origin.split(', ').some((each) => /^Debian-Security:|-security$/.test(each));
      return names.has(name) ? [] : [{ name, current, candidate, security, origin, architecture }];
    },
  );
}

/**
 * Names of packages that a security archive has an update for which a later version, from another archive, contains.
 * The version table of `apt-cache policy` has the newest version first and `***` at the installed one.
 */
export function parseSecured(text: string): Set<string> {
  const found = new Set<string>();
  let name = '';
  let isNewer = false;
  let isWanted = false;
  let candidate = '';
  for (const line of text.split('\n')) {
    const heading = /^(\S+):$/.exec(line)?.[1];
    if (heading !== undefined) {
      name = heading;
      isNewer = true;
      isWanted = false;
    }
    candidate = /^ {2}Candidate: (\S+)$/.exec(line)?.[1] ?? candidate;
    if (line.startsWith(' *** ')) isNewer = false;
    // apt would not install a version above the candidate.
    if (/^ {5}(\S+) /.exec(line)?.[1] === candidate) isWanted = true;
    if (isNewer && isWanted && /^ {6,}-?\d+ .* \S+-security\/\S+ \S+ Packages$/.test(line)) found.add(name);
  }
  return found;
}

const targetFormat = ['LABEL', 'VERSION', 'SUITE', 'ORIGIN', 'CODENAME'].map((field) => `$(${field})`).join('\t');

/** From `label:version/suite`, which changes with every point release, to `origin:codename/suite`. */
export function parseTargets(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      // apt prints `$(VERSION)` where a Release file has no such field.
      const fields = line.split('\t').map((field) => (field.startsWith('$(') ? '' : field));
      const [label = '', version = '', suite = '', origin = '', codename = ''] = fields;
      if (suite === '') return [];
      const printed = `${label === '' ? '' : `${label}:`}${version === '' ? '' : `${version}/`}${suite}`;
      return [[printed, `${origin}:${codename}/${suite}`]];
    }),
  );
}
