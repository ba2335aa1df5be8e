import path from 'node:path';
import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import { checkFileVersion, versionAfter } from '../lib/file-version.ts';
import { isObject } from '../lib/values.ts';

type Parts = Pick<Host, 'storage' | 'paths'>;

/** Migrates the state directory to the next version. It can run again after a power failure in the middle. */
export type StateStep = (parts: Parts) => void;

export const stateVersionFile = 'version.json';

/** The first migrates version 1, that of 6.0.0, to 2. docs/decisions/0029 states when one is needed. */
const stateSteps: readonly StateStep[] = [];

/** The version of everything in the state directory. Throws if a newer program has written it. */
export function checkStateVersion({ storage, paths }: Parts, steps: readonly unknown[] = stateSteps): number {
  const file = path.join(paths.state, stateVersionFile);
  return checkFileVersion(
    file,
    parseStamp(storage.read(file), file),
    versionAfter(steps),
    `move the directory ${paths.state} away to begin with new tokens and no history`,
  );
}

/** For the service, before it reads anything there. The number is written after each step, so that none is skipped or repeated. */
export function migrateState(parts: Parts, steps: readonly StateStep[] = stateSteps): void {
  const { storage, paths } = parts;
  const file = path.join(paths.state, stateVersionFile);
  const write = (version: number) => storage.write(file, `${JSON.stringify({ version })}\n`);
  if (storage.read(file) === null) stampNew(() => write(checkStateVersion(parts, steps)));
  if (checkStateVersion(parts, steps) === versionAfter(steps)) return;
  storage.locked(file, () => {
    for (let version = checkStateVersion(parts, steps); version < versionAfter(steps); version += 1) {
      steps[version - 1]?.(parts);
      write(version + 1);
    }
  });
}

/** A missing number counts as the first version: a full disk does not prevent the start. */
function stampNew(write: () => void): void {
  try {
    write();
  } catch {}
}

function parseStamp(text: string | null, file: string): unknown {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && 'version' in value) return value.version;
  } catch (cause) {
    throw new Error(`${file} is damaged (${messageOf(cause)}). Remove it if no newer Hostler was ever used here`);
  }
  throw new Error(`${file} is damaged: it names no version. Remove it if no newer Hostler was ever used here`);
}
