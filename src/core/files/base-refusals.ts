import { type ErrorCode, ServiceError } from '../../lib/errors.ts';
import type { BaseDirectory, ServedProblem } from './served-paths.ts';

/** The error subtypes for a path that is missing or of the wrong kind. */
export type BadThing = 'BAD_FILE' | 'BAD_DIRECTORY';

export function found<T extends object>(outcome: T | ServedProblem, base: BaseDirectory, bad: BadThing): T {
  if (typeof outcome === 'string') throw baseRefusal(outcome, base, bad);
  return outcome;
}

export function baseCalled(key: string, bases: readonly BaseDirectory[]): BaseDirectory {
  const base = bases.find((known) => known.key === key);
  if (base !== undefined) return base;
  const known = bases.map((other) => other.key).join(', ');
  throw new ServiceError(
    'invalid',
    `There is no base directory ${JSON.stringify(key.slice(0, 100))}; available: ${known}`,
    { subtype: 'BAD_DIRECTORY' },
  );
}

export function baseRefusal(problem: ServedProblem, base: BaseDirectory, bad: BadThing): ServiceError {
  const [code, sentence] = refusals[problem];
  const subtype = isOutside.has(problem) ? 'BAD_PATH' : isBad.has(problem) ? bad : null;
  return new ServiceError(code, sentence(base.key, bad === 'BAD_FILE' ? 'file' : 'directory'), { subtype });
}

const isBad = new Set<ServedProblem>(['missing', 'not_regular']);
const isOutside = new Set<ServedProblem>(['escapes', 'ours', 'hidden']);

const refusals: Record<ServedProblem, [ErrorCode, (base: string, thing: string) => string]> = {
  escapes: ['forbidden', (base) => `The path leaves the base directory ${base}; only files inside it are served`],
  ours: ['forbidden', (base) => `The path in ${base} belongs to Hostler itself; its own files are never served`],
  hidden: [
    'forbidden',
    (base) =>
      `The path in ${base} is hidden; the setting files.hidden keeps hidden files and directories from being served`,
  ],
  missing: ['not_found', (base, thing) => `There is no such ${thing} in ${base}`],
  denied: [
    'forbidden',
    (base, thing) => `The service may not read this ${thing} in ${base}; give the user it runs as permission`,
  ],
  not_regular: [
    'invalid',
    (base, thing) => `The path in ${base} is not a ${thing === 'file' ? 'regular file' : thing}`,
  ],
  busy: [
    'forbidden',
    (base, thing) => `Another program has this ${thing} in ${base} open exclusively; try again later`,
  ],
  disconnected: [
    'failed',
    (base) => `The file system of ${base} is not connected; mount it again, or start its server`,
  ],
  silent: ['failed', (base) => `The file system of ${base} does not respond; check whether its server can be reached`],
  crowded: [
    'failed',
    (base) => `${base} is on a network file system, and too many of those are busy or not responding; try again later`,
  ],
};
