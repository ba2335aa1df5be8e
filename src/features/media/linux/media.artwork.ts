import type { ContainedEntry } from '../../../host/contained/contained.ts';
import type { Settings } from '../../../settings/settings.schema.ts';
import { type Artwork, largestPicture, largestUrl, noArtwork, toArtwork, tooLarge } from '../media.artwork.ts';
import { type CoverHost, findCover } from './media.linux.covers.ts';
import type { Player } from './mpris.entry.ts';

interface ArtworkParts {
  host: CoverHost;
  settings(): Settings;
}

const longestAddress = 2048;
/** Players whose artwork is cached. */
const mostCached = 8;

/** The artwork of the current track. A file is read once per track; nothing is fetched from the network. */
export function createArtwork(parts: ArtworkParts) {
  const known = new Map<string, { key: string; artwork: Promise<Artwork> }>();
  return ({ owner, trackVersion, track: { artUrl, url } }: Player): Promise<Artwork> => {
    const key = `${owner} ${trackVersion} ${artUrl} ${url}`;
    const last = known.get(owner);
    if (last?.key === key) return last.artwork;
    const artwork = artworkAt(artUrl, url, parts);
    known.delete(owner);
    // Evicts the oldest, among which are the players that have ended.
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - mostCached + 1))) known.delete(oldest);
    known.set(owner, { key, artwork });
    return artwork;
  };
}

/** `played`: the address of the track. Never rejects: an unreadable cover is a reason. */
export async function artworkAt(url: string | null, played: string | null, parts: ArtworkParts): Promise<Artwork> {
  if (url === null) return noArtwork(null);
  const scheme = schemeOf(url);
  if (scheme === 'data') return fromData(url);
  if (scheme === 'http' || scheme === 'https') return fromAddress(url);
  const file = fileOf(url);
  if (file === null) return noArtwork('The address of the artwork is of an unknown kind');
  return await fromFile(file, played === null ? null : fileOf(played), parts).catch(() => unreadable);
}

const unreadable = noArtwork('The artwork file is missing or cannot be read');

const schemeOf = (url: string) => /^[a-z]+(?=:)/i.exec(url)?.[0].toLowerCase();

function fromData(url: string): Artwork {
  if (url.length > largestUrl) return tooLarge;
  const [head = '', content = ''] = url.split(',', 2);
  // The type is that of the bytes, whatever the player claims.
  const bytes = /^data:image\/.*;base64$/i.test(head) ? Buffer.from(content, 'base64') : new Uint8Array();
  return toArtwork(bytes, 'The artwork from the player');
}

/** Passed on and never fetched here: the address comes from an untrusted source. */
function fromAddress(url: string): Artwork {
  if (url.length > longestAddress || !URL.canParse(url)) return noArtwork('The address of the artwork is not valid');
  const secret = secretIn(new URL(url));
  if (secret === null) return { thumbnail: url, reason: null };
  return noArtwork(
    `The address of the artwork contains a credential of its server (${secret}), so it is not passed on`,
  );
}

function fileOf(url: string): string | null {
  if (url.startsWith('/')) return url;
  try {
    const { protocol, host, pathname } = new URL(url);
    const file = decodeURIComponent(pathname);
    return protocol === 'file:' && (host === '' || host === 'localhost') && !file.includes('\0') ? file : null;
  } catch {
    return null;
  }
}

async function fromFile(file: string, played: string | null, { host, settings }: ArtworkParts): Promise<Artwork> {
  const entry = await findCover(host, settings(), file, played);
  if (entry === null) return noArtwork('The artwork file is missing, or is not in a directory for covers');
  try {
    return await read(entry);
  } finally {
    entry.close();
  }
}

async function read(entry: ContainedEntry): Promise<Artwork> {
  if (entry.kind !== 'file') return unreadable;
  if (entry.size > largestPicture) return tooLarge;
  const opened = await entry.open();
  if (typeof opened === 'string') return unreadable;
  try {
    const bytes = await opened.read(0, largestPicture);
    return typeof bytes === 'string' ? unreadable : toArtwork(bytes, 'The artwork file');
  } finally {
    opened.close();
  }
}

/**
 * Name of the credential in the address of a picture; null: none. Players of Plex, Jellyfin and Subsonic put the key to the whole
 * library into it, and every client with access to `media` would get it.
 */
export function secretIn({ username, password, pathname, searchParams }: URL): string | null {
  if (username !== '' || password !== '') return 'a user name or password';
  // https://www.subsonic.org/pages/api.jsp: every address has u and p, or u, t and s.
  if (/\/rest\/\w+(\.view)?$/.test(pathname) && searchParams.has('u')) return 'those of Subsonic';
  return [...searchParams.keys()].find((name) => isSecret.test(name))?.slice(0, 40) ?? null;
}

const isSecret = /token|api[-_]?key|auth|passw|passwd|pwd|secret|session|credential|jwt|^(key|sid|sig|pass|x-amz-.*)$/i;
