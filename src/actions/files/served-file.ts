import path from 'node:path';
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import { after, type Later, orUndo } from '../../core/later.ts';
import type { OpenServedFile, ServedFile } from '../../core/served-file.ts';
import type { ContainedEntry, ContainedFacts, ContainedProblem, OpenedFile, Outcome } from '../../host/contained.ts';
import type { Host } from '../../host/host.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type BaseDirectory, basesOf } from './bases.ts';
import { servedTypes } from './served-types.ts';

/** 100 MB, of the kind that has 1,048,576 bytes. */
const maxBytes = 104_857_600;

/** The checks stand in the order in which they answer. */
export function createOpenServedFile(
  host: Pick<Host, 'contained' | 'environment' | 'storage'>,
  settings: () => Settings,
): OpenServedFile {
  return (key, asked) =>
    after(basesOf(host, settings()), (bases) => {
      const base = baseCalled(key, bases);
      return after(host.contained.find(base.path, asked), (outcome) =>
        openEntry(found(outcome, base), path.basename(asked), base),
      );
    });
}

/** Closes the entry in any case. */
function openEntry(entry: ContainedEntry, name: string, base: BaseDirectory): Later<ServedFile> {
  try {
    if (entry.kind !== 'file') throw refusal('not_regular', base);
    // The real name as well: a link called .txt opens no other kind of file.
    for (const extension of [extensionOf(name), extensionOf(entry.realName)]) {
      if (!servedTypes.has(extension)) throw notServed(extension);
    }
    if (entry.size > maxBytes) throw tooLarge(entry.size);
    return after(entry.open(), (outcome) => servedFile(name, entry, found(outcome, base), base));
  } finally {
    entry.close();
  }
}

function servedFile(
  name: string,
  { realName, size, modifiedMs, version }: ContainedFacts,
  { path: descriptorPath, read: readOpened, close }: OpenedFile,
  base: BaseDirectory,
): Later<ServedFile> {
  const read: ServedFile['read'] = (start, end, patient) =>
    after(readOpened(start, end, patient), (bytes) => found(bytes, base));
  return orUndo(
    () =>
      after(typeOf(extensionOf(realName), read), (contentType) => ({
        name,
        size,
        modifiedMs,
        etag: `"${version}"`,
        contentType,
        descriptorPath,
        read,
        close,
      })),
    close,
  );
}

function baseCalled(key: string, bases: BaseDirectory[]): BaseDirectory {
  const base = bases.find((known) => known.key === key);
  if (base !== undefined) return base;
  const known = bases.map((other) => other.key).join(', ');
  throw new ServiceError(
    'invalid',
    `There is no base directory ${JSON.stringify(key.slice(0, 100))}; there are ${known}`,
  );
}

function found<T extends object>(outcome: Outcome<T>, base: BaseDirectory): T {
  if (typeof outcome === 'string') throw refusal(outcome, base);
  return outcome;
}

const refusals: Record<ContainedProblem, [ErrorCode, (base: string) => string]> = {
  escapes: ['forbidden', (base) => `The path leaves the base directory ${base}; only files inside it are served`],
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

function refusal(problem: ContainedProblem, base: BaseDirectory): ServiceError {
  const [code, sentence] = refusals[problem];
  return new ServiceError(code, sentence(base.key));
}

function notServed(extension: string): ServiceError {
  const kind = extension === '' ? 'Files without an extension' : `Files of the type .${extension.slice(0, 20)}`;
  return new ServiceError('forbidden', `${kind} are not served; those with ${[...servedTypes.keys()].join(', ')} are`);
}

function tooLarge(size: number): ServiceError {
  return new ServiceError('too_large', `The file has ${size} bytes; at most ${maxBytes} are served`);
}

const extensionOf = (name: string) => path.extname(name).slice(1).toLowerCase();

function typeOf(extension: string, read: ServedFile['read']): Later<string> {
  const type = servedTypes.get(extension) ?? 'application/octet-stream';
  if (!type.startsWith('text/')) return type;
  return after(read(0, 2), (bytes) => `${type}; charset=${saysUtf16(bytes) ? 'utf-16' : 'utf-8'}`);
}

/** By a byte order mark; anything else is taken for UTF-8. */
function saysUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
