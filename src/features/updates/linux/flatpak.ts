import fs from 'node:fs';
import path from 'node:path';
import { locate, type Roots } from '../../../host/linux/files.ts';
import { messageOf } from '../../../lib/errors.ts';
import { foundUpdates, type ManagerState, type PackageUpdate } from './manager-state.ts';
import { namesIn, newestOf, type QueryParts, query } from './query.ts';

/** The output of `flatpak remote-ls --updates --cached`, for the system and the user. null: flatpak is not used here. `--cached` falls back to the network without a cached list: such a remote is skipped. */
export async function readFlatpak({ roots, home, uid, run }: QueryParts): Promise<ManagerState | null> {
  const own = `${home}/.local/share/flatpak`;
  const system = '/var/lib/flatpak';
  // `summaries`: the directory of the cached remote lists.
  const installations = [
    // An ordinary user cannot write to the system cache, and has one of their own.
    {
      option: '--system',
      directory: system,
      summaries: uid === 0 ? `${system}/repo/tmp/cache/summaries` : `${home}/.cache/flatpak/system-cache/summaries`,
    },
    { option: '--user', directory: own, summaries: `${own}/repo/tmp/cache/summaries` },
  ].filter(({ directory }) => fs.existsSync(locate(roots, `${directory}/repo`)));
  if (installations.length === 0) return null;
  const env = { HOME: locate(roots, home), FLATPAK_SYSTEM_DIR: locate(roots, system), ...noNetwork };
  const updates: Pending[] = [];
  const asked: string[] = [];
  const problems: string[] = [];
  for (const { option, directory, summaries } of installations) {
    const cached = namesIn(roots, summaries);
    for (const remote of remotesOf(roots, directory)) {
      const files = cached.filter((name) => belongsTo(name, remote));
      if (!files.some((name) => name === remote || name.endsWith('.sub'))) {
        problems.push(`flatpak has no list of what ${remote} offers yet; run "flatpak ${option} remote-ls ${remote}"`);
        continue;
      }
      asked.push(...files.map((name) => `${summaries}/${name}`));
      try {
        const args = ['remote-ls', option, '--updates', '--cached', '--all', `--columns=${columns}`, remote];
        updates.push(...parsePending(await query(run, '/usr/bin/flatpak', args, { env }), remote, roots, directory));
      } catch (error) {
        problems.push(`The packages that ${remote} offers are unknown: ${messageOf(error)}`);
      }
    }
  }
  return foundUpdates('flatpak', updates, {
    reportsSecurity: false,
    checkedAtMs: newestOf(roots, asked),
    problem: problems.length === 0 ? null : problems.slice(0, 3).join('; '),
  });
}

/** A second barrier: an HTTP request ends at a port without a listener. */
const noNetwork = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, 'http://127.0.0.1:9']),
);

const columns = 'application,arch,branch,commit';

type Pending = PackageUpdate & { origin: string; architecture: string };

function parsePending(text: string, origin: string, roots: Roots, directory: string): Pending[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', architecture = '', branch = '', candidate = ''] = line.split('\t');
    if (!/^[0-9a-f]{12,64}$/.test(candidate)) return [];
    const current = deployed(roots, directory, path.join(name, architecture, branch));
    return [{ name, current, candidate: short(candidate), security: null, origin, architecture }];
  });
}

const short = (commit: string) => commit.slice(0, 12);

/** The deployed commit, which `remote-ls` does not print. */
function deployed(roots: Roots, directory: string, ref: string): string {
  for (const kind of ['app', 'runtime']) {
    try {
      return short(path.basename(fs.readlinkSync(locate(roots, path.join(directory, kind, ref, 'active')))));
    } catch {
      // It is of the other kind.
    }
  }
  return '';
}

/** The enabled remotes, from the configuration of the repository. */
function remotesOf(roots: Roots, directory: string): string[] {
  let text = '';
  try {
    text = fs.readFileSync(locate(roots, `${directory}/repo/config`), 'utf8');
  } catch {
    return [];
  }
  return text.split(/^(?=\[)/m).flatMap((section) => {
    const name = /^\[remote "([A-Za-z0-9_][\w.-]*)"\]/.exec(section)?.[1];
    return name === undefined || /^xa\.disable=true$/m.test(section) ? [] : [name];
  });
}

/** `flathub`, `flathub.idx` and `flathub-x86_64-….sub`, with signatures beside them. */
const belongsTo = (file: string, remote: string) =>
  file === remote || file === `${remote}.idx` || (file.startsWith(`${remote}-`) && file.endsWith('.sub'));
