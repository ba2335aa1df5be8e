import fs from 'node:fs';
import path from 'node:path';
import { containedProblemOf } from './contained.opened.ts';
import type { Listed, Listing, LocalListing, Outcome } from './contained.ts';

/** A directory by a path that stays valid, and the names in it that must not be accessed. */
export interface ListedPlace {
  path: string;
  /** Names need not be valid UTF-8: `latin1` has each byte as a character, here and in `untouched`. */
  encoding: 'latin1' | 'utf8';
  untouched(): ReadonlySet<string>;
}

/** Pieces between which other work can run: tens of thousands of names take a while. */
export async function listDirectory(place: ListedPlace): Promise<Outcome<Listing>> {
  try {
    return listing(place, await fs.promises.readdir(place.path, place.encoding));
  } catch (error) {
    return containedProblemOf(error);
  }
}

/** In a dedicated thread: the asynchronous calls run in the runtime's few threads, which must not hang. */
export function listDirectoryAtOnce(place: ListedPlace): Outcome<LocalListing> {
  try {
    return listing(place, fs.readdirSync(place.path, place.encoding));
  } catch (error) {
    return containedProblemOf(error);
  }
}

function listing(place: ListedPlace, names: string[]): LocalListing {
  const untouched = place.untouched();
  return {
    count: names.length,
    entries(start, end) {
      const found: Listed[] = [];
      try {
        for (const name of names.slice(start, end)) {
          const listed = untouched.has(name) ? elsewhere(name, place) : lookAt(name, place);
          if (listed !== null) found.push(listed);
        }
        return found;
      } catch (error) {
        return containedProblemOf(error);
      }
    },
  };
}

const elsewhere = (name: string, { encoding }: ListedPlace): Listed => ({
  name: toText(name, encoding),
  kind: 'elsewhere',
  size: 0,
  modifiedMs: 0,
  mode: 0,
});

/** null: it is gone. */
function lookAt(name: string, { path: directory, encoding }: ListedPlace): Listed | null {
  const file = directory + path.sep + name;
  const stat = fs.lstatSync(encoding === 'utf8' || isAscii(name) ? file : Buffer.from(file, 'latin1'), {
    throwIfNoEntry: false,
  });
  if (stat === undefined) return null;
  return {
    name: toText(name, encoding),
    kind: kindOf(stat),
    size: stat.size,
    modifiedMs: stat.mtimeMs,
    mode: stat.mode,
  };
}

function kindOf(stat: fs.Stats): Listed['kind'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

/** Most names are, and need no other form. */
const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);
const toText = (name: string, encoding: ListedPlace['encoding']) =>
  encoding === 'utf8' || isAscii(name) ? name : Buffer.from(name, 'latin1').toString();
