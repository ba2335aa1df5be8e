import clean from 'semver/functions/clean.js';
import gt from 'semver/functions/gt.js';
import { isSignedList, latestRelease, openReleaseList, refuseStale } from '../../lib/release-list.ts';

export interface Release {
  version: string;
  /** Its web page. */
  url: string | null;
}

/** A version that is none, of a build by hand, is not called old. */
export function isNewer(version: string, installed: string): boolean {
  return clean(installed) !== null && gt(version, installed);
}

const longestUrl = 2048;

/** The latest of a signed list. Only a build that cannot verify any believes what is merely announced. */
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
  throw new Error('it is not a JSON object');
}

/** It is shown as a link: nothing but a web page will do. */
function pageOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > longestUrl || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}
