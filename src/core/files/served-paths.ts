import path from 'node:path';
import type { Contained, ContainedEntry, ContainedProblem } from '../../host/contained/contained.ts';

/** `ours`: it is in a directory of this service; `hidden`: it is hidden, or in a hidden directory, and the settings exclude that. */
export type ServedProblem = ContainedProblem | 'ours' | 'hidden';

/**
 * Resolves a path in a base directory to an entry that may be served. Everything that lists, sends, opens or names files of the user uses
 * it. `hidden`: the setting files.hidden, which applies to the path inside the base, not to the base.
 */
export async function findServed(
  contained: Contained,
  hidden: boolean,
  base: BaseDirectory,
  relative: string,
): Promise<ContainedEntry | ServedProblem> {
  // Checked before the file system is accessed, so that the answer does not reveal which hidden files exist.
  if (!hidden && isHidden(relative)) return 'hidden';
  const entry = await contained.find(base.path, relative);
  if (typeof entry === 'string') return entry;
  const isOurs = contained.isOurs(entry.realPath, entry.identities);
  const problem = isOurs ? 'ours' : !hidden && isHidden(entry.realInside) ? 'hidden' : null;
  if (problem === null) return entry;
  entry.close();
  return problem;
}

/** Whether a listing leaves out a name; `directory`: its real path. */
export function isWithheld(contained: Contained, hidden: boolean, directory: string, name: string): boolean {
  return (!hidden && isHidden(name)) || contained.isOurs(path.join(directory, name));
}

const isHidden = (relative: string) => relative.split(/[/\\]/).some((name) => /^\.[^.]|^\.\.[^.]|^\.{3,}/.test(name));

/** A directory whose files are served, including subdirectories. It need not exist. */
export interface BaseDirectory {
  key: string;
  name: string;
  path: string;
}
