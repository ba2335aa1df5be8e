import path from 'node:path';
import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import type { OpenServedFile, ServedFile } from '../../core/served-file.ts';
import type { ContainedEntry, ContainedProblem, OpenedFile } from '../../host/contained.ts';
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
  return (key, asked) => {
    const base = baseCalled(key, basesOf(host, settings()));
    const entry = found(host.contained.find(base.path, asked), base);
    try {
      if (entry.kind !== 'file') throw refusal('not_regular', base);
      const name = path.basename(asked);
      // The real name as well: a link called .txt opens no other kind of file.
      for (const extension of [extensionOf(name), extensionOf(entry.realName)]) {
        if (!servedTypes.has(extension)) throw notServed(extension);
      }
      if (entry.size > maxBytes) throw tooLarge(entry.size);
      return servedFile(name, entry, found(entry.open(), base));
    } finally {
      entry.close();
    }
  };
}

function servedFile(
  name: string,
  { realName, size, modifiedMs, version }: ContainedEntry,
  { path: descriptorPath, read, close }: OpenedFile,
): ServedFile {
  try {
    return {
      name,
      size,
      modifiedMs,
      etag: `"${version}"`,
      contentType: typeOf(extensionOf(realName), read),
      descriptorPath,
      read,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
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

function found<T extends object>(outcome: T | ContainedProblem, base: BaseDirectory): T {
  if (typeof outcome === 'string') throw refusal(outcome, base);
  return outcome;
}

const refusals: Record<ContainedProblem, [ErrorCode, (base: string) => string]> = {
  escapes: ['forbidden', (base) => `The path leaves the base directory ${base}; only files inside it are served`],
  missing: ['not_found', (base) => `There is no such file in ${base}`],
  denied: ['forbidden', (base) => `The service may not read this file in ${base}; give its user the permission to`],
  not_regular: ['invalid', (base) => `The path in ${base} is not a regular file`],
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

function typeOf(extension: string, read: OpenedFile['read']): string {
  const type = servedTypes.get(extension) ?? 'application/octet-stream';
  if (!type.startsWith('text/')) return type;
  return `${type}; charset=${saysUtf16(read) ? 'utf-16' : 'utf-8'}`;
}

/** By a byte order mark; anything else is taken for UTF-8. */
function saysUtf16(read: OpenedFile['read']): boolean {
  const [first, second] = read(0, 2);
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
