import clean from 'semver/functions/clean.js';
import gt from 'semver/functions/gt.js';
import { isSignedList, latestRelease, openReleaseList, refuseStale } from './release-list.ts';

export interface Release {
  version: string;
  /** Its web page. */
  url: string | null;
}

/** A local build without a valid version is never outdated. */
export function isNewer(version: string, installed: string): boolean {
  return clean(installed) !== null && gt(version, installed);
}

const longestUrl = 2048;

/** The latest release of a signed list. Only a build without a key accepts an unsigned announcement. */
export async function readAnnouncement(text: string, key: string | null, now: number): Promise<Release> {
  if (key === null) return parseRelease(text);
  const document = parseObject(text);
  if (!isSignedList(document)) throw new Error('it is not a signed release list');
  const list = await openReleaseList(document, key);
  refuseStale(list, now);
  const latest = latestRelease(list);
  if (latest === null) throw new Error('it names no release');
  return { version: latest.version, url: latest.page };
}

/** GitHub's description of a release, or a version and the URL of its page. */
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
  throw new Error('it is not a JSON object');
}

/** Shown as a link, so only a web page is accepted. */
function pageOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > longestUrl || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}
