/** Where a version of a package can be had from, as its Release file says. */
export interface AptArchive {
  origin: string;
  label: string;
  suite: string;
  codename: string;
  version: string;
  component: string;
  /** The machine it was fetched from; empty for files of this one. */
  site: string;
  /** Not to be taken unless somebody asks for it, such as experimental. */
  notAutomatic: boolean;
  /** Once taken, it is followed, such as backports. */
  butAutomaticUpgrades: boolean;
}

/** How much a version from an archive is wanted. https://manpages.debian.org/stable/apt/apt_preferences.5.en.html */
export type AptPriority = (name: string, version: string, archive: AptArchive) => number;

interface Pin {
  /** null: all packages. */
  packages: RegExp[] | null;
  matches(version: string, archive: AptArchive): boolean;
  priority: number;
}

export function parseAptPins(texts: readonly string[], defaultRelease: string | null): AptPriority {
  const pins = texts.flatMap((text) => text.split(/\n\s*\n/).flatMap((paragraph) => parsePin(paragraph) ?? []));
  const general = pins.filter(({ packages }) => packages === null);
  const specific = pins.filter(({ packages }) => packages !== null);
  return (name, version, archive) => {
    const own = specific.find(
      (pin) => pin.packages?.some((pattern) => pattern.test(name)) && pin.matches(version, archive),
    );
    const pin = own ?? general.find((each) => each.matches(version, archive));
    return pin?.priority ?? usual(archive, defaultRelease);
  };
}

function usual(archive: AptArchive, defaultRelease: string | null): number {
  if (archive.notAutomatic) return archive.butAutomaticUpgrades ? 100 : 1;
  const { suite, codename, version } = archive;
  return defaultRelease !== null && [suite, codename, version].includes(defaultRelease) ? 990 : 500;
}

function parsePin(paragraph: string): Pin | null {
  const lines = paragraph
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\n[ \t]+/g, ' ');
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(lines)?.[1]?.trim() ?? '';
  const priority = Number.parseInt(field('Pin-Priority'), 10);
  const names = field('Package').split(/\s+/).filter(Boolean);
  const [, kind = '', rule = ''] = /^(\w+)\s*(.*)$/.exec(field('Pin')) ?? [];
  const matches = matcherOf(kind.toLowerCase(), rule);
  if (names.length === 0 || matches === null || !Number.isFinite(priority)) return null;
  const everything = names.includes('*');
  // A package by its source is not looked for here: such a pin matches nothing.
  const packages = names.filter((name) => !name.startsWith('src:')).map(patternOf);
  return { packages: everything ? null : packages, matches, priority };
}

function matcherOf(kind: string, rule: string): Pin['matches'] | null {
  if (kind === 'version') {
    const pattern = patternOf(rule);
    return (version) => pattern.test(version);
  }
  if (kind === 'origin') {
    const site = patternOf(rule.replace(/^"(.*)"$/, '$1'));
    return (_version, archive) => site.test(archive.site);
  }
  if (kind !== 'release') return null;
  const wanted = rule.split(',').map((part) => /^\s*(?:([a-z])=)?\s*"?([^"]*?)"?\s*$/.exec(part));
  const parts = wanted.map((found) => ({ key: found?.[1] ?? 'any', pattern: patternOf(found?.[2] ?? '') }));
  return (_version, archive) =>
    parts.every(({ key, pattern }) => (releaseFields[key]?.(archive) ?? []).some((value) => pattern.test(value)));
}

const releaseFields: Record<string, (archive: AptArchive) => string[]> = {
  a: ({ suite }) => [suite],
  n: ({ codename }) => [codename],
  o: ({ origin }) => [origin],
  l: ({ label }) => [label],
  c: ({ component }) => [component],
  v: ({ version }) => [version],
  any: ({ suite, codename, version }) => [suite, codename, version],
};

/** A name, a pattern with `*` and `?`, or a regular expression between slashes. */
function patternOf(text: string): RegExp {
  const expression = /^\/(.*)\/$/.exec(text)?.[1];
  if (expression !== undefined) {
    try {
      return new RegExp(expression);
    } catch {
      return /^$^/;
    }
  }
  const escaped = text
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  return new RegExp(`^${escaped}$`);
}
