import path from 'node:path';
import type { Contained, ContainedEntry, ContainedProblem } from '../../host/contained/contained.ts';
import { type Later, mapLater } from '../../lib/later.ts';

/** `ours`: it lies in a directory of this service; `hidden`: it is hidden, or lies in a hidden directory, and the settings say no. */
export type ServedProblem = ContainedProblem | 'ours' | 'hidden';

/**
 * What a path in a base directory stands for, as far as anybody may be served from there. Everything that lists, sends, opens or names
 * files of the user looks here. `hidden`: the setting files.hidden; what counts is the path inside the base, not where the base lies.
 */
export function findServed(
  contained: Contained,
  hidden: boolean,
  base: BaseDirectory,
  relative: string,
): Later<ContainedEntry | ServedProblem> {
  // Before anything is touched: nobody learns which hidden files exist.
  if (!hidden && isHidden(relative)) return 'hidden';
  return mapLater(contained.find(base.path, relative), (entry) => {
    if (typeof entry === 'string') return entry;
    const isOurs = contained.isOurs(entry.realPath, entry.identities);
    const problem = isOurs ? 'ours' : !hidden && isHidden(entry.realInside) ? 'hidden' : null;
    if (problem === null) return entry;
    entry.close();
    return problem;
  });
}

/** Whether a name of a listing is left out; `directory`: where it really lies. */
export function isWithheld(contained: Contained, hidden: boolean, directory: string, name: string): boolean {
  return (!hidden && isHidden(name)) || contained.isOurs(path.join(directory, name));
}

const isHidden = (relative: string) => relative.split(/[/\\]/).some((name) => /^\.[^.]|^\.\.[^.]|^\.{3,}/.test(name));

/** A directory whose files are served, and those below it. It need not exist. */
export interface BaseDirectory {
  key: string;
  name: string;
  path: string;
}
