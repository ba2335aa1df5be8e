import path from 'node:path';
import type { Contained, ContainedEntry, ContainedProblem } from '../../host/contained/contained.ts';
import type { Host } from '../../host/host.ts';
import type { Exposure } from '../../host/storage.ts';
import { directoriesAbove } from '../../lib/directories-above.ts';
import { codeOf, messageOf, PlaceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { underHome } from './bases.ts';
import { findAnywhere } from './find-anywhere.ts';

/** Program and working directory, which exist and responded a moment ago: starting a program on a dead mount would block the service. */
export async function checkCommand(
  { contained, environment }: Pick<Host, 'contained' | 'environment'>,
  { id, command, workingDir }: AllowedCommand,
): Promise<{ program: string; cwd: string }> {
  const subject = `The command ${JSON.stringify(id)}`;
  const wrong = (what: string, place: string, problem: string) =>
    new PlaceError(
      `${subject} cannot be run: its ${what} ${problem}`,
      `${subject} cannot be run: its ${what} ${place} ${problem}`,
    );
  const resolve = async (what: string, written: string): Promise<{ place: string; entry: ContainedEntry }> => {
    if (!path.isAbsolute(written) && !/^~(\/|$)/.test(written)) {
      throw wrong(what, JSON.stringify(written), 'is not named by an absolute path. Use the full path');
    }
    const place = underHome(written, environment.home);
    const entry = await findAnywhere(contained, place);
    if (typeof entry === 'string') throw wrong(what, place, placeProblems[entry]);
    entry.close();
    return { place, entry };
  };

  const program = await resolve('program', command);
  if (program.entry.kind !== 'file') throw wrong('program', program.place, 'is not a file');
  const exposure = await exposureOf(contained, program).catch((cause) => {
    throw wrong('program', program.place, `cannot be checked (${codeOf(cause) ?? 'too many links'})`);
  });
  if (exposure !== null)
    throw new PlaceError(
      `${subject} cannot be run: other users can change its program`,
      `${subject} cannot be run: other users can change its program ${program.place}: ${exposure.problem}. Make sure that it is the program you want, then run: ${exposure.fix}`,
    );
  const directory = await resolve('working directory', workingDir === '' ? environment.home : workingDir);
  if (directory.entry.kind !== 'directory') throw wrong('working directory', directory.place, 'is not a directory');
  return { program: program.place, cwd: directory.place };
}

/** How users other than this one and the administrator can change a file, or a directory or link on the way to it; null: they cannot. Throws if it does not exist. */
export async function exposureOfPath(contained: Contained, place: string): Promise<Exposure | null> {
  const entry = await findAnywhere(contained, place);
  if (typeof entry === 'string') throw new Error(`${place} ${placeProblems[entry]}`);
  entry.close();
  return await exposureOf(contained, { place, entry });
}

async function exposureOf(
  contained: Contained,
  { place, entry }: { place: string; entry: ContainedEntry },
): Promise<Exposure | null> {
  if (contained.exposureOf === undefined)
    throw Object.assign(new Error('This system reports no permissions'), { code: 'ENOSYS' });
  const links = contained.linksTo?.(place) ?? [];
  for (const owned of [entry, ...links]) {
    const exposure = await contained.exposureOf(owned, false);
    if (exposure !== null) return exposure;
  }
  // By its name, by each link and by the target: each of them could be redirected.
  const places = [entry.realPath, place, ...links.map(({ realPath }) => realPath)];
  const own = new Set(places.map((each) => path.dirname(each)));
  for (const directory of new Set(places.flatMap((each) => directoriesAbove(each)))) {
    const found = await findAnywhere(contained, directory);
    // What cannot be checked here was passed on the way to the program.
    if (typeof found === 'string') continue;
    found.close();
    const exposure = await contained.exposureOf(found, !own.has(directory));
    if (exposure !== null) return exposure;
  }
  return null;
}

/** The rest of a sentence about a path in the settings. */
export const placeProblems: Record<ContainedProblem, string> = {
  escapes: 'is not a possible file name',
  missing: 'does not exist',
  denied: 'is not accessible to the user this service runs as',
  not_regular: 'is not a file',
  busy: 'is open exclusively in another program',
  disconnected: 'is on a file system that is not connected; mount it again',
  silent: 'is on a file system that does not respond; check whether its server can be reached',
  crowded: 'is on a network file system, and too many of those are busy or not responding; try again later',
};

/** Why it failed before it began; the error of the system names the program. */
export function commandNotStarted(error: unknown): PlaceError {
  if (error instanceof PlaceError) return error;
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : null);
  return new PlaceError(`Its program could not be started${code === null ? '' : ` (${code})`}`, messageOf(error));
}

export type AllowedCommand = Settings['commands']['allowlist'][number];
