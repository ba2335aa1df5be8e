const longestText = 16_384;
const longestArtUrl = 256 * 1024;

/**
 * Checked properties: some players send numbers as text and lists as single values.
 * https://specifications.freedesktop.org/mpris-spec/latest/Player_Interface.html
 */
export function parsePlayer(properties: ReadonlyMap<string, unknown>) {
  const flag = (name: string) => properties.get(name) === true;
  // Missing in old players, which can be controlled.
  const control = properties.get('CanControl') !== false;
  const rate = toNumber(properties.get('Rate'));
  return {
    status: statuses.get(String(properties.get('PlaybackStatus'))) ?? null,
    track: parseTrack(properties.get('Metadata')),
    /** 1 is normal speed. */
    rate: rate === null || rate <= 0 ? 1 : rate,
    /** 0-1, or more. null: the player has no volume. */
    volume: toNumber(properties.get('Volume')),
    shuffle: toFlag(properties.get('Shuffle')),
    repeat: repeats.get(String(properties.get('LoopStatus'))) ?? null,
    can: {
      control,
      play: control && flag('CanPlay'),
      pause: control && flag('CanPause'),
      next: control && flag('CanGoNext'),
      previous: control && flag('CanGoPrevious'),
      seek: control && flag('CanSeek'),
    },
  };
}

const statuses = new Map<string, 'PLAYING' | 'PAUSED' | 'STOPPED'>([
  ['Playing', 'PLAYING'],
  ['Paused', 'PAUSED'],
  ['Stopped', 'STOPPED'],
]);
const repeats = new Map<string, 'NONE' | 'TRACK' | 'LIST'>([
  ['None', 'NONE'],
  ['Track', 'TRACK'],
  ['Playlist', 'LIST'],
]);

const known = new Set([
  'PlaybackStatus',
  'LoopStatus',
  'Rate',
  'Shuffle',
  'Metadata',
  'Volume',
  'Position',
  'CanGoNext',
  'CanGoPrevious',
  'CanPlay',
  'CanPause',
  'CanSeek',
  'CanControl',
]);

/** Only the properties of the specification are stored, and of metadata only what `parseTrack` reads, each of bounded length. */
export function propertiesIn(dictionary: unknown): [string, unknown][] {
  return entriesOf(dictionary).flatMap(([name, value]): [string, unknown][] => {
    if (!known.has(name)) return [];
    return [[name, name === 'Metadata' ? Object.fromEntries(metadataIn(value)) : bounded(value, longestText)]];
  });
}

const ofTrack = new Map<string, number>([
  ['mpris:trackid', longestText],
  ['xesam:title', longestText],
  ['xesam:artist', longestText],
  ['xesam:album', longestText],
  ['xesam:albumartist', longestText],
  ['xesam:tracknumber', longestText],
  ['mpris:length', longestText],
  ['xesam:url', longestText],
  // Long addresses are data URLs; their user checks them.
  ['mpris:arturl', longestArtUrl],
]);

function metadataIn(metadata: unknown): [string, unknown][] {
  return entriesOf(metadata).flatMap(([name, value]): [string, unknown][] => {
    // VLC has some names in lower case.
    const lower = name.toLowerCase();
    const longest = ofTrack.get(lower);
    return longest === undefined ? [] : [[lower, bounded(value, longest)]];
  });
}

const bounded = (value: unknown, longest: number) =>
  typeof value === 'object' || typeof value === 'string' ? metadataText(value, longest) : value;

/** https://www.freedesktop.org/wiki/Specifications/mpris-spec/metadata */
export function parseTrack(metadata: unknown) {
  const values = new Map(metadataIn(metadata));
  const text = (name: string) => metadataText(values.get(name), ofTrack.get(name));
  const url = text('xesam:url');
  return {
    /** Object path of this entry in the track list. */
    id: text('mpris:trackid'),
    title: text('xesam:title') ?? fileName(url),
    artist: text('xesam:artist'),
    album: text('xesam:album'),
    albumArtist: text('xesam:albumartist'),
    number: toNumber(values.get('xesam:tracknumber')),
    /** Seconds. */
    length: toSeconds(values.get('mpris:length')),
    url,
    artUrl: text('mpris:arturl'),
  };
}

export function entriesOf(dictionary: unknown): [string, unknown][] {
  return typeof dictionary === 'object' && dictionary !== null && !Array.isArray(dictionary)
    ? Object.entries(dictionary)
    : [];
}

/** Joins lists of text, such as several artists. Limits only the length; the client escapes the text. */
export function metadataText(value: unknown, longest = longestText): string | null {
  const parts = (Array.isArray(value) ? value : [value]).filter((part) => typeof part === 'string' && part !== '');
  const text = parts.length > 0 ? parts.join(', ') : typeof value === 'number' ? String(value) : '';
  if (text === '') return null;
  if (text.length <= longest) return text;
  // Do not cut a surrogate pair. A copy: a slice would retain the whole text.
  const cut = text.slice(0, longest).replace(/[\ud800-\udbff]$/, '');
  return Buffer.from(cut, 'utf16le').toString('utf16le');
}

export function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'bigint') return Number(number);
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function toFlag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** Players report 0 or less if it is unknown. */
export function toSeconds(microseconds: unknown): number | null {
  const number = toNumber(microseconds);
  return number === null || number < 0 ? null : number / 1_000_000;
}

function fileName(url: string | null): string | null {
  if (url === null || !url.startsWith('file://')) return null;
  const name = url.slice(url.lastIndexOf('/') + 1);
  try {
    return metadataText(decodeURIComponent(name));
  } catch {
    return metadataText(name);
  }
}
