import path from 'node:path';
import type { SourceContext } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Host } from '../../host/host.ts';
import { messageOf } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import type { Release } from './system.announcement.ts';
import type { System } from './system.schema.ts';

/** Put in by the build: the public key (Ed25519, 32 bytes, base64) of the publisher of releases. Never read from the environment of a running program. */
declare const HOSTLER_RELEASE_KEY: string | undefined;

/** null: runs from source, or was built without a key. Release lists are not verified then. */
const releaseKey = typeof HOSTLER_RELEASE_KEY === 'string' && HOSTLER_RELEASE_KEY !== '' ? HOSTLER_RELEASE_KEY : null;

type Versions = Pick<System, 'version' | 'version_latest' | 'version_latest_url' | 'version_newer_available'>;

/** The result of the latest attempt, saved over restarts so that there is one attempt a day. */
interface Check {
  url: string;
  /** Unix milliseconds of the attempt. */
  at: number;
  /** The known release of this address, maybe from an earlier attempt. */
  release: Release | null;
  problem: string | null;
  /** The key it was verified with; null: none. */
  key: string | null;
}

const dayMs = 24 * 60 * 60 * 1000;
const limits = { timeoutMs: 3000, maxBytes: 256 * 1024 };

/** Loaded only if an address is set. */
const loadAnnouncement = () => import('./system.announcement.ts');

export function createReleaseCheck(
  host: Pick<Host, 'clock' | 'download' | 'environment' | 'paths' | 'storage'>,
  context: SourceContext,
  key: string | null = releaseKey,
) {
  const { clock, download, environment, paths, storage } = host;
  const file = path.join(paths.state, 'release.json');
  let known: Check | null | undefined;
  let asking: string | null = null;

  /** Our own file holds verified results only. */
  const understand = async (text: string) => (await loadAnnouncement()).parseRelease(text);
  const announced = async (text: string, issued?: number) =>
    (await loadAnnouncement()).readAnnouncement(text, key, clock.now(), issued);

  const ask = async (url: string, earlier: Release | null): Promise<void> => {
    const at = clock.now();
    try {
      const release = await announced(await download(url, limits), earlier?.issued);
      known = { url, at, release, problem: null, key };
    } catch (error) {
      known = { url, at, release: earlier, problem: messageOf(error), key };
    }
    try {
      storage.prepareDirectory(paths.state);
      storage.write(file, `${JSON.stringify(known)}\n`);
    } catch (error) {
      context.log.warn(`The result of the release check cannot be saved in ${file}: ${messageOf(error)}`);
    }
  };

  const readFrom = async (url: string, reasons: Reasons): Promise<Versions> => {
    if (known === undefined) known = await restore(storage, file, { understand, key });
    const mine = known?.url === url ? known : null;
    const age = mine === null ? Number.POSITIVE_INFINITY : clock.now() - mine.at;
    // A clock that was set back must not delay the next attempt for years.
    if ((age < 0 || age >= dayMs) && asking !== url) {
      asking = url;
      // Never awaited: a later read has the answer.
      void ask(url, mine?.release ?? null).finally(() => {
        if (asking === url) asking = null;
      });
    }
    if (mine?.release) return describe(mine.release, context.version, reasons);
    return mine?.problem
      ? without(reasons, 'missing', `The release check at ${shownRelease(url)} failed: ${mine.problem}`)
      : without(reasons, 'inherent', 'The release check is still running; the next reading will have its result');
  };

  const without = (reasons: Reasons, kind: keyof Reasons, sentence: string): Versions => {
    for (const field of Object.keys(unknown)) reasons[kind](field, sentence);
    return { version: context.version, ...unknown };
  };

  return (reasons: Reasons): Versions | Promise<Versions> => {
    const isLocked = context.locks()?.keys.includes('releases.url') ?? false;
    const own = isLocked ? null : environment.variable('SERVICE_RELEASES_URL');
    const url = own ?? context.settings().releases.url;
    if (url && isProtected(url)) return readFrom(url, reasons);
    return url
      ? without(reasons, 'missing', `${shownRelease(url)} is not requested: a release address must begin with https://`)
      : without(reasons, 'inherent', 'No release address is set (the setting releases.url, or SERVICE_RELEASES_URL)');
  };
}

/** Over plain HTTP an attacker on the path could announce or withhold a version, and choose the page that the dashboard links to. */
function isProtected(address: string): boolean {
  const { protocol, hostname } = URL.parse(address) ?? {};
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname ?? ''))
  );
}

/** Without user name, password and query, which may be secret: every reader sees it. */
function shownRelease(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'the release address' : `${url.protocol}//${url.host}${url.pathname}`;
}

const unknown = { version_latest: null, version_latest_url: null, version_newer_available: null };

async function describe({ version, url }: Release, installed: string, reasons: Reasons): Promise<Versions> {
  if (url === null) reasons.inherent('version_latest_url', 'The release announcement does not name a web page');
  return {
    version: installed,
    version_latest: version,
    version_latest_url: url,
    version_newer_available: (await loadAnnouncement()).isNewer(version, installed),
  };
}

/** Invalid contents count as none; so do results of a build with another key, or with none. */
async function restore(
  storage: Host['storage'],
  file: string,
  { understand, key }: { understand(text: string): Promise<Release>; key: string | null },
): Promise<Check | null> {
  try {
    const saved: Record<string, unknown> = { ...JSON.parse(storage.read(file) ?? 'null') };
    const { url, at, release, problem } = saved;
    if (typeof url !== 'string' || typeof at !== 'number') return null;
    if (key !== null && saved.key !== key) return null;
    return {
      url,
      at,
      release: isObject(release)
        ? { ...(await understand(JSON.stringify(release))), issued: Number(release.issued) || 0 }
        : null,
      problem: typeof problem === 'string' ? problem : null,
      key,
    };
  } catch {
    return null;
  }
}
