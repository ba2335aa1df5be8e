import path from 'node:path';
import type { ContainedEntry, ContainedFacts, ContainedProblem, Outcome } from '../host/contained.ts';
import type { Host } from '../host/host.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { type BaseDirectory, basesOf } from './bases.ts';
import { type ErrorCode, ServiceError } from './errors.ts';

type Parts = Pick<Host, 'contained' | 'environment' | 'storage'>;

/** Something in a known base. */
export interface InBase {
  base: BaseDirectory;
  /** From the base to it. */
  relative: string;
}

/**
 * What an absolute path (or one with `~/`) stands for, if it lies in a known base; throws a ServiceError that says why not.
 * Its real path is inside the base as well, whatever links there are on the way.
 */
export async function lookInBases(
  host: Parts,
  settings: Pick<Settings, 'media'>,
  file: string,
): Promise<ContainedFacts & InBase> {
  const { entry, ...place } = await findInBases(host, await basesOf(host, settings), file);
  entry.close();
  const { realName, realPath, kind, size, modifiedMs, mode, version } = entry;
  return { ...place, realName, realPath, kind, size, modifiedMs, mode, version };
}

/** The same, not closed yet, and in some bases only. */
export async function findInBases(
  host: Parts,
  bases: readonly BaseDirectory[],
  file: string,
): Promise<InBase & { entry: ContainedEntry }> {
  const wanted = file.replace(/^~(?=[/\\]|$)/, host.environment.home);
  if (!path.isAbsolute(wanted)) throw outside();
  // The innermost first: a base that is a link, such as ~/Music, leads out of the one it lies in.
  const named = bases.filter((base) => isInside(base.path, wanted)).sort((a, b) => b.path.length - a.path.length);
  for (const base of named) {
    const relative = path.relative(base.path, path.resolve(wanted));
    const entry = await host.contained.find(base.path, relative);
    if (entry === 'escapes') continue;
    if (typeof entry === 'string') throw refusal(entry, base, 'BAD_FILE');
    return { base, relative, entry };
  }
  return await findByRealPlace(host, bases, wanted);
}

/** Somebody may know only where a base really lies. */
async function findByRealPlace(
  { contained }: Parts,
  bases: readonly BaseDirectory[],
  wanted: string,
): Promise<InBase & { entry: ContainedEntry }> {
  const places = await Promise.all(bases.map(async (base) => ({ base, real: await realPathOf(contained, base) })));
  for (const { base, real } of places) {
    if (real === null || !isInside(real, wanted)) continue;
    const relative = path.relative(real, path.resolve(wanted));
    const entry = await contained.find(base.path, relative);
    if (entry === 'escapes') continue;
    if (typeof entry === 'string') throw refusal(entry, base, 'BAD_FILE');
    return { base, relative, entry };
  }
  throw outside();
}

async function realPathOf(contained: Host['contained'], base: BaseDirectory): Promise<string | null> {
  const entry = await contained.find(base.path, '.');
  if (typeof entry === 'string') return null;
  entry.close();
  return entry.realPath;
}

/** Before the file system is touched. */
function isInside(directory: string, file: string): boolean {
  const relative = path.relative(directory, path.resolve(file));
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

const outside = () =>
  new ServiceError('forbidden', 'The path lies in none of the known base directories; GET_DIRECTORIES lists them', {
    subtype: 'BAD_PATH',
  });

export function baseCalled(key: string, bases: readonly BaseDirectory[]): BaseDirectory {
  const base = bases.find((known) => known.key === key);
  if (base !== undefined) return base;
  const known = bases.map((other) => other.key).join(', ');
  throw new ServiceError(
    'invalid',
    `There is no base directory ${JSON.stringify(key.slice(0, 100))}; there are ${known}`,
    { subtype: 'BAD_DIRECTORY' },
  );
}

/** `subtype`: what clients call it when it is not there, or not what they took it for. */
export function found<T extends object>(outcome: Outcome<T>, base: BaseDirectory, subtype = 'BAD_FILE'): T {
  if (typeof outcome === 'string') throw refusal(outcome, base, subtype);
  return outcome;
}

const refusals: Record<ContainedProblem, [ErrorCode, (base: string) => string]> = {
  escapes: ['forbidden', (base) => `The path leaves the base directory ${base}; only what is inside it can be had`],
  missing: ['not_found', (base) => `There is no such file in ${base}`],
  denied: ['forbidden', (base) => `The service may not read this file in ${base}; give its user the permission to`],
  not_regular: ['invalid', (base) => `The path in ${base} is not a regular file`],
  disconnected: [
    'failed',
    (base) => `The file system of ${base} is not connected; mount it again, or start its server`,
  ],
  silent: ['failed', (base) => `The file system of ${base} does not answer; see whether its server can be reached`],
  crowded: [
    'failed',
    (base) => `${base} lies on a network, and too many file systems there are busy or silent; try later`,
  ],
};

export function refusal(problem: ContainedProblem, base: BaseDirectory, subtype: string): ServiceError {
  const [code, sentence] = refusals[problem];
  return new ServiceError(code, sentence(base.key), { subtype: subtypes[problem]?.(subtype) ?? null });
}

const subtypes: Partial<Record<ContainedProblem, (wanted: string) => string>> = {
  escapes: () => 'BAD_PATH',
  missing: (wanted) => wanted,
  not_regular: (wanted) => wanted,
};
