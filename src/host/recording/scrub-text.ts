import { createAddressScrubber } from './scrub-addresses.ts';
import { createStandIns } from './stand-ins.ts';

export interface NamesToReplace {
  hostname: string;
  people: string[];
  /** Home directories, wherever they are. */
  homes: string[];
  searchDomains: string[];
  serials: string[];
  /** Other machines, by name. */
  hosts?: string[];
  tokens?: string[];
}

interface Word {
  kind: string;
  word: string;
  make(number: number): string;
  pattern: RegExp;
}

/** Removes identifying data from texts: the same original is replaced by the same placeholder everywhere. */
export function createTextScrubber({
  hostname,
  people,
  homes,
  searchDomains,
  serials,
  hosts = [],
  tokens = [],
}: NamesToReplace) {
  const standIns = createStandIns();
  const addresses = createAddressScrubber(standIns);
  // The longer ones first, of whatever kind, since the shorter may be a part of them.
  const words = [
    ...names(tokens).map(wordOf('name of a token', (number) => `token${number}`)),
    ...names(hosts).map(wordOf('name of another machine', (number) => `host${number}.example`, 'gi')),
    ...names(people).map(wordOf('user name', (number) => `user${number}`)),
    ...names([hostname, hostname.split('.')[0] ?? '']).map(
      wordOf('name of the machine', (number) => (number === 1 ? 'machine' : `machine${number}`)),
    ),
    ...names(searchDomains).map(wordOf('domain', (number) => `domain${number}.example`)),
    ...sorted(serials.filter((serial) => serial.length >= 4)).map(
      wordOf('serial number', (number) => `SERIAL-${number}`),
    ),
  ].sort((a, b) => b.word.length - a.word.length);
  const replaceWords = (text: string, fit: (found: string, standIn: string) => string) =>
    words.reduce(
      (result, { kind, word, make, pattern }) =>
        result.replace(pattern, (found) => fit(found, standIns.of(kind, word, make))),
      text,
    );
  const replaceNames = (text: string) => replaceWords(text, (_found, standIn) => standIn);
  const identifiers = (text: string) =>
    text
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, (found) =>
        standIns.of('identifier', found.toLowerCase(), (number) => `00000000-0000-4000-8000-${hex(number, 12)}`),
      )
      .replace(/\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\b/g, (found) =>
        // All zeros identify nothing.
        /^0*$/.test(found)
          ? found
          : standIns.of(`identifier of ${found.length} digits`, found, (number) => hex(number, found.length)),
      );
  const directories = directoriesIn(homes);
  const places = (text: string) =>
    text
      .replace(/(?<=\/(?:run\/)?media\/[^/\s]+\/)[^/\s\0]+/g, (label) =>
        standIns.of('label of a volume', label, (number) => `volume${number}`),
      )
      .replace(directories, '$1$2');
  // Places first: names in paths to home directories are replaced afterwards.
  const latin = (text: string) => replaceNames(addresses.text(identifiers(places(text))));
  return {
    /** The same for bytes as Latin-1 characters, so that binary data is preserved. */
    latin,
    text: (text: string) => Buffer.from(latin(Buffer.from(text, 'utf8').toString('latin1')), 'latin1').toString('utf8'),
    /** Tables of the kernel, with addresses as digits. */
    kernelTable: (text: string) => replaceNames(addresses.kernelTable(addresses.text(text))),
    /** Names only, each by a placeholder of the same length, for tables of records with fixed offsets. */
    inPlace(text: string): string {
      const fit = (found: string, standIn: string) => standIn.slice(0, found.length).padEnd(found.length, '\0');
      // The remote host of a login.
      return replaceWords(text, fit).replace(/\d{1,3}(?:\.\d{1,3}){3}/g, (found) => fit(found, '10.0.0.1'));
    },
    standInFor: standIns.of,
    replaced: standIns.list,
  };
}

/**
 * Directories in a home directory, as far as the user named them: hidden ones and AppData are named by programs. Known homes come before the usual
 * places, so that /home/home/alice is not taken for a directory of the user "home".
 */
function directoriesIn(homes: string[]): RegExp {
  const known = sorted(homes.filter((home) => home.length > 1)).map((home) => escaped(home.replace(/[\\/]+$/, '')));
  // A backslash is a separator on Windows, and part of a name such as a\040b elsewhere.
  const separator = homes.some((home) => home.includes('\\')) ? '\\\\/' : '/';
  const home = [...known, '/home/[^/\\s\\0:]+', '/root'].join('|');
  return new RegExp(`(${home})([${separator}])(?!\\.|AppData\\b)(?:[^${separator}\\s\\0:]+[${separator}])+`, 'g');
}

const wordOf =
  (kind: string, make: Word['make'], flags = 'g') =>
  (word: string): Word => ({ kind, word, make, pattern: patternOf(word, flags) });

/** Of any length, but not the name that every machine has, nor a short number: it names no one, and occurs in every table. */
const names = (words: string[]) => sorted(words.filter((word) => !/^(?:localhost|\d{0,2})$/i.test(word)));

/** Each once, the longer ones first, since the shorter may be a part of them. */
const sorted = (words: string[]) => [...new Set(words)].sort((a, b) => b.length - a.length);

const hex = (number: number, length: number) => number.toString(16).padStart(length, '0');

const patternOf = (word: string, flags: string) =>
  new RegExp(`(?<![A-Za-z0-9_])${escaped(word)}(?![A-Za-z0-9_])`, flags);

/** For a pattern over bytes as characters. */
const escaped = (word: string) =>
  Buffer.from(word, 'utf8')
    .toString('latin1')
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
