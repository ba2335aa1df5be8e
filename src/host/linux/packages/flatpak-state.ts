import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { locate, type Roots } from '../files.ts';
import { foundUpdates, type ManagerState } from './manager-state.ts';
import { parseSummary } from './ostree-summary.ts';
import { beginningOf, namesIn, newestOf, regularFileBytes } from './state-file.ts';

/**
 * What flatpak would update, of the system and of the user: what is deployed beside what the remotes had when flatpak last asked them.
 * null: flatpak is not used here.
 */
export async function readFlatpak(roots: Roots, home: string): Promise<ManagerState | null> {
  const installations = [
    {
      directory: locate(roots, '/var/lib/flatpak'),
      // Where an ordinary user keeps what the remotes of the system said.
      caches: ['/var/lib/flatpak/repo/tmp/cache/summaries', `${home}/.cache/flatpak/system-cache/summaries`],
    },
    {
      directory: locate(roots, `${home}/.local/share/flatpak`),
      caches: [`${home}/.local/share/flatpak/repo/tmp/cache/summaries`],
    },
  ].filter(({ directory }) => fs.existsSync(path.join(directory, 'repo')));
  if (installations.length === 0) return null;
  const problems = new Set<string>();
  const asked: string[] = [];
  const updates = installations.flatMap(({ directory, caches }) => {
    const summaries = createSummaries(
      caches.map((cache) => locate(roots, cache)),
      problems,
      asked,
    );
    return deployedIn(directory).flatMap(({ ref, origin, commit, name, architecture }) => {
      const offered = summaries(origin, architecture)?.get(ref) ?? pulled(directory, origin, ref);
      if (offered === null || offered === commit) return [];
      return [{ name, current: short(commit), candidate: short(offered), security: null, origin, architecture }];
    });
  });
  return foundUpdates('flatpak', updates, {
    tellsSecurity: false,
    checkedAtMs: newestOf(asked),
    problem: problems.size === 0 ? null : [...problems].slice(0, 3).join('; '),
  });
}

const short = (commit: string) => commit.slice(0, 12);

/** The newest summary of a remote that flatpak has kept; null: none. */
function createSummaries(caches: readonly string[], problems: Set<string>, asked: string[]) {
  const known = new Map<string, Map<string, string> | null>();
  const read = (origin: string, architecture: string): Map<string, string> | null => {
    const files = caches.flatMap((cache) =>
      namesIn(cache).flatMap((name) =>
        name === origin || (name.startsWith(`${origin}-${architecture}-`) && name.endsWith('.sub'))
          ? path.join(cache, name)
          : [],
      ),
    );
    asked.push(...caches.map((cache) => path.join(cache, `${origin}.idx`)), ...files);
    const newest = files.toSorted((a, b) => (newestOf([b]) ?? 0) - (newestOf([a]) ?? 0))[0];
    if (newest === undefined) return null;
    try {
      return parseSummary(regularFileBytes(newest, mostSummaryBytes));
    } catch (error) {
      problems.add(`What ${origin} offers cannot be read: ${messageOf(error)}`);
      return null;
    }
  };
  return (origin: string, architecture: string) => {
    const key = `${origin} ${architecture}`;
    const found = known.get(key);
    const summary = found === undefined ? read(origin, architecture) : found;
    known.set(key, summary);
    return summary;
  };
}

/** Flathub's has six. */
const mostSummaryBytes = 64 * 1024 * 1024;

/** What was fetched and not deployed yet. */
function pulled(directory: string, origin: string, ref: string): string | null {
  const commit = beginningOf(path.join(directory, 'repo/refs/remotes', origin, ref), 128)?.trim() ?? '';
  return /^[0-9a-f]{64}$/.test(commit) ? commit : null;
}

interface Deployed {
  ref: string;
  name: string;
  architecture: string;
  origin: string;
  commit: string;
}

function deployedIn(directory: string): Deployed[] {
  const below = (...parts: string[]) => namesIn(path.join(directory, ...parts));
  return ['app', 'runtime'].flatMap((kind) =>
    below(kind).flatMap((name) =>
      below(kind, name).flatMap((architecture) =>
        below(kind, name, architecture).flatMap((branch) => {
          const place = path.join(directory, kind, name, architecture, branch, 'active');
          const commit = linkOf(place);
          // The file begins with the name of the remote.
          const origin = /^[\w.-]+(?=\0)/.exec(beginningOf(path.join(place, 'deploy'), 256) ?? '')?.[0];
          if (commit === null || origin === undefined) return [];
          return [{ ref: [kind, name, architecture, branch].join('/'), name, architecture, origin, commit }];
        }),
      ),
    ),
  );
}

function linkOf(file: string): string | null {
  try {
    const target = path.basename(fs.readlinkSync(file));
    return /^[0-9a-f]{64}$/.test(target) ? target : null;
  } catch {
    return null;
  }
}
