import type { Contained, OpenedFile } from '../../../host/contained.ts';
import type { Player } from '../../../host/linux/desktop/mpris.ts';
import { after, type Later } from '../../../lib/later.ts';

export interface Artwork {
  thumbnail: string | null;
  /** Why there is none, where the player named one. */
  reason: string | null;
}

/** Of a whole data URL. */
const largestUrl = 64 * 1024;
const longestAddress = 2048;

/** The picture of what a player plays. Files are read once for each thing that is played; nothing is ever fetched. */
export function createArtwork({ contained }: { contained: Contained }) {
  let last: { key: string; artwork: Later<Artwork> } | null = null;
  return {
    of({ owner, trackVersion, track: { artUrl } }: Player): Later<Artwork> {
      const key = `${owner} ${trackVersion} ${artUrl}`;
      if (last?.key === key) return last.artwork;
      const mine = { key, artwork: artworkAt(artUrl, contained) };
      last = mine;
      // From then on it is there at once.
      void after(mine.artwork, (artwork) => {
        mine.artwork = artwork;
      });
      return mine.artwork;
    },
  };
}

export function artworkAt(url: string | null, contained: Contained): Later<Artwork> {
  if (url === null) return none(null);
  const scheme = /^[a-z]+(?=:)/i.exec(url)?.[0].toLowerCase();
  if (scheme === 'data') return fromData(url);
  if (scheme === 'http' || scheme === 'https') return fromAddress(url);
  const file = scheme === 'file' ? fileOf(url) : url.startsWith('/') ? url : null;
  return file === null ? none('The player names artwork in a way that is not understood') : fromFile(file, contained);
}

const none = (reason: string | null): Artwork => ({ thumbnail: null, reason });
const tooLarge = none('The artwork is larger than 64 KiB as a data URL');

function fromData(url: string): Artwork {
  if (!/^data:image\/[a-z0-9.+-]+[;,]/i.test(url)) return none('The artwork of the player is no picture');
  return url.length > largestUrl ? tooLarge : { thumbnail: url, reason: null };
}

/** Whoever shows it fetches it, not we: the address was chosen by whoever made the title. */
function fromAddress(url: string): Artwork {
  if (url.length > longestAddress || !URL.canParse(url)) return none('The address of the artwork is no valid one');
  return { thumbnail: url, reason: null };
}

function fileOf(url: string): string | null {
  try {
    const { host, pathname } = new URL(url);
    const file = decodeURIComponent(pathname);
    return (host === '' || host === 'localhost') && !file.includes('\0') ? file : null;
  } catch {
    return null;
  }
}

function fromFile(file: string, contained: Contained): Later<Artwork> {
  const unreadable = none('The file of the artwork cannot be read, or is gone');
  // Any file may be named, so only pictures are sent on.
  return after(contained.find('/', `.${file}`), (entry) => {
    if (typeof entry === 'string') return unreadable;
    try {
      if (entry.kind !== 'file') return unreadable;
      if (entry.size > largestUrl) return tooLarge;
      return after(entry.open(), (opened) => (typeof opened === 'string' ? unreadable : encoded(opened, unreadable)));
    } finally {
      entry.close();
    }
  });
}

function encoded(opened: OpenedFile, unreadable: Artwork): Later<Artwork> {
  return after(
    attempt(() => opened.read(0, largestUrl)),
    (bytes) => {
      opened.close();
      if (typeof bytes === 'string') return unreadable;
      const type = pictureType(bytes);
      if (type === null) return none('The file of the artwork is no picture of a known kind');
      const thumbnail = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
      return thumbnail.length > largestUrl ? tooLarge : { thumbnail, reason: null };
    },
  );
}

/** Some files can be opened and not be read. */
function attempt<T>(read: () => Later<T>): Later<T | string> {
  const failed = () => 'failed';
  try {
    const value = read();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch {
    return failed();
  }
}

/** By their first bytes; names lie, and Chromium's have no extension. */
function pictureType(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  if (/^RIFF[\s\S]{4}WEBP/.test(start)) return 'image/webp';
  return start.startsWith('BM') ? 'image/bmp' : null;
}
