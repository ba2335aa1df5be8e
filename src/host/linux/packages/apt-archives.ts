import path from 'node:path';
import { locate, type Roots } from '../files.ts';
import { type AptArchive, type AptPriority, parseAptPins } from './apt-pins.ts';
import { beginningOf, namesIn } from './state-file.ts';

const lists = '/var/lib/apt/lists';

/** A list of the packages of one archive, as the last refresh left it. */
export interface AptList {
  file: string;
  archive: AptArchive;
  isSecurity: boolean;
}

export function aptLists(roots: Roots): AptList[] {
  const directory = locate(roots, lists);
  const names = namesIn(directory);
  // The longer name first: of two archives one may lie in the other.
  const releases = names
    .flatMap((name) => /^(.*)_(?:In)?Release$/.exec(name)?.[1] ?? [])
    .sort((a, b) => b.length - a.length);
  const facts = new Map<string, ReleaseFacts>();
  const factsOf = (prefix: string): ReleaseFacts => {
    const known = facts.get(prefix) ?? readRelease(directory, prefix);
    facts.set(prefix, known);
    return known;
  };
  return names.flatMap((name): AptList[] => {
    if (!/_Packages(?:\.\w+)?$/.test(name)) return [];
    const prefix = releases.find((release) => name.startsWith(`${release}_`));
    const release = prefix === undefined ? unknownRelease : factsOf(prefix);
    const component = prefix === undefined ? '' : (/^_(.*)_binary-/.exec(name.slice(prefix.length))?.[1] ?? '');
    const site = name.startsWith('_') ? '' : (name.split('_')[0] ?? '');
    const archive = { ...release, component: decoded(component), site: decoded(site) };
    return [{ file: path.join(directory, name), archive, isSecurity: isForSecurity(release) }];
  });
}

type ReleaseFacts = Omit<AptArchive, 'component' | 'site'>;

const unknownRelease: ReleaseFacts = {
  origin: '',
  label: '',
  suite: '',
  codename: '',
  version: '',
  notAutomatic: false,
  butAutomaticUpgrades: false,
};

/** The fields stand before the checksums, which fill the rest of it. */
const releaseBytes = 64 * 1024;

function readRelease(directory: string, prefix: string): ReleaseFacts {
  const read = (name: string) => beginningOf(path.join(directory, `${prefix}_${name}`), releaseBytes);
  const text = read('InRelease') ?? read('Release') ?? '';
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  return {
    origin: field('Origin'),
    label: field('Label'),
    suite: field('Suite'),
    codename: field('Codename'),
    version: field('Version'),
    notAutomatic: field('NotAutomatic') === 'yes',
    butAutomaticUpgrades: field('ButAutomaticUpgrades') === 'yes',
  };
}

/** Debian-Security, bookworm-security, jammy-security, jammy-apps-security (ESM) … */
const isForSecurity = ({ label, suite, codename }: ReleaseFacts) =>
  label === 'Debian-Security' || [suite, codename].some((name) => /-security$/.test(name));

/** Names of lists have addresses in them, whose odd characters are written as numbers. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const configurationBytes = 256 * 1024;

/** What the administrator prefers. */
export function aptPriority(roots: Roots): AptPriority {
  const texts = (file: string, directory: string, ending: RegExp) =>
    [
      file,
      ...namesIn(locate(roots, directory)).flatMap((name) => (ending.test(name) ? `${directory}/${name}` : [])),
    ].map((each) => beginningOf(locate(roots, each), configurationBytes) ?? '');
  // The same names apt takes: others are left-overs of editors and of dpkg.
  const preferences = texts('/etc/apt/preferences', '/etc/apt/preferences.d', /^[\w-]+(?:\.pref)?$/);
  const settings = texts('/etc/apt/apt.conf', '/etc/apt/apt.conf.d', /^[\w-]+(?:\.conf)?$/);
  const release = settings
    .map((text) => /^\s*APT::Default-Release\s+"([^"]*)"/m.exec(text)?.[1])
    .findLast((found) => found !== undefined);
  return parseAptPins(preferences, release ?? null);
}
