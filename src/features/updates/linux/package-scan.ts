import fs from 'node:fs';
import { locate, type Roots } from '../../../host/linux/files.ts';
import { messageOf } from '../../../lib/errors.ts';
import { readApt } from './apt.ts';
import { readFlatpak } from './flatpak.ts';
import { foundUpdates, type ManagerName, type ManagerState, silentManager } from './manager-state.ts';
import { readPacmanLog } from './package-log.ts';
import { namesIn, newestOf, type QueryParts, query } from './query.ts';

const readers: [ManagerName, (parts: QueryParts) => Promise<ManagerState | null>][] = [
  ['apt', readApt],
  ['pacman', readPacman],
  ['flatpak', readFlatpak],
  [
    'snap',
    async ({ roots }) =>
      ['/run/snapd.socket', '/var/lib/snapd/state.json'].some((file) => fs.existsSync(locate(roots, file)))
        ? silentManager(
            'snap',
            'snapd asks the store over the network for updates, and keeps no list that others may read',
          )
        : null,
  ],
];

/** All queries together. The deadline of the module is later. */
const scanWithinMs = 120_000;

/** Every manager in use, one query after the other. A failed query affects its own manager only. */
export async function scanPackages({ run, ...machine }: QueryParts): Promise<ManagerState[]> {
  const end = performance.now() + scanWithinMs;
  const parts: QueryParts = {
    ...machine,
    run: (program, args, options) =>
      run(program, args, { ...options, timeoutMs: Math.max(1, end - performance.now()) }),
  };
  const found: ManagerState[] = [];
  for (const [name, read] of readers) {
    try {
      const state = await read(parts);
      if (state !== null) found.push(state);
    } catch (error) {
      found.push(silentManager(name, `its updates could not be listed: ${messageOf(error)}`));
    }
  }
  return found;
}

const pacman = '/usr/bin/pacman';
const installed = '/var/lib/pacman/local';
const lists = '/var/lib/pacman/sync';

/** The output of `pacman -Qu`. It reads the databases without their lock. null: the machine does not use pacman. */
async function readPacman({ roots, run }: QueryParts): Promise<ManagerState | null> {
  if (!fs.existsSync(locate(roots, installed))) return null;
  const hasLists = namesIn(roots, lists).some((name) => name.endsWith('.db'));
  const ask = (args: string[], allowed: number[] = []) =>
    query(run, pacman, [...optionsFor(roots), '--color', 'never', ...args], { allowed });
  // Exit code 1: nothing to upgrade.
  const pending = hasLists ? parseUpgrades(await ask(['-Qu'], [1])) : [];
  const repositories = parseRepositories(
    pending.length === 0 ? '' : await ask(['-Si', '--', ...pending.map(({ name }) => name)]),
  );
  const updates = pending.map((each) => ({ ...each, security: null, origin: repositories.get(each.name) ?? '' }));
  return foundUpdates('pacman', updates, {
    reportsSecurity: false,
    checkedAtMs: hasLists ? newestOf(roots, [lists]) : null,
    problem: hasLists ? null : 'pacman has no package lists yet; run "pacman -Sy"',
    changes: () => readPacmanLog(roots),
  });
}

function optionsFor({ all, etc = `${all}/etc` }: Roots): string[] {
  if (all === undefined) return [];
  return ['--root', all, '--dbpath', `${all}/var/lib/pacman`, '--config', `${etc}/pacman.conf`];
}

/** `name installed -> candidate`, with `[ignored]` after packages of IgnorePkg or IgnoreGroup. */
function parseUpgrades(text: string): { name: string; current: string; candidate: string }[] {
  return [...text.matchAll(/^(\S+) (\S+) -> (\S+)$/gm)].map(([, name = '', current = '', candidate = '']) => ({
    name,
    current,
    candidate,
  }));
}

/** The repository of each package. Of several the first counts, in the order of pacman.conf. */
function parseRepositories(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, repository = '', name = ''] of text.matchAll(/^Repository\s*: (\S+)\nName\s*: (\S+)$/gm))
    if (!found.has(name)) found.set(name, repository);
  return found;
}
