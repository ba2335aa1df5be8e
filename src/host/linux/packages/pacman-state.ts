import fs from 'node:fs';
import { messageOf } from '../../../lib/errors.ts';
import { locate, type Roots } from '../files.ts';
import { compareAlpmVersions } from './alpm-version.ts';
import { foundUpdates, type ManagerState } from './manager-state.ts';
import { beginningOf, filePieces, namesIn, newestOf, unpackedByContent } from './state-file.ts';
import { tarNames } from './tar-names.ts';

export const pacmanInstalled = '/var/lib/pacman/local';
export const pacmanLists = '/var/lib/pacman/sync';

/** What pacman would upgrade. null: this is no machine of pacman's. */
export async function readPacman(roots: Roots): Promise<ManagerState | null> {
  const local = locate(roots, pacmanInstalled);
  const sync = locate(roots, pacmanLists);
  if (!fs.existsSync(local)) return null;
  const installed = new Map(
    namesIn(local)
      .map(packageOf)
      .filter((each) => each !== null),
  );
  const { repositories, ignored } = parsePacmanConf(beginningOf(locate(roots, '/etc/pacman.conf'), 1024 * 1024) ?? '');
  const fetched = namesIn(sync).flatMap((name) => /^(.+)\.db$/.exec(name)?.[1] ?? []);
  const used = repositories.length === 0 ? fetched : repositories.filter((name) => fetched.includes(name));
  const problems: string[] = [];
  /** The first repository that has a package is the only one that counts for it. */
  const offered = new Map<string, { version: string; repository: string }>();
  for (const repository of used) {
    try {
      for (const [name, version] of await readDatabase(`${sync}/${repository}.db`, installed))
        if (!offered.has(name)) offered.set(name, { version, repository });
    } catch (error) {
      problems.push(`${sync}/${repository}.db cannot be read: ${messageOf(error)}`);
    }
  }
  if (used.length === 0) problems.push('pacman has no package lists yet; run "pacman -Sy"');
  const updates = [...offered].flatMap(([name, { version, repository }]) => {
    const current = installed.get(name) ?? '';
    if (ignored.some((pattern) => pattern.test(name)) || compareAlpmVersions(version, current) <= 0) return [];
    return [{ name, current, candidate: version, security: null, origin: repository }];
  });
  return foundUpdates('pacman', updates, {
    tellsSecurity: false,
    checkedAtMs: used.length === 0 ? null : newestOf([sync]),
    problem: problems.length === 0 ? null : problems.slice(0, 3).join('; '),
  });
}

async function readDatabase(file: string, installed: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const entry of tarNames(unpackedByContent(filePieces(file)))) {
    const known = packageOf(entry.split('/')[0] ?? '');
    if (known !== null && installed.has(known[0])) found.set(...known);
  }
  return found;
}

/** `gcc-libs-14.1.1+r1-1`: a name, a version and a release. */
function packageOf(directory: string): [name: string, version: string] | null {
  const [, name, version] = /^(.+)-([^-]+-[^-]+)$/.exec(directory) ?? [];
  return name === undefined || version === undefined ? null : [name, version];
}

/** Its repositories in their order, and what is never upgraded. */
export function parsePacmanConf(text: string): { repositories: string[]; ignored: RegExp[] } {
  const repositories: string[] = [];
  const ignored: RegExp[] = [];
  for (const line of text.split('\n')) {
    const section = /^\s*\[([^\]]+)\]\s*$/.exec(line)?.[1];
    if (section !== undefined && section !== 'options') repositories.push(section);
    const names = /^\s*IgnorePkg\s*=\s*(.*)$/.exec(line)?.[1]?.split(/\s+/).filter(Boolean) ?? [];
    for (const name of names)
      ignored.push(
        new RegExp(
          `^${name
            .replace(/[.+^${}()|[\]\\]/g, '\\$&')
            .replace(/\*/g, '.*')
            .replace(/\?/g, '.')}$`,
        ),
      );
  }
  return { repositories, ignored };
}
