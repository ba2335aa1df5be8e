import clean from 'semver/functions/clean.js';
import gt from 'semver/functions/gt.js';
import prerelease from 'semver/functions/prerelease.js';
import { isObject } from '../../lib/values.ts';

export interface Release {
  version: string;
  /** Its web page. */
  url: string | null;
  /** Unix milliseconds, of the signed list that names it. */
  issued?: number;
}

/** A local build without a valid version is never outdated. */
export function isNewer(version: string, installed: string): boolean {
  return clean(installed) !== null && gt(version, installed);
}

const longestUrl = 2048;

/** The latest release of a signed list, issued no earlier than the known one. Only a build without a key accepts an unsigned announcement. */
export async function readAnnouncement(text: string, key: string | null, now: number, known = 0): Promise<Release> {
  if (key === null) return parseRelease(text);
  const document = parseObject(text);
  if (!isSignedList(document)) throw new Error('it is not a signed release list');
  const list = await openReleaseList(document, key);
  refuseStale(list, now);
  if (list.issued < known) throw new Error('it is older than the list that is known');
  const latest = latestRelease(list);
  if (latest === null) throw new Error('it names no release');
  return { ...latest, issued: list.issued };
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

/** The releases announced at one address, signed by the publisher. */
interface ReleaseList {
  /** Unix milliseconds. */
  issued: number;
  /** Unix milliseconds; after that the list is outdated. */
  expires: number;
  releases: Release[];
}

const mostReleases = 200;

/** Whether this is the envelope of a signed list: anything else may still announce a version. */
const isSignedList = (document: Record<string, unknown>) => 'list' in document && 'signature' in document;

/** Throws the problem as the end of a sentence: "it is not signed by …". Verifies the signature before it parses the content. */
export async function openReleaseList(document: Record<string, unknown>, key: string): Promise<ReleaseList> {
  const { list, signature } = document;
  if (typeof list !== 'string' || typeof signature !== 'string') throw new Error('it is not a signed release list');
  if (!(await isSignedBy(key, list, signature)))
    throw new Error('its signature is not by the key that this Hostler was built with');
  return toList(JSON.parse(list));
}

async function isSignedBy(key: string, text: string, signature: string): Promise<boolean> {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length !== 64) return false;
  const known = await crypto.subtle.importKey('raw', Buffer.from(key, 'base64'), 'Ed25519', false, ['verify']);
  return await crypto.subtle.verify('Ed25519', known, bytes, new TextEncoder().encode(text));
}

/** Signed content is still validated: the key signs other things as well. */
function toList(value: unknown): ReleaseList {
  if (!isObject(value) || value.kind !== 'hostler-releases' || !Array.isArray(value.releases))
    throw new Error('the signed content is not a release list of Hostler');
  const issued = timeOf(value.issued);
  const expires = timeOf(value.expires);
  if (issued === null || expires === null) throw new Error('it has no date of issue or no expiry date');
  return { issued, expires, releases: value.releases.slice(0, mostReleases).flatMap(toRelease) };
}

function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

function toRelease(value: unknown): Release[] {
  if (!isObject(value) || typeof value.version !== 'string') return [];
  const version = clean(value.version);
  return version === null || version !== value.version ? [] : [{ version, url: pageOf(value.page) }];
}

/** Tolerated clock difference. */
const dayMs = 24 * 60 * 60 * 1000;

/** Throws when the list has expired or is dated in the future. */
export function refuseStale({ issued, expires }: ReleaseList, now: number): void {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  if (now > expires)
    throw new Error(`it expired on ${day(expires)}: it was not renewed, or the clock of this machine is wrong`);
  if (issued > now + dayMs)
    throw new Error(
      `its date of issue, ${day(issued)}, is in the future: the clock of its publisher or of this machine is wrong`,
    );
}

/** The latest release; prereleases do not count. */
export function latestRelease({ releases }: ReleaseList): Release | null {
  return releases
    .filter(({ version }) => prerelease(version) === null)
    .reduce<Release | null>((best, one) => (best === null || gt(one.version, best.version) ? one : best), null);
}
