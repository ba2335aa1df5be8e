import path from 'node:path';
import clean from 'semver/functions/clean.js';
import gt from 'semver/functions/gt.js';
import { messageOf } from '../../core/errors.ts';
import type { Reasons, SourceContext } from '../../core/module.ts';
import type { Host } from '../../host/host.ts';
import type { System } from './system.schema.ts';

type Versions = Pick<System, 'version' | 'version_latest' | 'version_latest_url' | 'version_newer_available'>;

interface Release {
  version: string;
  url: string | null;
}

/** What the last try found out, kept over restarts so that there is one try a day. */
interface Check {
  url: string;
  /** Unix milliseconds of the try. */
  at: number;
  /** What is known from this address, maybe from an earlier try. */
  release: Release | null;
  problem: string | null;
}

const dayMs = 24 * 60 * 60 * 1000;
const limits = { timeoutMs: 3000, maxBytes: 256 * 1024 };
const longestUrl = 2048;

export function createReleaseCheck(
  host: Pick<Host, 'clock' | 'download' | 'environment' | 'paths' | 'storage'>,
  context: SourceContext,
) {
  const { clock, download, environment, paths, storage } = host;
  const file = path.join(paths.state, 'release.json');
  let known: Check | null | undefined;
  let asking: string | null = null;

  const ask = async (url: string, earlier: Release | null): Promise<void> => {
    const at = clock.now();
    try {
      known = { url, at, release: parseRelease(await download(url, limits)), problem: null };
    } catch (error) {
      known = { url, at, release: earlier, problem: messageOf(error) };
    }
    try {
      storage.prepareDirectory(paths.state);
      storage.write(file, `${JSON.stringify(known)}\n`);
    } catch (error) {
      context.log.warn(`The release check cannot be kept in ${file}: ${messageOf(error)}`);
    }
  };

  return (reasons: Reasons): Versions => {
    const url = environment.variable('SERVICE_RELEASES_URL') ?? context.settings().releases.url;
    if (!url) {
      explain(
        reasons,
        'inherent',
        'No release address is set (releases.url in the settings file, or SERVICE_RELEASES_URL)',
      );
      return { version: context.version, ...unknown };
    }
    if (known === undefined) known = restore(storage, file);
    const mine = known?.url === url ? known : null;
    const age = mine === null ? Number.POSITIVE_INFINITY : clock.now() - mine.at;
    // A clock that was set back must not put the next try off for years.
    if ((age < 0 || age >= dayMs) && asking !== url) {
      asking = url;
      // Never awaited: a later reading has the answer.
      void ask(url, mine?.release ?? null).finally(() => {
        if (asking === url) asking = null;
      });
    }
    if (mine?.release) return describe(mine.release, context.version, reasons);
    if (mine?.problem) explain(reasons, 'missing', `The release address ${url} did not help: ${mine.problem}`);
    else explain(reasons, 'inherent', 'The release address is being asked; the next reading knows more');
    return { version: context.version, ...unknown };
  };
}

const unknown = { version_latest: null, version_latest_url: null, version_newer_available: null };

function explain(reasons: Reasons, kind: keyof Reasons, sentence: string): void {
  for (const field of Object.keys(unknown)) reasons[kind](field, sentence);
}

function describe({ version, url }: Release, installed: string, reasons: Reasons): Versions {
  if (url === null) reasons.inherent('version_latest_url', 'The release announcement names no web page');
  return {
    version: installed,
    version_latest: version,
    version_latest_url: url,
    version_newer_available: gt(version, installed),
  };
}

/** GitHub's description of a release, or simply a version and the address of its page. */
export function parseRelease(text: string): Release {
  const document = parseObject(text);
  const { tag_name: tag, version: plain, html_url: page, url } = document;
  const given = typeof tag === 'string' ? tag : plain;
  const version = typeof given === 'string' ? clean(given) : null;
  if (version === null) throw new Error('it has no "tag_name" or "version" such as "6.1.0"');
  return { version, url: pageOf(typeof tag === 'string' ? page : url) };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null) return { ...document };
  } catch {}
  throw new Error('it is no JSON object');
}

/** It is shown as a link: nothing but a web page will do. */
function pageOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > longestUrl || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}

/** Whatever is not as we write it counts as nothing. */
function restore(storage: Host['storage'], file: string): Check | null {
  try {
    const { url, at, release, problem } = parseObject(storage.read(file) ?? '');
    if (typeof url !== 'string' || typeof at !== 'number') return null;
    const kept = release === null ? null : parseRelease(JSON.stringify(release));
    return { url, at, release: kept, problem: typeof problem === 'string' ? problem : null };
  } catch {
    return null;
  }
}
