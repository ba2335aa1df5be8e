import path from 'node:path';

/** How much of a file `isShown` wants: desktops that go by content look no further for the kinds that they start. */
export const shownStartBytes = 4096;

const zip = String.raw`PK\x03\x04.{26}`;

/**
 * What desktops show when it is opened, by its ending and its first bytes. Some desktops go by one of them only, so both must agree:
 * a Java archive named photo.png would be executed. Archives and the older office formats, whose content may be an installer, are left out.
 */
const kinds: [endings: string, start: string][] = [
  ['jpg jpeg', String.raw`\xff\xd8\xff`],
  ['png', String.raw`\x89PNG\r\n\x1a\n`],
  ['gif', 'GIF8[79]a'],
  ['bmp', String.raw`BM.{4}\0{4}`],
  ['webp', 'RIFF.{4}WEBP'],
  ['tif tiff', String.raw`II\*\0|MM\0\*`],
  ['heic heif avif mp4 m4a m4b m4v mov 3gp', '.{4}(?:ftyp|moov|mdat|wide|free)'],
  ['mkv mka webm', String.raw`\x1aE\xdf\xa3`],
  ['avi', 'RIFF.{4}AVI '],
  ['mpg mpeg', String.raw`\0\0\x01[\xb3\xba]`],
  ['wmv wma asf', String.raw`0&\xb2u\x8ef\xcf\x11`],
  ['mp3', String.raw`ID3|\xff[\xe0-\xff]`],
  ['aac', String.raw`ADIF|\xff[\xf0-\xff]`],
  ['flac', 'ID3|fLaC'],
  ['ogg oga ogv opus', 'OggS'],
  ['wav', 'RIFF.{4}WAVE'],
  ['aif aiff', 'FORM.{4}AIF'],
  ['mid midi', 'MThd'],
  ['pdf', '%PDF-'],
  ['docx xlsx pptx', String.raw`${zip}(?:\[Content_Types\]\.xml|_rels/\.rels|docProps/\w+\.xml)(?!\xfe\xca)`],
  ['odt ods odp odg epub', `${zip}mimetypeapplication/`],
  [
    'txt md log csv tsv json xml yaml yml toml ini conf srt vtt m3u m3u8 pls html htm svg css tex rst',
    String.raw`[^\0]*$`,
  ],
];

const byEnding = new Map(
  kinds.flatMap(([endings, start]) => endings.split(' ').map((ending) => [ending, new RegExp(`^(?:${start})`, 's')])),
);

/** Texts that desktops start or apply: programs, desktop entries, Java Web Start, Flatpak references, links, and entries of the registry. */
const started =
  /^(?:\xef\xbb\xbf)?\s*(?:#!|REGEDIT|Windows Registry)|\[(?:Desktop |KDE Desktop |Flatpak |InternetShortcut)|# (?:KDE )?Config File|<jnlp/i;

export function isShown(file: string, start: Uint8Array): boolean {
  const bytes = Buffer.from(start).toString('latin1');
  return byEnding.get(path.extname(file).slice(1).toLowerCase())?.test(bytes) === true && !started.test(bytes);
}

/** A name that makes Windows show something else than a directory, such as a control panel. */
export const isSpecialDirectory = (directory: string) => /\.\{[\da-f-]+\}$/i.test(directory);
